#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  import CLibrary

  struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "stats",
      abstract: "Print the size, the fields and the settings of an index.",
      usage: "shardq stats [<options>]",
      discussion: """
        EXAMPLES:
          shardq stats
          shardq stats -i places --format json | jq .records

        DOCUMENTATION:
          man shardq-stats, docs/command.md, docs/format.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation
    @OptionGroup(title: "Index") var pin: IndexPin

    @OptionGroup(title: "Output") var options: ReportOptions

    func run() throws {
      let index = open(location, options: .init(expectedDigest: pin.expectedDigest))
      do throws(IndexError) {
        var report = Report()
        report.add("index", .text(index.path))
        report.add("records", .number(index.recordCount))
        report.add("shards", .number(index.shardCount))
        let shards = try SizeSummary(of: index)
        try Self.addFiles(of: index, shards, to: &report)
        Self.addSizes(of: index.generation.manifest, shards, to: &report)
        let features = try Self.features(of: index)
        if !features.isEmpty {
          report.add("features", .raw("{" + features.map(\.json).joined(separator: ",") + "}"))
        }
        try Self.addRecords(of: index, to: &report)
        try Self.addRows(of: index, shards, features, to: &report)
        report.print(options.format)
      } catch {
        finish(QueryRunner.report(error))
      }
    }

    /// The sizes of an index's shards, and of all files but the manifest and the overlay.
    private struct SizeSummary {
      /// The size of each shard, smallest first; a file that is two shards counts twice.
      var sorted: [Int] = []
      /// The bytes in all files, and those that the files occupy.
      var files = FileSize()
      /// The same of the entries' files, their manifest included.
      var entries = FileSize()

      init(of index: ShardedIndex) throws(IndexError) {
        var names: Set<String> = []
        for shard in try index.generation.manifest.shards() {
          sorted.append(shard.file.size)
          guard names.insert(shard.fileName).inserted else { continue }
          files.bytes += shard.file.size
          files.disk += FileSize(of: shard.fileName, in: index).disk
        }
        for side in try index.generation.manifest.sidePages() where names.insert(side.fileName.text).inserted {
          files.bytes += side.fileSize
          files.disk += FileSize(of: side.fileName.text, in: index).disk
        }
        sorted.sort()
        guard let entries = try ShardedIndex(entriesOf: index) else { return }
        let own = try SizeSummary(of: entries).files
        let manifest = FileSize(ofManifestOf: entries)
        self.entries = FileSize(bytes: own.bytes + manifest.bytes, disk: own.disk + manifest.disk)
      }

      var median: Int { sorted.isEmpty ? 0 : sorted[sorted.count / 2] }
    }

    private static func addFiles(
      of index: ShardedIndex, _ shards: SizeSummary, to report: inout Report
    ) throws(IndexError) {
      let manifest = FileSize(ofManifestOf: index)
      let hasOverlay = index.generation.overlay != nil
      let overlay = hasOverlay ? FileSize(of: index.directory.filePath(Overlay.fileName)) : FileSize()
      report.add(
        "bytes", .number(shards.files.bytes + shards.entries.bytes + manifest.bytes + overlay.bytes))
      report.add(
        "disk_bytes", .number(shards.files.disk + shards.entries.disk + manifest.disk + overlay.disk))
      report.add("manifest_bytes", .number(manifest.bytes))
      report.add("manifest_sha256", .text(try index.manifestDigest().description))
      report.add(
        "overlay_bytes", .number(overlay.bytes))
    }

    private static func addSizes(of manifest: ManifestReader, _ shards: SizeSummary, to report: inout Report) {
      report.add(
        "manifest_memory_bytes", .number(manifest.size))
      report.add("shard_bytes_min", .number(shards.sorted.first ?? 0))
      report.add("shard_bytes_median", .number(shards.median))
      report.add("shard_bytes_max", .number(shards.sorted.last ?? 0))
      report.add("shard_limit_bytes", .number(manifest.shardLimit))
      report.add("part_bytes", .number(manifest.partSize))
      let small = shards.sorted.count { $0 * 4 < shards.median }
      report.add(
        "shards_under_quarter_median", .number(small))
    }

    /// Returns the index's features and the bytes that they take; none of an index without features.
    private static func features(of index: ShardedIndex) throws(IndexError) -> [(json: String, note: String)] {
      let manifest = index.generation.manifest
      return try [
        ranks(of: manifest), FilterReport.filters(of: manifest), FilterReport.sketches(of: index), entries(of: index),
      ].compactMap { $0 }
    }

    /// Adds the lines that people see.
    private static func addRows(
      of index: ShardedIndex, _ shards: SizeSummary, _ features: [(json: String, note: String)], to report: inout Report
    ) throws(IndexError) {
      let (number, counted) = (QueryRunner.grouped, QueryRunner.counted)
      let manifest = index.generation.manifest
      let own = FileSize(ofManifestOf: index)
      let overlay =
        index.generation.overlay == nil ? FileSize() : FileSize(of: index.directory.filePath(Overlay.fileName))
      let bytes = shards.files.bytes + shards.entries.bytes + own.bytes + overlay.bytes
      let disk = shards.files.disk + shards.entries.disk + own.disk + overlay.disk
      report.addRow("index", printable(index.path))
      report.addRow("records", number(index.recordCount))
      report.addRow("size", "\(counted(bytes, "byte", nil)), \(number(disk)) on disk")
      report.addRow("manifest", "\(counted(own.bytes, "byte", nil)), \(number(manifest.size)) unpacked")
      report.addRow("sha256", try index.manifestDigest().description)
      if let overlay = index.generation.overlay {
        report.addRow(
          "overlay",
          "\(counted(overlay.size, "byte", nil)): \(counted(overlay.added.count, "record", nil)) added, "
            + "\(number(overlay.removed.count)) removed")
      }
      report.addRow("shards", "\(number(index.shardCount)), of \(size(manifest.shardLimit)) before compression at most")
      if let least = shards.sorted.first, let most = shards.sorted.last {
        let range = least < most ? number(least) + " to " : ""
        let median = least < most ? ", median " + number(shards.median) : ""
        report.addRow("shard", range + counted(most, "byte", nil) + median)
      }
      report.addRow("part", "about \(counted(manifest.partSize, "byte", nil)) before compression")
      for feature in features {
        for note in feature.note.split(separator: "; ") {
          let parts = note.split(separator: ": ", maxSplits: 1)
          report.addRow(String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
      }
      let skipsEmptyKeys = IndexSettings(of: manifest.root, hasTables: false).skipsEmptyKeys
      report.addRow(
        "key", printable(index.keyTemplate) + (skipsEmptyKeys ? ": records without text in it are left out" : ""))
      if let id = manifest.setting("id") { report.addRow("id", try printable(id) + idNote(of: manifest)) }
      report.addRow("fields", index.fieldNames.map(printable).joined(separator: ", "))
      if let latitude = index.generation.schema.latitude, let longitude = index.generation.schema.longitude {
        let names = latitude == longitude ? [latitude] : [latitude, longitude]
        report.addRow("coordinates", names.map { printable(index.fieldNames[$0]) }.joined(separator: ", "))
      }
      report.addRow("format", "\(Manifest.version), fold \(manifest.foldVersion)")
    }

    /// Returns the remark on records that updates cannot tell apart; empty where there are none.
    private static func idNote(of manifest: ManifestReader) throws(IndexError) -> String {
      guard let ids = try manifest.notesHead().flatMap({ BuildNotes.idCounts($0) }), ids.without + ids.repeated > 0
      else { return "" }
      return ": " + QueryRunner.counted(ids.without, "record") + " without, " + QueryRunner.grouped(ids.repeated)
        + " repeated"
    }

    private static func ranks(of manifest: ManifestReader) -> (json: String, note: String)? {
      guard manifest.hasRanks else { return nil }
      let (bytes, weight) = (manifest.ranksSize, manifest.setting("weight"))
      let scale = manifest.setting("weight-scale")
      var json = "\"ranks\":{\"bytes\":\(bytes)"
      if let weight { json += ",\"weight\":" + JSONText.string(weight) }
      if let scale { json += ",\"weight_scale\":" + JSONText.string(scale) }
      if let source = manifest.setting("weights") { json += ",\"weights\":" + JSONText.string(source) }
      let rule = weight.map { ", by " + printable($0) + (scale.map { " times " + printable($0) } ?? "") }
      return (json + "}", "ranks: \(size(bytes))" + (rule ?? ""))
    }

    private static func entries(of index: ShardedIndex) throws(IndexError) -> (json: String, note: String)? {
      guard let entries = try ShardedIndex(entriesOf: index) else { return nil }
      let manifest = index.generation.manifest
      let bytes = try SizeSummary(of: entries).files.bytes + entries.generation.manifest.fileSize
      var json = "\"entries\":{\"bytes\":\(bytes),\"entries\":\(entries.recordCount),\"shards\":\(entries.shardCount)"
      var kinds: [String] = []
      if let words = manifest.setting("words") {
        json += ",\"words\":" + JSONText.string(words)
        kinds.append("words (\(printable(words)))")
      }
      if let alias = manifest.setting("alias").map(IndexSettings.list) {
        json += ",\"alias\":[" + alias.map { JSONText.string($0) }.joined(separator: ",") + "]"
        kinds.append("other names (\(alias.map { printable($0) }.joined(separator: ", ")))")
      }
      if let fields = manifest.setting("search-field").map(IndexSettings.list) {
        json += ",\"searchFields\":[" + fields.map { JSONText.string($0) }.joined(separator: ",") + "]"
        kinds.append("words of fields (\(fields.map { printable($0) }.joined(separator: ", ")))")
      }
      let count = QueryRunner.counted(entries.recordCount, "entry", "entries")
      return (json + "}", "entries: \(size(bytes)), \(count) of " + kinds.joined(separator: " and "))
    }

    static func size(_ bytes: Int) -> String {
      bytes < 1024 ? "\(bytes) bytes" : QueryRunner.grouped((bytes + 512) >> 10) + " KiB"
    }

    private static func addRecords(of index: ShardedIndex, to report: inout Report) throws(IndexError) {
      let manifest = index.generation.manifest
      report.add("key", .text(index.keyTemplate))
      report.add("skips_empty_keys", .flag(IndexSettings(of: manifest.root, hasTables: false).skipsEmptyKeys))
      if let id = manifest.setting("id") { report.add("id", .text(id)) }
      if let ids = try manifest.notesHead().flatMap({ BuildNotes.idCounts($0) }) {
        report.add("records_without_id", .number(ids.without))
        report.add("repeated_ids", .number(ids.repeated))
      }
      report.add("fields", .list(index.fieldNames))
      if let latitude = index.generation.schema.latitude, let longitude = index.generation.schema.longitude {
        report.add("coordinates", .list([index.fieldNames[latitude], index.fieldNames[longitude]]))
      }
      report.add("format_version", .number(Manifest.version))
      report.add("fold_version", .number(Int(manifest.foldVersion)))
    }
  }

  /// The bytes in a file and the bytes that it occupies on disk, both 0 without the file. Ends the process if they
  /// cannot be known.
  struct FileSize {
    var bytes = 0
    var disk = 0

    init(bytes: Int = 0, disk: Int = 0) { (self.bytes, self.disk) = (bytes, disk) }

    /// The size of a file of an index; 0 in an archive.
    init(of name: String, in index: ShardedIndex) {
      self = index.directory.isArchive ? FileSize() : FileSize(of: index.directory.filePath(name))
    }

    /// The size of an index's manifest; with all that an archive occupies, where it is in one.
    init(ofManifestOf index: ShardedIndex) {
      let manifest = index.generation.manifest
      guard index.directory.isArchive else {
        self.init(of: manifest.path)
        return
      }
      let isOfEntries = manifest.path != index.directory.filePath(Manifest.fileName)
      self.init(bytes: manifest.fileSize, disk: isOfEntries ? 0 : FileSize(of: index.path).disk)
    }

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

  /// Opens the index, or reports the error and ends the process.
  func open(_ location: IndexLocation, options: ShardedIndex.Options = .init()) -> ShardedIndex {
    do throws(IndexError) {
      return try ShardedIndex(opening: location.path, options: options)
    } catch {
      finish(QueryRunner.report(error, otherPlace: UserSettings.current.otherPlace(of: location.index)))
    }
  }

  /// Returns a text with its control characters escaped, which a terminal would obey.
  func printable(_ text: String) -> String {
    var line: [UInt8] = []
    Array(text.utf8).withUnsafeBufferPointer { _ = ControlText.append($0, to: &line) }
    return String(decoding: line, as: UTF8.self)
  }
#endif
