#if CommandLineTool
  import ArgumentParser
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  import CSystem

  struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "stats",
      abstract: "Say what is in an index; loads no shard.",
      discussion: """
        EXAMPLES:
          shardq stats
          shardq stats -i places --format json | jq .records
        """)

    @OptionGroup var location: IndexLocation
    @OptionGroup var pin: IndexPin

    @Option(name: .customLong("format"), help: "text or json.")
    var format = ReportFormat.text

    func run() throws {
      let index = open(location, options: .init(expectedDigest: pin.expectedDigest))
      let manifest = index.generation.manifest
      let digest: ManifestDigest
      var sizes: [Int] = []
      var names: Set<String> = []
      var bytes = 0
      var diskBytes = 0
      let shards: [Manifest.Shard]
      let hasOverlayFile: Bool
      let ids: (repeated: Int, without: Int)?
      do throws(IndexError) {
        shards = try manifest.shards()
        digest = try index.manifestDigest()
        ids = try manifest.notesHead().flatMap { BuildNotesHead.idCounts($0) }
        hasOverlayFile = if index.generation.overlay == nil { try Overlay.isBlank(in: index.directory) } else { true }
      } catch {
        finish(QueryRunner.report(error))
      }
      for shard in shards {
        let size = shard.file.size
        sizes.append(size)
        let name = shard.fileName
        guard names.insert(name).inserted else { continue }
        bytes += size
        diskBytes += FileSize(of: index.directory.filePath(name)).disk
      }
      sizes.sort()
      let manifestSize = FileSize(of: index.directory.filePath(Manifest.fileName))
      let median = sizes.isEmpty ? 0 : sizes[sizes.count / 2]
      let small = sizes.count { $0 * 4 < median }
      var report = Report()
      report.add("index", .text(index.path))
      report.add("records", .number(index.recordCount))
      report.add("shards", .number(index.shardCount))
      let overlay = index.generation.overlay
      let overlaySize = hasOverlayFile ? FileSize(of: index.directory.filePath(Overlay.fileName)) : FileSize()
      report.add(
        "bytes", .number(bytes + manifestSize.bytes + overlaySize.bytes), note: "in all files of the index")
      report.add(
        "disk_bytes", .number(diskBytes + manifestSize.disk + overlaySize.disk), note: "that those files occupy")
      report.add("manifest_bytes", .number(manifestSize.bytes))
      report.add("manifest_sha256", .text(digest.description))
      report.add(
        "overlay_bytes", .number(overlaySize.bytes),
        note: overlay.map {
          "with \(QueryRunner.counted($0.added.count, "record")) added and "
            + "\(QueryRunner.grouped($0.removed.count)) removed beside the shards"
        })
      report.add(
        "manifest_memory_bytes", .number(manifest.size),
        note: "all of it; queries keep 256 KiB of its pages, or an eighth of the cache's limit")
      report.add("shard_bytes_min", .number(sizes.first ?? 0))
      report.add("shard_bytes_median", .number(median))
      report.add("shard_bytes_max", .number(sizes.last ?? 0))
      report.add("shard_limit_bytes", .number(manifest.shardLimit), note: "before compression")
      report.add("part_bytes", .number(manifest.partSize), note: "before compression, about")
      report.add(
        "shards_under_quarter_median", .number(small),
        note: sizes.isEmpty ? nil : "\(small * 100 / sizes.count) % of the shards")
      report.add("key", .text(index.keyTemplate))
      if let id = manifest.setting("id") { report.add("id", .text(id)) }
      if let ids {
        report.add("records_without_id", .number(ids.without), note: "that no update can replace or remove")
        report.add(
          "repeated_ids", .number(ids.repeated), note: "records that share their id with another, less one each")
      }
      report.add("fields", .list(index.fieldNames))
      if let latitude = index.generation.schema.latitude, let longitude = index.generation.schema.longitude {
        report.add("coordinates", .list([index.fieldNames[latitude], index.fieldNames[longitude]]))
      }
      report.add("format_version", .number(manifest.version))
      report.add("fold_version", .number(Int(manifest.foldVersion)))
      report.print(format)
    }
  }

  /// What a file holds and what it occupies, in bytes; 0 if it is not there. Ends the process if that is not known.
  struct FileSize {
    var bytes = 0
    var disk = 0

    init() {}

    init(of path: String) {
      var status = stat()
      guard lstat(path, &status) == 0 else {
        if errno == ENOENT { return }
        finish(QueryRunner.report(.io(operation: "examine", path: path, errno: errno)))
      }
      bytes = Int(status.st_size)
      disk = Int(status.st_blocks) * 512
    }
  }

  /// Opens the index or ends the process with what is wrong with it.
  func open(_ location: IndexLocation, options: ShardedIndex.Options = .init()) -> ShardedIndex {
    do throws(IndexError) {
      return try ShardedIndex(opening: QueryRunner.indexPath(location.index), options: options)
    } catch {
      finish(QueryRunner.report(error))
    }
  }

  /// Names and values, printed for people or as one JSON object.
  struct Report {
    enum Value {
      case number(Int)
      case text(String)
      case list([String])
      /// JSON as it is; people see the note.
      case raw(String)
    }

    private var lines: [(name: String, value: Value, note: String?)] = []

    mutating func add(_ name: String, _ value: Value, note: String? = nil) {
      lines.append((name, value, note))
    }

    /// Prints it and ends the process where that fails.
    func print(_ format: ReportFormat, then more: String = "") {
      var text = ""
      switch format {
      case .text:
        let width = lines.map(\.name.utf8.count).max() ?? 0
        for (name, value, note) in lines {
          var line = name.split(separator: "_").joined(separator: " ")
          line += String(repeating: " ", count: width - name.utf8.count + 2)
          switch value {
          case .number(let number): line += QueryRunner.grouped(number) + (note.map { " " + $0 } ?? "")
          case .text(let text): line += printable(text) + (note.map { " " + $0 } ?? "")
          case .list(let names): line += names.map(printable).joined(separator: ", ")
          case .raw: line += note ?? ""
          }
          while line.hasSuffix(" ") { line.removeLast() }
          text += line + "\n"
        }
        text += more
      case .json:
        text = "{"
        for (number, line) in lines.enumerated() {
          text += (number > 0 ? "," : "") + JSONText.string(line.name) + ":"
          switch line.value {
          case .number(let number): text += String(number)
          case .text(let value): text += JSONText.string(value)
          case .list(let values): text += "[" + values.map(JSONText.string).joined(separator: ",") + "]"
          case .raw(let json): text += json
          }
        }
        text += "}\n"
      }
      var output = Output()
      do throws(WriteError) {
        try output.write(text)
        try output.flush()
      } catch {
        finish(Diagnostics.failed(error))
      }
    }
  }

  /// Text without characters that a terminal obeys.
  func printable(_ text: String) -> String {
    var line: [UInt8] = []
    Array(text.utf8).withUnsafeBufferPointer { _ = ControlText.append($0, to: &line) }
    return String(decoding: line, as: UTF8.self)
  }
#endif
