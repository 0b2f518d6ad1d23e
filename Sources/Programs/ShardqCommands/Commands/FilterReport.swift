#if CommandLineTool
  import Answers
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  /// The filters and cells that an index was built with, and the bytes that their tables take.
  enum FilterReport {
    /// Returns the member of JSON and the note for people; nil for an index with neither.
    static func filters(of manifest: ManifestReader) throws(IndexError) -> (json: String, note: String)? {
      let fields = IndexSettings(of: manifest.root).filter
      let hasCells = IndexSettings(of: manifest.root).near
      guard !fields.isEmpty || hasCells else { return nil }
      let pages = try manifest.sidePages()
      let pageCount = (manifest.shardCount + Manifest.pageCapacity - 1) / Manifest.pageCapacity
      var (members, notes): ([String], [String]) = ([], [])
      for (number, field) in fields.enumerated() {
        let table = SideTable.filter(number)
        let frames = pages.flatMap(\.frames).filter { table.has($0.name) }
        let bytes = frames.reduce(0) { $0 + $1.size }
        let missing = pageCount - frames.count { $0.name == table.ofShards }
        members.append(
          "{\"field\":" + JSONText.string(field) + ",\"bytes\":\(bytes),\"pages_without_table\":\(missing)}")
        var note = "filter by " + printable(field) + ": " + StatsCommand.size(bytes)
        if missing > 0 { note += ", no table of \(missing) in \(pageCount) pages, which have too many values" }
        notes.append(note)
      }
      var json = fields.isEmpty ? [] : ["\"filters\":[" + members.joined(separator: ",") + "]"]
      if hasCells {
        let bytes = pages.flatMap(\.frames).reduce(0) { $0 + (SideTable.cells.has($1.name) ? $1.size : 0) }
        json.append("\"near\":{\"bytes\":\(bytes)}")
        notes.append("near: " + StatsCommand.size(bytes))
      }
      return (json.joined(separator: ","), notes.joined(separator: "; "))
    }

    /// Returns the same of the sketches by which typing errors are corrected, those of entries included; nil for an index
    /// without sketches.
    static func sketches(of index: ShardedIndex) throws(IndexError) -> (json: String, note: String)? {
      guard index.generation.manifest.hasSketches else { return nil }
      var pages = try index.generation.manifest.sidePages()
      if let entries = try ShardedIndex(entriesOf: index) { pages += try entries.generation.manifest.sidePages() }
      let bytes = pages.flatMap(\.frames).filter(\.name.isOfSketches).reduce(0) { $0 + $1.size }
      return ("\"typos\":{\"bytes\":\(bytes)}", "typing errors: " + StatsCommand.size(bytes))
    }
  }
#endif
