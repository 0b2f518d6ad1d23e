#if Remote && CommandLineTool
  import CLibrary
  import ShardBuilder
  import ShardedIndex
  import ShardedIndexRemote
  import ShardqCommands

  /// An object for the store, with its bytes on this machine.
  struct LocalObject: Sendable {
    let name: String
    /// The size in bytes; nil for an object that is not on this machine.
    let size: Int?
    let read: @Sendable () throws(StoreError) -> [UInt8]

    init(name: String, size: Int?, read: @escaping @Sendable () throws(StoreError) -> [UInt8]) {
      (self.name, self.size, self.read) = (name, size, read)
    }

    /// Makes the object of a file in a directory, if the file exists.
    init(name: String, in directory: String) {
      var status = stat()
      let isThere = stat(directory + "/" + name, &status) == 0
      self.init(name: name, size: isThere ? Int(status.st_size) : nil) { () throws(StoreError) in
        try Self.read(name, in: directory)
      }
    }

    /// Reads a file whose name ends with the first digits of its SHA-256.
    private static func read(_ name: String, in directory: String) throws(StoreError) -> [UInt8] {
      let path = directory + "/" + name
      let bytes: [UInt8]
      do throws(BuildError) {
        bytes = try IndexFiles.bytes(ofFileAt: path)
      } catch {
        throw StoreError(.inputOutput, error.description)
      }
      let stem = name.hasSuffix(".zst") ? name.dropLast(4) : name[...]
      guard let last = stem.split(separator: "-").last, last.utf8.count >= 16,
        Digest.hexadecimal(Digest.sha256(bytes)).hasPrefix(last)
      else {
        throw StoreError(.badData, "\(path) is damaged: its SHA-256 differs from its name; build the index again")
      }
      return bytes
    }
  }

  /// Calls `body` with each item, on up to 8 threads. After an error no further item begins.
  ///
  /// - Parameters:
  ///   - bar: Shows the number of items that are done.
  ///   - step: The name of the work, for the bar.
  ///   - unit: The name of an item, for the bar.
  /// - Throws: The first error.
  func sideBySide<Item: Sendable>(
    _ items: [Item], _ bar: ProgressBar?, _ step: String, unit: String = "file",
    _ body: @escaping @Sendable (Item) throws(StoreError) -> Void
  ) throws(StoreError) {
    let failure = Lock<StoreError?>(nil)
    let done = Lock(0)
    defer { bar?.clear() }
    WorkerPool.forEach(items.count, threads: ObjectStore.width) { number in
      guard failure.withLock({ $0 }) == nil else { return }
      do throws(StoreError) {
        try body(items[number])
      } catch {
        failure.withLock { if $0 == nil { $0 = error } }
      }
      done.withLock {
        $0 += 1
        bar?.show(ProgressBar.Step(step, $0, of: items.count, unit: unit))
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
#endif
