/// A file with a dataset in a form that the reader does not read. The file's first bytes show the form.
struct Container {
  /// The name with its article: `an Excel workbook`.
  var name: String
  /// The command that opens it; nil if there is none.
  var opener: Opener?
  /// The advice if no program opens it.
  var advice: BuildMessage?

  /// The number of bytes that show every form but a tar archive, which needs ``tarCount``.
  static let startCount = 64
  static let tarCount = 512

  /// - Parameter start: The first bytes: at least ``startCount``, or all bytes of the file.
  static func found(in start: [UInt8]) -> Container? {
    func begins(_ bytes: UInt8...) -> Bool { start.starts(with: bytes) }
    func begins(_ text: String) -> Bool { start.starts(with: text.utf8) }
    // A text may begin with these letters, but it has no control characters after them.
    let hasControls = start.prefix(startCount).contains { $0 < 9 || (0x0E..<0x20).contains($0) }
    if begins(0xFD, 0x37, 0x7A, 0x58, 0x5A, 0) { return Container(name: "xz", opener: Opener(before: "xz -dc ")) }
    if begins("BZh"), start.dropFirst(4).starts(with: [0x31, 0x41, 0x59, 0x26, 0x53, 0x59]) {
      return Container(name: "bzip2", opener: Opener(before: "bzip2 -dc "))
    }
    if begins(0x04, 0x22, 0x4D, 0x18) { return Container(name: "lz4", opener: Opener(before: "lz4 -dc ")) }
    if begins(0x1F, 0x9D) { return Container(name: "compress (.Z)", opener: Opener(before: "gzip -dc ")) }
    if begins("LZIP"), hasControls { return Container(name: "lzip", opener: Opener(before: "lzip -dc ")) }
    if begins(0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C) {
      return Container(name: "a 7z archive", opener: Opener(before: "7z x -so "))
    }
    if begins("Rar!"), hasControls { return Container(name: "a RAR archive", opener: Opener(before: "unrar p -inul ")) }
    if begins(0x50, 0x4B, 3, 4) || begins(0x50, 0x4B, 5, 6) { return zip(start) }
    if begins(0xD0, 0xCF, 0x11, 0xE0) {
      return Container(
        name: "an old Excel or Office file",
        advice: savingAsCSV)
    }
    if begins("SQLite format 3\0") {
      return Container(
        name: "a SQLite database",
        opener: Opener(before: "sqlite3 -json ", after: " 'SELECT * FROM TABLE'", format: "json"))
    }
    if begins("PAR1"), hasControls {
      // pandas would make numbers of milliseconds from dates.
      let duckdb = "duckdb -c \"COPY (FROM read_parquet('/dev/stdin')) TO '/dev/stdout' (FORMAT json)\" < "
      return Container(name: "a Parquet file", opener: Opener(before: duckdb, format: "jsonl"))
    }
    if begins("ARROW1") || begins("FEA1"), hasControls { return table("an Arrow file", "feather") }
    if begins("ORC"), hasControls { return table("an ORC file", "orc") }
    if begins(0x4F, 0x62, 0x6A, 1) {
      return Container(name: "an Avro file", advice: "convert it to JSON lines first")
    }
    if begins("%PDF-") {
      return Container(name: "a PDF file", opener: Opener(before: "pdftotext -layout ", after: " -", format: "lines"))
    }
    if let markup = markup(start) { return markup }
    if start.count >= 262, start[257..<262].elementsEqual("ustar".utf8) {
      return Container(name: "a tar archive", opener: Opener(before: "tar -xOf ", after: " MEMBER"))
    }
    return nil
  }

  private static let savingAsCSV: BuildMessage =
    "save it as CSV\(command: ", for example with soffice --headless --convert-to csv", library: "")"

  private static let zipName = "a zip archive"

  private static func zip(_ start: [UInt8]) -> Container {
    func has(_ text: String) -> Bool {
      let text = Array(text.utf8)
      return start.count >= text.count
        && (0...(start.count - text.count)).contains { start[$0..<$0 + text.count].elementsEqual(text) }
    }
    if has("[Content_Types].xml") || has("xl/") || has("_rels/") {
      return Container(name: "an Excel workbook", opener: Opener(before: "xlsx2csv ", format: "csv"))
    }
    if has("mimetypeapplication/vnd.oasis.opendocument") {
      return Container(
        name: "an OpenDocument file", advice: savingAsCSV)
    }
    return Container(name: zipName, opener: Opener(before: "unzip -p "))
  }

  /// Returns a container that the Python library pandas reads.
  private static func table(_ name: String, _ reader: String) -> Container {
    Container(
      name: name,
      opener: Opener(
        before:
          "python3 -c 'import pandas, sys; print(pandas.read_\(reader)(sys.argv[1]).to_json(orient=\"records\"))' ",
        format: "json"))
  }

  private static func markup(_ start: [UInt8]) -> Container? {
    let text = String(decoding: start.drop { isJSONSpace($0) }.prefix(15), as: UTF8.self).lowercased()
    if text.hasPrefix("<!doctype html") || text.hasPrefix("<html") {
      return Container(
        name: "an HTML page and no dataset", advice: "fetch the file itself, not the page about it")
    }
    if text.hasPrefix("<?xml") { return Container(name: "XML", advice: "convert it to CSV or JSON first") }
    return nil
  }

  /// Returns the text of a refusal: the container's name, and the shell line that opens it.
  func reason(path: String) -> BuildMessage {
    guard let opener else { return "is \(name); \(advice ?? "")" }
    if name == Self.zipName, let members = ZipMembers(path: path), members.names.count > 1 {
      let format = DatasetFormat.promised(byPath: members.largest)?.rawValue
      let one = Opener(before: opener.before, after: " " + shellWord(members.pattern), format: format)
      return """
        is \(name) of \(grouped(members.names.count)) files: \(members.list); \
        \(command: "to read the largest: \(one.line(path: path))", library: "unpack one of them first")
        """
    }
    let library: BuildMessage = opener.format.map { "convert it to \($0) first" } ?? "unpack it first"
    return "is \(name); \(command: "to read the dataset in it: \(opener.line(path: path))", library: library)"
  }
}
