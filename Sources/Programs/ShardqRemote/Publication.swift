#if Remote && CommandLineTool
  import CLibrary
  import QueryOutput
  import ShardBuilder
  import ShardedIndex
  import ShardedIndexRemote
  import ShardqCommands

  /// `shardq publish`: the command makes an index on disk the newest generation below a prefix.
  enum Publication {
    static func run(_ request: StoreRequest) throws(StoreError) {
      let index: IndexFiles
      let manifest: [UInt8]
      let files: [IndexFiles.File]
      do throws(PackError) {
        index = try IndexFiles(opening: request.directory)
        (manifest, files) = (try index.manifest(), try index.all())
      } catch {
        throw StoreError(error)
      }
      let store = try IndexStore(request)
      try store.probe()
      let parent = try store.newest()
      let objects = files.map { file in
        LocalObject(name: file.name, size: file.size) { () throws(StoreError) in
          do throws(PackError) { return try index.bytes(of: file) } catch { throw StoreError(error) }
        }
      }
      let (upload, outcome) = try store.commit(
        objects, manifest: manifest, records: index.index.recordCount, shards: index.index.shardCount, parent: parent)
      report(request, store, files.count, upload, outcome)
    }

    private static func report(
      _ request: StoreRequest, _ store: IndexStore, _ files: Int, _ upload: IndexStore.Upload,
      _ outcome: IndexStore.Outcome
    ) {
      let generation = outcome.generation
      let isNew = if case .committed = outcome { true } else { false }
      let counted = QueryRunner.counted
      Diagnostics.note(
        "\(counted(upload.objects, "file", nil)) of \(QueryRunner.grouped(files)) uploaded, "
          + "\(counted(upload.bytes, "byte", nil)); "
          + (isNew ? "generation \(generation.number) of" : "generation \(generation.number) was there in")
          + " \(store.store.shown); manifest \(generation.record.digest.description.prefix(16))")
      guard request.isJSON else { return }
      var report = Report(of: request.command.rawValue)
      report.add("index", .text(request.directory))
      report.add("url", .text(store.store.shown))
      report.add("generation", .number(Int(clamping: generation.number)))
      report.add("unchanged", .flag(!isNew))
      report.add("files", .number(files))
      report.add("files_uploaded", .number(upload.objects))
      report.add("bytes_uploaded", .number(upload.bytes))
      report.add("manifest_sha256", .text(generation.record.digest.description))
      report.print(.json)
    }
  }
#endif
