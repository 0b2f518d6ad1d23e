#if Remote && CommandLineTool
  import CLibrary
  import Footprint
  import ShardBuilder
  import ShardedIndex
  import ShardedIndexRemote

  /// A prefix of a store as the target of ranges. A range is written in a directory on this machine and then put there.
  final class StoreTarget: RangeTarget {
    private let store: IndexStore
    private let url: String
    /// The newest generation when the merge began.
    private var parent: IndexStore.StoredGeneration?
    /// The directory with those of ranges. If the process is killed, the next one on this machine removes it.
    private var work: WorkDirectory?
    private var directoryCount = 0
    /// The names of the parent's files, if the merge changes the parent.
    private var parentNames: Set<String> = []
    /// The error of the store behind the last ``BuildError``.
    private(set) var failure: StoreError?
    /// The result of the commit.
    private(set) var outcome: IndexStore.Outcome?

    /// - Parameter url: `s3://bucket/prefix/`; a slash at the end may be left out.
    init(_ store: IndexStore, _ url: String) {
      (self.store, self.url) = (store, url.hasSuffix("/") ? url : url + "/")
    }

    var shown: String { store.store.shown }

    /// Ends the builder's work with an error of the store.
    private func asking<Value>(_ body: () throws(StoreError) -> Value) throws(BuildError) -> Value {
      do throws(StoreError) {
        return try body()
      } catch {
        failure = error
        throw .io(operation: "write to", path: shown, errno: EIO)
      }
    }

    private func workDirectory() throws(BuildError) -> WorkDirectory {
      if let work { return work }
      let made = try WorkDirectory(in: getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp", for: "range")
      work = made
      return made
    }

    func makeRangeDirectory() throws(BuildError) -> String {
      let work = try workDirectory()
      directoryCount += 1
      let directory = "\(work.path)/\(directoryCount)"
      guard mkdir(directory, 0o700) == 0 else {
        throw .io(operation: "create directory", path: directory, errno: errno)
      }
      return directory
    }

    func store(_ files: [String], manifest: String, from directory: String) throws(BuildError) {
      try asking { () throws(StoreError) in
        try store.upload(directory: directory, names: files)
        // The manifest is put last, because it names the other objects.
        _ = try store.upload([try LocalObject(manifest: manifest, in: directory)])
      }
      remove(directory)
    }

    func remove(_ directory: String) {
      if let name = directory.split(separator: "/").last { work?.remove(String(name)) }
    }

    func openRange(_ manifest: String) throws(BuildError) -> ShardedIndex {
      // The merge reads every byte of a range once.
      try open(manifest, of: url, RemoteOptions(fetch: .shards, cacheLimitBytes: 0))
    }

    /// Opens an index whose files may be read several times. A file comes once, and stays in this process's directory.
    private func openWhole(_ manifest: String, of url: String) throws(BuildError) -> ShardedIndex {
      var options = RemoteOptions(fetch: .shards, cacheDirectory: try workDirectory().path + "/cache")
      // A change reads most of a side file that it touches.
      options.wholeLimit = 64 << 20
      return try open(manifest, of: url, options)
    }

    private func open(
      _ manifest: String, of url: String, _ options: RemoteOptions
    ) throws(BuildError) -> ShardedIndex {
      do throws(IndexError) {
        return try ShardedIndex(remote: url, manifest: manifest, remote: options)
      } catch {
        throw .index(error)
      }
    }

    func wholeDirectory() throws(BuildError) -> String {
      parent = try asking { () throws(StoreError) in
        try store.probe()
        return try store.newest()
      }
      return try makeRangeDirectory()
    }

    /// Opens the index of a plan, which is a generation of the store at the URL.
    func open(_ url: String, _ plan: RangePlan) throws(BuildError) -> ShardedIndex {
      try openWhole(Publisher.manifestName(ofDigest: String(try plan.digestOfIndex().prefix(32))), of: url)
    }

    func checkParent(_ plan: RangePlan) throws(BuildError) {
      guard let over = plan.over else { return }
      try asking { [parent, store] () throws(StoreError) in
        let newest = if let parent { parent } else { try store.newest() }
        guard newest?.record.digest.description == over else {
          let place = store.store.shown
          throw StoreError(
            .busy, "the newest generation of \(place) is not the one that the plan was made over; make a new plan")
        }
      }
      guard parent != nil else { return }
      // Objects of a generation never change, so the merge does not compare them.
      parentNames = Set(try ShardBuilder.fileNames(of: openParent()))
    }

    /// Opens the generation that was the newest when ``wholeDirectory()`` was called.
    ///
    /// - Parameter url: The URL from which its files come; nil for that of the store.
    func openParent(from url: String? = nil) throws(BuildError) -> ShardedIndex {
      let parent = try asking { [parent, store] () throws(StoreError) in
        guard let parent else {
          let place = store.store.shown
          throw StoreError(.notFound, "no generation in \(place); publish one: shardq publish -i DIR \(place)")
        }
        return parent
      }
      let index = try openWhole(parent.record.manifestName, of: url ?? self.url)
      try BuildError.ofIndex { () throws(IndexError) in
        guard try index.generation.manifest.digest() == parent.record.digest else {
          throw .corrupt(
            path: store.store.shown(parent.record.manifestName),
            cause: .invalid(reason: "has another digest than its generation's record", offset: 0))
        }
      }
      return index
    }

    func wholeOpener(_ directory: String) -> (([UInt8]) throws(BuildError) -> ShardedIndex)? {
      { [self] (manifest) throws(BuildError) in
        let name = Publisher.manifestName(ofDigest: Digest.hexadecimal(Array(Digest.sha256(manifest).prefix(16))))
        try asking { () throws(StoreError) in
          try store.upload(directory: directory, names: LocalObject.names(in: directory))
          _ = try store.upload([LocalObject(name: name, size: manifest.count) { manifest }])
        }
        return try openWhole(name, of: url)
      }
    }

    func check(_ files: [NamedFile]) throws(BuildError) {
      let files = files.filter { !parentNames.contains($0.name.text) }
      try asking { [store] () throws(StoreError) in
        try sideBySide(files, store.bar, "comparing") { (file) throws(StoreError) in try store.compare(file) }
      }
    }

    func finish(_ directory: String) throws(BuildError) {
      let index: IndexFiles
      let (manifest, files): ([UInt8], [IndexFiles.File])
      do throws(PackError) {
        index = try IndexFiles(opening: directory)
        (manifest, files) = (try index.manifest(), try index.all())
      } catch {
        failure = StoreError(error)
        throw .io(operation: "read", path: directory, errno: EIO)
      }
      outcome = try asking { () throws(StoreError) in
        try store.commit(
          directory: directory, manifest: manifest, names: files.map(\.name), records: index.index.recordCount,
          shards: index.index.shardCount, parent: parent)
      }
      remove(directory)
    }
  }

  extension IndexStore {
    /// Throws if an object of a range has another size or digest than the manifest says, or is gone.
    fileprivate func compare(_ file: NamedFile) throws(StoreError) {
      let name = file.name.text
      guard let bytes = try store.bytes(of: name, limit: file.size) else {
        throw StoreError(.badData, "\(store.shown(name)) is gone; write its range again")
      }
      // A file of the right size is not put again, so it has to go first.
      guard bytes.count == file.size, Digest.sha256(bytes).starts(with: file.digest) else {
        throw StoreError(.badData, "\(store.shown(name)) is damaged; remove it, and write its range again")
      }
    }
  }

  extension LocalObject {
    /// The manifest of a directory under another name.
    init(manifest name: String, in directory: String) throws(StoreError) {
      do throws(BuildError) {
        let bytes = try IndexFiles.bytes(ofFileAt: directory + "/" + Publisher.manifestName)
        self.init(name: name, size: bytes.count) { bytes }
      } catch {
        throw StoreError(.inputOutput, error.description)
      }
    }

    /// The names of the files of an index in a directory, all but its manifest.
    static func names(in directory: String) -> [String] {
      guard let stream = opendir(directory) else { return [] }
      defer { closedir(stream) }
      var names: [String] = []
      while let entry = readdir(stream) {
        if let name = fileName(of: &entry.pointee), Publisher.isShardName(name) { names.append(name) }
      }
      return names
    }
  }
#endif
