#if Remote
  import CCurl
  import CLibrary
  import ShardBuilder
  import ShardedIndex
  import ShardedIndexRemote

  /// The generations of an index below a prefix of a store. Source: docs/remote.md, section "The layout of a prefix".
  ///
  /// Any number of processes may publish below the same prefix. A generation is there once its record is, which the store
  /// takes from one of them alone; all that it names is there before.
  final class IndexStore: Sendable {
    /// A generation that is there.
    struct Generation: Equatable, Sendable {
      let number: UInt64
      let record: GenerationRecord
    }

    /// The counts of an upload.
    struct Upload: Equatable, Sendable {
      /// Objects that the store got.
      var objects = 0
      /// The bytes of these.
      var bytes = 0
      /// Objects that were there.
      var kept = 0
    }

    let store: ObjectStore
    /// Seconds that an object which no generation names stays.
    let grace: Int64
    /// Whether the user says that no other process publishes below the prefix; then commits use no create-if-absent.
    let isSingleWriter: Bool
    private let began = clock_now()

    /// The most records of generations that are looked through.
    private static let generationLimit = 1_000_000

    /// - Parameters:
    ///   - url: `s3://bucket/prefix/`; a slash at the end may be left out.
    ///   - grace: In seconds.
    init(
      _ url: String, grace: Int, isSingleWriter: Bool = false, limits: ObjectStore.Limits = .init()
    ) throws(StoreError) {
      store = try ObjectStore(url.hasSuffix("/") ? url : url + "/", limits: limits)
      self.grace = Int64(grace)
      self.isSingleWriter = isSingleWriter
    }

    // MARK: Generations

    /// Returns the numbers of the generations whose records are there, in order, with the ages of the records.
    func generations() throws(StoreError) -> [(number: UInt64, age: Int64?)] {
      var found: [(UInt64, Int64?)] = []
      var count = 0
      try store.forEachPage(of: GenerationRecord.folder) { (page) throws(StoreError) in
        count += page.count
        guard count <= Self.generationLimit else {
          throw StoreError(
            .badData,
            "\(store.shown(GenerationRecord.folder)) has over \(Self.generationLimit) objects; remove old ones")
        }
        for object in page {
          if let number = GenerationRecord.number(ofName: object.name) { found.append((number, object.age)) }
        }
        return true
      }
      return found
    }

    /// Returns the newest generation; nil if there is none.
    func newest() throws(StoreError) -> Generation? {
      // A prune may remove the record of one that was the newest when the list was made.
      for _ in 0..<3 {
        guard let number = try generations().last?.number else { return nil }
        if let record = try record(of: number) { return Generation(number: number, record: record) }
      }
      throw StoreError(.busy, "the records of generations in \(store.shown) come and go; try again")
    }

    /// Returns the record of a generation; nil if it is gone.
    func record(of number: UInt64) throws(StoreError) -> GenerationRecord? {
      let name = GenerationRecord.name(number)
      guard let bytes = try store.bytes(of: name, limit: GenerationRecord.sizeLimit) else { return nil }
      guard let record = GenerationRecord(bytes) else {
        throw StoreError(
          .badData, "\(store.shown(name)) is no record of a generation: remove it, and publish the index again")
      }
      return record
    }

    /// Returns the files that a generation names, without its manifest; nil if that is gone.
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

    /// Finds out whether the store has create-if-absent: of two puts it must refuse the second.
    func probe() throws(StoreError) {
      if isSingleWriter { return }
      let name = Self.probePrefix + Self.random()
      do throws(StoreError) {
        // A first one whose answer was lost on the way is refused when it is made again.
        _ = try store.put(name, Array("probe\n".utf8), ifAbsent: true)
        let isTaken = try store.put(name, Array("probe\n".utf8), ifAbsent: true)
        try store.remove(name)
        guard isTaken else { return }
        throw StoreError(.noConditions, "\(store.shown) is in a store that ignores If-None-Match")
      } catch {
        guard error.kind == .noConditions else { throw error }
        throw StoreError(
          .usage,
          error.message
            + ": two publications at a time could lose one. Where no other ever runs, say so: --single-writer")
      }
    }

    /// The beginning of the names of objects that a probe puts.
    static let probePrefix = "probe-"

    private static func random() -> String {
      (0..<2).map { _ in
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
      }.joined()
    }

    /// Puts files of a directory in place that the store lacks; their names must follow from their content.
    ///
    /// An object that is there stays, unless it is older than half the grace or of another size: then it is put again,
    /// so that no prune removes it before a generation names it.
    ///
    /// - Parameters:
    ///   - directory: The path on disk.
    ///   - names: Names of files there.
    /// - Throws: ``StoreError``; of the kind `badData` for a file whose SHA-256 its name does not end with.
    /// - Complexity: One request a file, of which 8 are under way; two where it is there. Memory holds 8 files.
    @discardableResult
    func upload(directory: String, names: [String]) throws(StoreError) -> Upload {
      try upload(names.map { LocalObject(name: $0, in: directory) })
    }

    /// Puts objects in place that the store lacks.
    func upload(_ objects: [LocalObject]) throws(StoreError) -> Upload {
      guard let first = objects.first else { return Upload() }
      // Where an attempt was broken off, most are there: to look is less than to send them.
      let looks: Bool
      if isSingleWriter { looks = true } else { looks = try store.state(of: first.name) != nil }
      let sum = Lock(Upload())
      try sideBySide(objects) { [self] (object) throws(StoreError) in
        let size = try put(object, looks: looks)
        sum.withLock {
          $0.objects += size == nil ? 0 : 1
          $0.kept += size == nil ? 1 : 0
          $0.bytes += size ?? 0
        }
      }
      return sum.withLock { $0 }
    }

    /// - Returns: The size of the object in bytes; nil if it was there.
    private func put(_ object: LocalObject, looks: Bool) throws(StoreError) -> Int? {
      var isThere = false
      if looks, let state = try store.state(of: object.name) {
        if isLasting(state, size: object.size) { return nil }
        isThere = true
      }
      let bytes = try object.read()
      if try store.put(object.name, bytes, ifAbsent: !isSingleWriter && !isThere) { return bytes.count }
      // Another writer may have put it a moment ago.
      if let state = try store.state(of: object.name), isLasting(state, size: bytes.count) { return nil }
      _ = try store.put(object.name, bytes, ifAbsent: false)
      return bytes.count
    }

    /// Whether no prune takes an object away within half the grace.
    private func isLasting(_ state: ObjectStore.State, size: Int?) -> Bool {
      state.size == size && state.age.map { $0 <= grace / 2 } ?? false
    }

    // MARK: The commit

    /// The end of a commit.
    enum Outcome: Equatable, Sendable {
      /// The generation of this number is new.
      case committed(Generation)
      /// The generation of this number has the same manifest.
      case wasThere(Generation)

      var generation: Generation {
        switch self {
        case .committed(let generation), .wasThere(let generation): generation
        }
      }
    }

    /// Makes a manifest the newest generation.
    ///
    /// Files of the directory that the parent generation lacks are uploaded. Then each object that the parent lacks is
    /// looked at, whoever has put it, and the record of the generation is put if there is none of its number. Last the
    /// copy under the name `manifest` is brought up to date.
    ///
    /// - Parameters:
    ///   - directory: The path on disk where files of the generation may be that the store lacks.
    ///   - manifest: All bytes of the manifest.
    ///   - names: The names of all files that the manifest and the manifest of the entries name.
    ///   - records: The number of records, for the record of the generation.
    ///   - shards: The number of shards, likewise.
    ///   - parent: The generation before, as it was when the build began; nil if there was none.
    /// - Throws: ``StoreError``; of the kind `busy` where another generation came after the parent, or an object is gone
    ///   or older than half the grace. Then nothing is committed.
    func commit(
      directory: String, manifest: [UInt8], names: [String], records: Int, shards: Int, parent: Generation?
    ) throws(StoreError) -> Outcome {
      let objects = names.map { LocalObject(name: $0, in: directory) }
      return try commit(objects, manifest: manifest, records: records, shards: shards, parent: parent).outcome
    }

    /// The same where files need not be in a directory.
    ///
    /// - Parameter objects: All files that the manifest and the manifest of the entries name.
    func commit(
      _ objects: [LocalObject], manifest: [UInt8], records: Int, shards: Int, parent: Generation?
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
      // After all that it names.
      _ = try self.upload([copy])
      try check(lacking + [copy])
      let outcome = try putRecord(Generation(number: (parent?.number ?? 0) + 1, record: record))
      try repairCopy(outcome.generation, manifest)
      return (upload, outcome)
    }

    /// Puts what is gone of a generation in place again.
    private func mend(_ generation: Generation, _ objects: [LocalObject]) throws(StoreError) -> Upload {
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
          .badData, "\(store.shown(name)) is gone, and generation \(generation.number) names it: build it again")
      }
      return sum
    }

    private static func record(
      _ manifest: [UInt8], records: Int, shards: Int, parent: Generation?
    ) throws(StoreError) -> GenerationRecord {
      guard parent.map({ $0.number < .max }) ?? true else {
        throw StoreError(.badData, "there is no number above that of generation \(UInt64.max)")
      }
      return GenerationRecord(
        digest: ManifestDigest(Digest.hexadecimal(Digest.sha256(manifest)))!, size: manifest.count,
        recordCount: records, shardCount: shards, parent: parent?.number)
    }

    /// Returns the objects that a generation lacks; all of them where its manifest is gone or damaged.
    private func lacking(_ objects: [LocalObject], of parent: Generation?) throws(StoreError) -> [LocalObject] {
      guard let parent else { return objects }
      do throws(StoreError) {
        let known = Set(try files(of: parent.record)?.map(\.name) ?? [])
        return objects.filter { !known.contains($0.name) }
      } catch {
        guard error.kind == .badData else { throw error }
        return objects
      }
    }

    /// Looks at each object, as right before a commit that names them: that it is there, has the size that is known of
    /// it, and stays for half the grace.
    ///
    /// - Complexity: One request an object, of which 8 are under way.
    func check(_ objects: [LocalObject]) throws(StoreError) {
      try sideBySide(objects) { [self] (object) throws(StoreError) in
        let shown = store.shown(object.name)
        guard let state = try store.state(of: object.name) else {
          throw StoreError(.busy, "\(shown) is gone: another program removed it. Nothing was published; try again")
        }
        if let size = object.size, state.size != size {
          throw StoreError(
            .inputOutput, "\(shown) has \(state.size) bytes in the store where \(size) were sent. Nothing was published"
          )
        }
        guard state.age.map({ $0 <= grace / 2 }) ?? true else {
          throw StoreError(
            .busy, "\(shown) is older than half the grace, and may be removed. Nothing was published; build again")
        }
      }
      guard (clock_now() - began) / 1000 <= grace / 2 else {
        throw StoreError(
          .busy,
          "this took longer than half the grace, so that its first objects may be removed. Nothing was published; try again"
        )
      }
    }

    private func putRecord(_ made: Generation) throws(StoreError) -> Outcome {
      let name = GenerationRecord.name(made.number)
      if isSingleWriter {
        if try store.state(of: name) == nil {
          _ = try store.put(name, made.record.bytes, ifAbsent: false)
          return .committed(made)
        }
      } else if try store.put(name, made.record.bytes, ifAbsent: true) {
        return .committed(made)
      }
      // It may be this one, where the answer to the first attempt was lost.
      guard let record = try record(of: made.number) else {
        throw StoreError(.busy, "another publication to \(store.shown) is under way; try again")
      }
      let there = Generation(number: made.number, record: record)
      if record == made.record { return .committed(there) }
      if record.digest == made.record.digest { return .wasThere(there) }
      throw StoreError(
        .busy,
        "another publication came first: generation \(made.number) in \(store.shown) is the manifest "
          + "\(record.digest.description.prefix(16)). Look whether yours is still wanted, and try again")
    }

    // MARK: The copy

    /// Brings the copy under the name `manifest` up to date. It may lag, and never mixes.
    ///
    /// - Parameters:
    ///   - generation: The newest one, as far as is known.
    ///   - manifest: Its manifest, if that is in memory.
    /// - Returns: Whether the copy was another.
    @discardableResult
    func repairCopy(_ generation: Generation, _ manifest: [UInt8]? = nil) throws(StoreError) -> Bool {
      var (generation, manifest) = (generation, manifest)
      var isChanged = false
      while true {
        if try !isCopied(generation.record) {
          let name = generation.record.manifestName
          if manifest == nil { manifest = try store.bytes(of: name, limit: generation.record.size) }
          guard let bytes = manifest else {
            throw StoreError(
              .badData, "\(store.shown(name)) is gone, and its generation names it: publish the index again")
          }
          guard ManifestDigest(Digest.hexadecimal(Digest.sha256(bytes))) == generation.record.digest else {
            throw StoreError(.badData, "\(store.shown(name)) is not what its generation says: publish the index again")
          }
          _ = try store.put("manifest", bytes, ifAbsent: false)
          isChanged = true
        }
        // Another publication may have come meanwhile, and its copy been overwritten.
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
