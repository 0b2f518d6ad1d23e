#if Remote && CommandLineTool
  import Answers
  import CLibrary
  import QueryOutput
  import ShardBuilder
  import ShardedIndex
  import ShardedIndexRemote
  import ShardqCommands

  /// `shardq prune`: the command removes objects that no kept generation names and that are older than the grace.
  struct Pruning: ~Copyable {
    private let request: StoreRequest
    private let store: IndexStore
    private var output = Output()
    /// The names of the objects of generations that are not kept.
    private var named: Set<String> = []
    private var (objects, bytes) = (0, 0)
    private var listed = 0

    static func run(_ request: StoreRequest) throws(StoreError) {
      let store = try IndexStore(request)
      let generations = try store.generations()
      guard !generations.isEmpty else {
        throw StoreError(
          .notFound, "no generation in \(store.store.shown); nothing was removed; give the prefix of a published index"
        )
      }
      if !request.isDryRun, let newest = try store.newest() { try store.repairCopy(newest) }
      var pruning = Pruning(request: request, store: store)
      let kept = try pruning.kept(generations.suffix(request.kept).map(\.number))
      pruning.named = try pruning.named(generations.dropLast(request.kept).map(\.number))
      pruning.begin()
      // Records go first: a record must never name a removed object.
      try pruning.remove(
        generations.dropLast(request.kept).filter { $0.age.map { $0 >= store.grace } ?? false }
          .map { ObjectStore.Listed(name: GenerationRecord.name($0.number), size: 0, age: $0.age) })
      try store.store.forEachPage(of: "") { (page) throws(StoreError) in
        pruning.noteListed(page.count)
        try pruning.remove(
          page.filter { object in
            isOurs(object.name) && !kept.contains(object.name) && object.age.map { $0 >= store.grace } ?? false
          })
        return true
      }
      pruning.end()
    }

    private init(request: StoreRequest, store: IndexStore) { (self.request, self.store) = (request, store) }

    /// Returns whether a name is one that a build or a publication gives.
    static func isOurs(_ name: String) -> Bool {
      if Publisher.isShardName(name) || Publisher.isManifestName(name) { return true }
      let digits = name.utf8.dropFirst(IndexStore.probePrefix.utf8.count)
      return name.hasPrefix(IndexStore.probePrefix) && digits.count == 32
        && digits.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
    }

    /// Returns the names of all objects of the kept generations.
    private func kept(_ numbers: [UInt64]) throws(StoreError) -> Set<String> {
      var names: Set<String> = []
      for number in numbers {
        guard let record = try store.record(of: number) else { continue }
        guard let files = try store.files(of: record) else {
          guard number == numbers.last else {
            Diagnostics.note("the manifest of generation \(number) is gone; its files are not kept")
            continue
          }
          throw StoreError(
            .badData,
            "the manifest of generation \(number) in \(store.store.shown) is gone, so its files are unknown. Nothing "
              + "was removed; publish the index again")
        }
        names.insert(record.manifestName)
        for file in files { names.insert(file.name) }
      }
      return names
    }

    /// Returns the names of all objects of other generations, with their records, as far as these can be read.
    private func named(_ numbers: [UInt64]) throws(StoreError) -> Set<String> {
      var names: Set<String> = []
      for number in numbers {
        do throws(StoreError) {
          guard let record = try store.record(of: number) else { continue }
          names.formUnion([GenerationRecord.name(number), record.manifestName])
          for file in try store.files(of: record) ?? [] { names.insert(file.name) }
        } catch {
          guard error.kind == .badData else { throw error }
        }
      }
      return names
    }

    /// Returns whether a build or a publication put an object: a generation names it, or its content fits its name.
    private static func isOurs(
      _ object: ObjectStore.Listed, _ named: Set<String>, in store: IndexStore
    ) throws(StoreError) -> Bool {
      if named.contains(object.name) { return true }
      guard isOurs(object.name) else { return false }
      guard let bytes = try store.store.bytes(of: object.name, limit: object.size) else { return false }
      return object.name.hasPrefix(IndexStore.probePrefix)
        ? bytes == IndexStore.probeContent : OwnFile.hasContent(object.name, bytes)
    }

    /// Removes objects, unless another process put them again meanwhile, and prints their names.
    private mutating func remove(_ listed: [ObjectStore.Listed]) throws(StoreError) {
      let gone = Lock<[ObjectStore.Listed]>([])
      let (store, isDryRun, named) = (self.store, request.isDryRun, self.named)
      var failure: StoreError?
      do throws(StoreError) {
        try sideBySide(listed, store.bar, "removing", unit: "object") { (object) throws(StoreError) in
          guard try Self.isOurs(object, named, in: store) else { return }
          if !isDryRun {
            // One clock that is ahead must not make an object of a publication under way old.
            guard let age = try store.store.state(of: object.name)?.ages?.lowerBound, age >= store.grace else {
              return
            }
            try store.store.remove(object.name)
          }
          gone.withLock { $0.append(object) }
        }
      } catch {
        failure = error
      }
      for object in gone.withLock({ $0 }).sorted(by: { $0.name < $1.name }) {
        write(request.isJSON ? (objects == 0 ? "" : ",") + JSONText.string(object.name) : object.name + "\n")
        objects += 1
        bytes += object.size
      }
      if let failure { throw failure }
    }

    // MARK: Output

    /// Shows that the store has listed more objects.
    private mutating func noteListed(_ count: Int) {
      listed += count
      store.bar?.show(ProgressBar.Step("listing", listed, of: nil, unit: "object"))
    }

    private mutating func begin() {
      if request.isJSON { write("\(JSONText.schema)\"command\":\"prune\",\"removed\":[") }
    }

    private mutating func end() {
      store.bar?.clear()
      if request.isJSON {
        let url = JSONText.string(store.store.shown)
        write("],\"url\":\(url),\"objects\":\(objects),\"bytes\":\(bytes),\"dry_run\":\(request.isDryRun)}\n")
      }
      do throws(WriteError) { try output.flush() } catch { exit(Diagnostics.failed(error).rawValue) }
      let counted = QueryRunner.counted
      Diagnostics.note(
        "\(counted(objects, "object", nil)) \(request.isDryRun ? "would be removed" : "removed") from "
          + "\(store.store.shown), \(counted(bytes, "byte", nil))")
    }

    private mutating func write(_ text: String) {
      if !request.isJSON, request.isQuiet { return }
      do throws(WriteError) { try output.write(text) } catch { exit(Diagnostics.failed(error).rawValue) }
    }
  }
#endif
