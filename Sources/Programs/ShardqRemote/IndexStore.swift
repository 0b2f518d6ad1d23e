#if Remote && CommandLineTool
  import CCurl
  import CLibrary
  import ShardBuilder
  import ShardedIndex
  import ShardedIndexRemote
  import ShardqCommands

  /// The generations of an index below a prefix of a store. Source: docs/remote.md, section "The layout of a prefix".
  ///
  /// Any number of processes may publish below the same prefix. A generation exists once its record exists. All objects
  /// that the record names exist before, and the store takes a record from one process alone.
  final class IndexStore: Sendable {
    /// A generation that exists in the store.
    struct StoredGeneration: Equatable, Sendable {
      let number: UInt64
      let record: GenerationRecord
    }

    /// The counts of an upload.
    struct Upload: Equatable, Sendable {
      /// The number of objects that were put.
      var objects = 0
      /// The bytes of the objects that were put.
      var bytes = 0
      /// The number of objects that the store had already.
      var kept = 0
    }

    let store: ObjectStore
    /// The seconds for which an object that no generation names stays.
    let grace: Int64
    /// Whether the user says that no other process publishes below the prefix; then commits use no create-if-absent.
    let isSingleWriter: Bool
    /// The progress; nil if it is hidden.
    let bar: ProgressBar?
    private let began = clock_now()

    /// The most records of generations that a list may have.
    private static let generationLimit = 1_000_000

    /// A slash at the end of the request's URL may be left out.
    init(_ request: StoreRequest) throws(StoreError) {
      let url = request.url
      store = try ObjectStore(url.hasSuffix("/") ? url : url + "/", stallLimit: request.stallSeconds)
      (grace, isSingleWriter) = (Int64(request.graceSeconds), request.isSingleWriter)
      bar = request.bar
    }

    // MARK: Generations

    /// Returns the numbers of the generations with a record, in order, with the ages of the records in seconds.
    func generations() throws(StoreError) -> [(number: UInt64, age: Int64?)] {
      var found: [(UInt64, Int64?)] = []
      var count = 0
      try store.forEachPage(of: GenerationRecord.folder) { (page) throws(StoreError) in
        count += page.count
        guard count <= Self.generationLimit else {
          throw StoreError(
            .badData,
            "\(store.shown(GenerationRecord.folder)) has over \(Self.generationLimit) objects; prune the prefix")
        }
        for object in page {
          if let number = GenerationRecord.number(ofName: object.name) { found.append((number, object.age)) }
        }
        return true
      }
      // A list may lag behind the objects. A generation has the number behind that of its parent.
      while let last = found.last?.0, last < .max, let state = try store.state(of: GenerationRecord.name(last + 1)) {
        found.append((last + 1, state.ages?.lowerBound))
      }
      return found
    }

    /// Returns the newest generation; nil if there is none.
    func newest() throws(StoreError) -> StoredGeneration? {
      // A prune may remove the record of the generation that was the newest when the list was made.
      for _ in 0..<3 {
        guard let number = try generations().last?.number else { return nil }
        if let record = try record(of: number) { return StoredGeneration(number: number, record: record) }
      }
      throw StoreError(.busy, "the generations in \(store.shown) change while they are read; try again")
    }

    /// Returns the record of a generation; nil if the record is gone.
    func record(of number: UInt64) throws(StoreError) -> GenerationRecord? {
      let name = GenerationRecord.name(number)
      guard let bytes = try store.bytes(of: name, limit: GenerationRecord.sizeLimit) else { return nil }
      guard let record = GenerationRecord(bytes) else {
        throw StoreError(
          .badData, "\(store.shown(name)) is not a record of a generation; remove it, and publish the index again")
      }
      return record
    }

    /// Returns the files that a generation names, without its manifest; nil if the manifest is gone.
    func files(of record: GenerationRecord) throws(StoreError) -> [IndexFiles.File]? {
      guard let (index, manifests) = try StoredManifests.open(record, in: store) else { return nil }
      do throws(PackError) {
        return try IndexFiles(of: index).all()
      } catch {
        if let failure = manifests.failure { throw failure }
        if case .index(.vanished) = error { return nil }
        throw StoreError(.badData, error.description)
      }
    }

    // MARK: Putting

    /// Finds out whether the store has create-if-absent: the store must refuse the second of two puts.
    func probe() throws(StoreError) {
      if isSingleWriter { return }
      let name = Self.probePrefix + Self.random()
      do throws(StoreError) {
        // If the answer to the first put was lost on the way, the store refuses the repeated request.
        _ = try store.put(name, Self.probeContent, ifAbsent: true)
        let isTaken = try store.put(name, Self.probeContent, ifAbsent: true)
        try store.remove(name)
        guard isTaken else { return }
        throw StoreError(.noConditions, "\(store.shown) is in a store that ignores If-None-Match")
      } catch {
        guard error.kind == .noConditions else { throw error }
        throw StoreError(
          .usage,
          error.message
            + "; two publications at once could lose one; if no other one ever runs, pass --single-writer")
      }
    }

    /// The beginning of the names of objects that a probe puts.
    static let probePrefix = "probe-"
    static let probeContent = Array("probe\n".utf8)

    private static func random() -> String {
      (0..<2).map { _ in
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
      }.joined()
    }

    /// Puts the files of a directory that the store lacks; their names must follow from their content.
    ///
    /// An object that exists stays, unless it is older than half the grace or has another size. Such an object is put
    /// again, so that no prune removes it before a generation names it.
    ///
    /// - Parameters:
    ///   - directory: The path of the directory on disk.
    ///   - names: The names of files there.
    /// - Throws: ``StoreError``; of the kind `badData` for a file whose name does not end with its SHA-256.
    /// - Complexity: One request for a missing file, two for a file that exists; 8 requests at a time. Memory holds 8
    ///   files, each twice.
    @discardableResult
    func upload(directory: String, names: [String]) throws(StoreError) -> Upload {
      try upload(names.map { LocalObject(name: $0, in: directory) })
    }

    /// Puts the objects that the store lacks.
    func upload(_ objects: [LocalObject]) throws(StoreError) -> Upload {
      guard let first = objects.first else { return Upload() }
      // After an interrupted attempt most objects exist: a request for the state costs less than sending the bytes.
      let looks: Bool
      if isSingleWriter { looks = true } else { looks = try store.state(of: first.name) != nil }
      let sum = Lock(Upload())
      try sideBySide(objects, bar, "uploading") { [self] (object) throws(StoreError) in
        let size = try put(object, looks: looks)
        sum.withLock {
          $0.objects += size == nil ? 0 : 1
          $0.kept += size == nil ? 1 : 0
          $0.bytes += size ?? 0
        }
      }
      return sum.withLock { $0 }
    }

    /// - Returns: The size of the object in bytes; nil if it existed.
    private func put(_ object: LocalObject, looks: Bool) throws(StoreError) -> Int? {
      var isThere = false
      if looks, let state = try store.state(of: object.name) {
        if isLasting(state, size: object.size) { return nil }
        isThere = true
      }
      let bytes = try object.read()
      if try store.put(object.name, bytes, ifAbsent: !isSingleWriter && !isThere) { return bytes.count }
      // Another writer may have put the object a moment ago.
      if let state = try store.state(of: object.name), isLasting(state, size: bytes.count) { return nil }
      _ = try store.put(object.name, bytes, ifAbsent: false)
      return bytes.count
    }

    /// Returns whether no prune removes an object within half the grace, by whichever clock prune goes.
    private func isLasting(_ state: ObjectStore.State, size: Int?) -> Bool {
      state.size == size && state.ages.map { $0.upperBound <= grace / 2 } ?? false
    }

    // MARK: The commit

    /// The result of a commit.
    enum Outcome: Equatable, Sendable {
      /// The commit made this generation.
      case committed(StoredGeneration)
      /// This generation existed, with the same manifest.
      case wasThere(StoredGeneration)

      var generation: StoredGeneration {
        switch self {
        case .committed(let generation), .wasThere(let generation): generation
        }
      }
    }

    /// Makes a manifest the newest generation.
    ///
    /// The commit uploads the files of the directory that the parent generation lacks. Then it checks the state of each
    /// object that the parent lacks, also of those that another process put. It puts the record of the generation if no
    /// record has this number. Last it updates the copy with the name `manifest`.
    ///
    /// - Parameters:
    ///   - directory: The path of a directory on disk with the files of the generation that the store may lack.
    ///   - manifest: All bytes of the manifest.
    ///   - names: The names of all files that the manifest and the manifest of the entries name.
    ///   - records: The number of records, for the record of the generation.
    ///   - shards: The number of shards, for the record of the generation.
    ///   - parent: The newest generation when the build began; nil if there was none.
    /// - Throws: ``StoreError``; of the kind `busy` if another generation came after the parent, or if an object is
    ///   gone or older than half the grace. Then nothing is committed.
    func commit(
      directory: String, manifest: [UInt8], names: [String], records: Int, shards: Int, parent: StoredGeneration?
    ) throws(StoreError) -> Outcome {
      let objects = names.map { LocalObject(name: $0, in: directory) }
      return try commit(objects, manifest: manifest, records: records, shards: shards, parent: parent).outcome
    }

    /// Commits as the other function does, with files that need not be in a directory.
    ///
    /// - Parameter objects: All files that the manifest and the manifest of the entries name.
    func commit(
      _ objects: [LocalObject], manifest: [UInt8], records: Int, shards: Int, parent: StoredGeneration?
    ) throws(StoreError) -> (upload: Upload, outcome: Outcome) {
      let record = try Self.record(manifest, records: records, shards: shards, parent: parent)
      let copy = LocalObject(name: record.manifestName, size: manifest.count) { manifest }
      if let parent, parent.record.digest == record.digest {
        let upload = try mend(parent, objects + [copy])
        try repairCopy(parent, manifest)
        return (upload, .wasThere(parent))
      }
      let lacking = try lacking(objects, of: parent)
      let upload = try upload(lacking.filter { $0.size != nil })
      // The copy is put last, because it names the other objects.
      _ = try self.upload([copy])
      try check(lacking + [copy])
      let outcome = try putRecord(StoredGeneration(number: (parent?.number ?? 0) + 1, record: record))
      try repairCopy(outcome.generation, manifest)
      return (upload, outcome)
    }

    /// Puts the missing objects of a generation again.
    private func mend(_ generation: StoredGeneration, _ objects: [LocalObject]) throws(StoreError) -> Upload {
      var missing = Dictionary(objects.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      try store.forEachPage(of: "") { (page) throws(StoreError) in
        for object in page {
          if let local = missing[object.name], local.size.map({ $0 == object.size }) ?? true {
            missing[object.name] = nil
          }
        }
        return !missing.isEmpty
      }
      let sum = try upload(missing.values.filter { $0.size != nil })
      if let name = missing.values.first(where: { $0.size == nil })?.name {
        throw StoreError(
          .badData, "\(store.shown(name)) of generation \(generation.number) is gone; build the index again")
      }
      return sum
    }

    private static func record(
      _ manifest: [UInt8], records: Int, shards: Int, parent: StoredGeneration?
    ) throws(StoreError) -> GenerationRecord {
      guard parent.map({ $0.number < .max }) ?? true else {
        throw StoreError(.badData, "generation \(UInt64.max) has the last number; publish to another prefix")
      }
      return GenerationRecord(
        digest: ManifestDigest(Digest.hexadecimal(Digest.sha256(manifest)))!, size: manifest.count,
        recordCount: records, shardCount: shards, parent: parent?.number)
    }

    /// Returns the objects that a generation lacks; all objects if its manifest is gone or damaged.
    private func lacking(_ objects: [LocalObject], of parent: StoredGeneration?) throws(StoreError) -> [LocalObject] {
      guard let parent else { return objects }
      do throws(StoreError) {
        let known = Set(try files(of: parent.record)?.map(\.name) ?? [])
        return objects.filter { !known.contains($0.name) }
      } catch {
        guard error.kind == .badData else { throw error }
        return objects
      }
    }

    /// Checks each object right before the commit of a record that names it: the object exists, has the known size, and
    /// stays for half the grace.
    ///
    /// - Complexity: One request for each object, 8 requests at a time.
    func check(_ objects: [LocalObject]) throws(StoreError) {
      try sideBySide(objects, bar, "checking") { [self] (object) throws(StoreError) in
        let shown = store.shown(object.name)
        guard let state = try store.state(of: object.name) else {
          throw StoreError(.busy, "\(shown) is gone, removed by another program; nothing was published; try again")
        }
        if let size = object.size, state.size != size {
          throw StoreError(
            .inputOutput,
            "\(shown) has \(state.size) bytes in the store, and \(size) were sent; nothing was published; try again"
          )
        }
        guard state.ages.map({ $0.upperBound <= grace / 2 }) ?? true else {
          throw StoreError(
            .busy,
            "\(shown) is older than half the grace by the store's clock or by this machine's, and may be removed; nothing "
              + "was published; look at both clocks, and build again")
        }
      }
      guard (clock_now() - began) / 1000 <= grace / 2 else {
        throw StoreError(
          .busy,
          "this took longer than half the grace, and a prune may remove its first objects; nothing was published; try again"
        )
      }
    }

    private func putRecord(_ made: StoredGeneration) throws(StoreError) -> Outcome {
      let name = GenerationRecord.name(made.number)
      if isSingleWriter {
        if try store.state(of: name) == nil {
          _ = try store.put(name, made.record.bytes, ifAbsent: false)
          return .committed(made)
        }
      } else if try store.put(name, made.record.bytes, ifAbsent: true) {
        return .committed(made)
      }
      // The record may be this one, if the answer to the first attempt was lost.
      guard let record = try record(of: made.number) else {
        throw StoreError(.busy, "another publication to \(store.shown) is under way; try again")
      }
      let there = StoredGeneration(number: made.number, record: record)
      if record == made.record { return .committed(there) }
      if record.digest == made.record.digest { return .wasThere(there) }
      throw StoreError(
        .busy,
        "another publication came first: generation \(made.number) in \(store.shown) has the manifest "
          + "\(record.digest.description.prefix(16)); if yours is still wanted, try again")
    }

    // MARK: The copy

    /// Updates the copy with the name `manifest`. The copy may lag, and is always a whole manifest of one generation.
    ///
    /// - Parameters:
    ///   - generation: The newest known generation.
    ///     - manifest: The manifest of the generation, if it is in memory.
    ///   - Returns: Whether the copy was another manifest.
    @discardableResult
    func repairCopy(_ generation: StoredGeneration, _ manifest: [UInt8]? = nil) throws(StoreError) -> Bool {
      var (generation, manifest) = (generation, manifest)
      var isChanged = false
      while true {
        if try !isCopied(generation.record) {
          let name = generation.record.manifestName
          if manifest == nil { manifest = try store.bytes(of: name, limit: generation.record.size) }
          guard let bytes = manifest else {
            throw StoreError(
              .badData, "\(store.shown(name)) of the newest generation is gone; publish the index again")
          }
          guard ManifestDigest(Digest.hexadecimal(Digest.sha256(bytes))) == generation.record.digest else {
            throw StoreError(.badData, "\(store.shown(name)) is damaged; publish the index again")
          }
          _ = try store.put("manifest", bytes, ifAbsent: false)
          isChanged = true
        }
        // Another publication may have come meanwhile, and this function may have overwritten its copy.
        guard let newest = try newest(), newest.number > generation.number else { return isChanged }
        (generation, manifest) = (newest, nil)
      }
    }

    private func isCopied(_ record: GenerationRecord) throws(StoreError) -> Bool {
      guard try store.state(of: "manifest")?.size == record.size,
        let bytes = try store.bytes(of: "manifest", limit: record.size)
      else { return false }
      return ManifestDigest(Digest.hexadecimal(Digest.sha256(bytes))) == record.digest
    }
  }
#endif
