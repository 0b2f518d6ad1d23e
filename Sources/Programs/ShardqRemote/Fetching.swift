#if Remote && CommandLineTool
  import CLibrary
  import QueryOutput
  import ShardBuilder
  import ShardedIndex
  import ShardedIndexRemote
  import ShardqCommands

  /// `shardq fetch`: the command copies the newest generation below a prefix into a directory.
  enum Fetching {
    /// The most bytes of a file that a manifest may list.
    private static let fileLimit = 1 << 30

    private struct Counts: Sendable {
      var files = 0
      var bytes = 0
    }

    static func run(_ request: StoreRequest) throws(StoreError) {
      let store = try IndexStore(request)
      // A prune may remove objects of a generation as soon as another generation is the newest.
      var last: UInt64?
      while true {
        guard let newest = try store.newest() else {
          throw StoreError(
            .notFound, "no generation in \(store.store.shown); publish one: shardq publish -i DIR \(store.store.shown)")
        }
        do throws(StoreError) {
          return try fetch(newest, request, store)
        } catch {
          guard error.kind == .gone, last != newest.number else { throw error }
          last = newest.number
        }
      }
    }

    private static func fetch(
      _ generation: IndexStore.StoredGeneration, _ request: StoreRequest, _ store: IndexStore
    ) throws(StoreError) {
      let record = generation.record
      guard let files = try store.files(of: record),
        let manifest = try store.store.bytes(of: record.manifestName, limit: record.size)
      else {
        throw StoreError(
          .gone,
          "the manifest of generation \(generation.number) in \(store.store.shown) is gone; publish the index again")
      }
      guard ManifestDigest(Digest.hexadecimal(Digest.sha256(manifest))) == record.digest else {
        throw StoreError(.badData, "\(store.store.shown(record.manifestName)) is damaged; publish the index again")
      }
      let receiver: IndexReceiver
      do throws(PackError) { receiver = try IndexReceiver(directory: request.directory) } catch {
        throw StoreError(error)
      }
      let counts = Lock(Counts())
      do throws(StoreError) {
        try sideBySide(files, store.bar, "fetching") { (file) throws(StoreError) in
          guard try fetch(file, of: generation, from: store.store, into: receiver) else { return }
          counts.withLock { $0 = Counts(files: $0.files + 1, bytes: $0.bytes + file.size) }
        }
      } catch {
        receiver.breakOff()
        throw error
      }
      do throws(PackError) { _ = try receiver.publish(manifest: manifest) } catch { throw StoreError(error) }
      report(request, store, generation, files.count, counts.withLock { $0 })
    }

    /// - Returns: Whether the directory lacked the file.
    private static func fetch(
      _ file: IndexFiles.File, of generation: IndexStore.StoredGeneration, from store: ObjectStore,
      into receiver: IndexReceiver
    ) throws(StoreError) -> Bool {
      do throws(PackError) {
        if try receiver.keeps(file) { return false }
      } catch {
        throw StoreError(error)
      }
      let shown = store.shown(file.name)
      guard file.size <= fileLimit else {
        throw StoreError(
          .badData, "\(shown): the manifest says \(file.size) bytes, over \(fileLimit); publish the index again")
      }
      guard let bytes = try store.bytes(of: file.name, limit: file.size) else {
        throw StoreError(
          .gone, "\(shown) of generation \(generation.number) is gone; publish the index again")
      }
      guard bytes.count == file.size, Digest.sha256(bytes).starts(with: file.digest) else {
        throw StoreError(.badData, "\(shown) is damaged; remove it, and publish the index again")
      }
      do throws(PackError) { try receiver.add(file, bytes) } catch { throw StoreError(error) }
      return true
    }

    private static func report(
      _ request: StoreRequest, _ store: IndexStore, _ generation: IndexStore.StoredGeneration, _ files: Int,
      _ counts: Counts
    ) {
      let counted = QueryRunner.counted
      Diagnostics.note(
        "\(counted(counts.files, "file", nil)) of \(QueryRunner.grouped(files)) fetched, "
          + "\(counted(counts.bytes, "byte", nil)); \(request.directory) is generation \(generation.number) of "
          + "\(store.store.shown); manifest \(generation.record.digest.description.prefix(16))")
      guard request.isJSON else { return }
      var report = Report(of: request.command.rawValue)
      report.add("index", .text(request.directory))
      report.add("url", .text(store.store.shown))
      report.add("generation", .number(Int(clamping: generation.number)))
      report.add("files", .number(files))
      report.add("files_fetched", .number(counts.files))
      report.add("bytes_fetched", .number(counts.bytes))
      report.add("manifest_sha256", .text(generation.record.digest.description))
      report.print(.json)
    }
  }
#endif
