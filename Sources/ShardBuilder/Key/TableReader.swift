import ShardedIndex

/// Reads the files of ``SearchTables``.
package enum TableReader {
  /// The most synonyms of a phrase.
  private static let synonymLimit = 8

  /// Reads the files that options name.
  static func tables(of options: BuildOptions) throws(BuildError) -> SearchTables {
    var tables = SearchTables()
    for field in Set(options.namesFiles.map(\.field)).sorted() {
      guard options.filter.contains(field) else {
        throw .dataset(
          .options, message: "\(.names) gives names to the field \"\(field)\"; \(pass: .filter, .text(field)) as well")
      }
      var rows = TableRows()
      for file in options.namesFiles where file.field == field {
        try TableFile.read(file.path) { (line) throws(BuildError) in try rows.add(names: line, options.filter) }
      }
      tables.names[field] = try rows.text("names of \"\(field)\"", options.namesFiles.last { $0.field == field }!.path)
    }
    var rows = TableRows()
    for path in options.synonymsFiles {
      try TableFile.read(path) { (line) throws(BuildError) in try rows.add(synonyms: line) }
    }
    if !rows.isEmpty { tables.synonyms = try rows.text("synonyms", options.synonymsFiles.last!) }
    return tables
  }

  /// Returns the values with names that no record of an index has, as filters, in the order of the tables.
  ///
  /// - Complexity: One search for each value.
  package static func unusedValues(of index: ShardedIndex) throws(IndexError) -> [String] {
    let settings = IndexSettings(of: index.generation.manifest.root)
    var unused: [String] = []
    for (field, names) in zip(settings.filter, settings.valueNames) {
      var seen: Set<String> = []
      for line in names?.split(separator: "\n") ?? [] {
        let value = String(line.split(separator: "\t", omittingEmptySubsequences: false)[1])
        guard seen.insert(value).inserted else { continue }
        let query = ShardedIndex.SearchQuery("", filter: [ShardedIndex.Filter(field, isOneOf: [value])])
        if try index.search(query, limit: 1).isEmpty { unused.append(field + "=" + value) }
      }
    }
    return unused
  }

  /// The rows of a table, each with the place of its first column and the columns behind.
  private struct TableRows {
    private var rows: [(name: [UInt8], rest: String)] = []
    private var found: Set<[String]> = []
    private var counts: [[UInt8]: Int] = [:]

    var isEmpty: Bool { rows.isEmpty }

    /// Adds a name: a value, a tab and the name, and perhaps a tab and a condition.
    mutating func add(names line: TableFile.TableLine, _ filters: [String]) throws(BuildError) {
      let columns = line.text.split(separator: "\t", omittingEmptySubsequences: false).map { TableFile.spaced($0) }
      guard 2...3 ~= columns.count, !columns[0].isEmpty else {
        throw line.flaw("\"\(line.text)\" is not a value, a tab and a name, perhaps with a tab and a condition")
      }
      if columns.count == 3 {
        guard let condition = ShardedIndex.Filter(columns[2]), filters.contains(condition.field) else {
          throw line.flaw("has the condition \"\(columns[2])\"; name a field of \(.filter) there, = and a value")
        }
      }
      try add(columns[1], [columns[0]] + columns[2...], line)
    }

    /// Adds synonyms: words with commas between, or `words => words`.
    mutating func add(synonyms line: TableFile.TableLine) throws(BuildError) {
      let sides = line.text.split(separator: "=>", omittingEmptySubsequences: false).map { side in
        side.split(separator: ",", omittingEmptySubsequences: false).map { TableFile.spaced($0) }
      }
      guard sides.count == 2 || sides.count == 1 && sides[0].count > 1, !sides.joined().contains("") else {
        throw line.flaw("\"\(line.text)\" is not words with commas between, and not words, => and other words")
      }
      for phrase in sides[0] {
        for synonym in sides[sides.count - 1] where Self.plain(phrase) != Self.plain(synonym) {
          guard try add(phrase, [synonym], line) else { continue }
          counts[Self.plain(phrase), default: 0] += 1
          guard counts[Self.plain(phrase)]! <= TableReader.synonymLimit else {
            throw line.flaw(
              "is the \(TableReader.synonymLimit + 1)th synonym of \"\(phrase)\"; leave out the less likely ones")
          }
        }
      }
    }

    /// - Returns: Whether the row is new.
    @discardableResult
    private mutating func add(_ name: String, _ rest: [String], _ line: TableFile.TableLine) throws(BuildError) -> Bool
    {
      let plain = Self.plain(name)
      guard !plain.isEmpty else { throw line.flaw("has the words \"\(name)\" without a letter or a digit") }
      guard found.insert([String(decoding: plain, as: UTF8.self)] + rest).inserted else { return false }
      rows.append((plain, rest.joined(separator: "\t")))
      return true
    }

    private static func plain(_ text: String) -> [UInt8] { PlainForm.plain(Fold.fold(text), separators: 0) }

    /// Returns the table in the form of the manifest.
    ///
    /// - Parameter path: The path of the last file.
    func text(_ what: String, _ path: String) throws(BuildError) -> String {
      let sorted = rows.enumerated().sorted {
        $0.element.name == $1.element.name
          ? $0.offset < $1.offset : $0.element.name.lexicographicallyPrecedes($1.element.name)
      }
      let lines = sorted.map { String(decoding: $0.element.name, as: UTF8.self) + "\t" + $0.element.rest + "\n" }
      let text = lines.joined()
      guard text.utf8.count <= Manifest.settingLimit else {
        throw .dataset(
          .bad,
          message: """
            \(displayed(path: path)): with this file the \(what) take \(grouped(text.utf8.count)) bytes, and an index has room for \
            \(grouped(Manifest.settingLimit)); leave out some
            """)
      }
      return text
    }
  }
}

/// A small file of lines. Blank lines, and lines that begin with `#`, do not count.
enum TableFile {
  /// The most bytes of a file.
  private static let limit = 1 << 20

  /// A line, with its place.
  struct TableLine {
    let text: String
    /// Returns an error of the line.
    let flaw: (BuildMessage) -> BuildError
  }

  /// Reads a file, line by line.
  ///
  /// - Parameter path: The path of the file; `-` is standard input.
  static func read(_ path: String, _ body: (TableLine) throws(BuildError) -> Void) throws(BuildError) {
    var reader = try LineReader(path)
    var size = 0
    while let bytes = try reader.next() {
      let number = reader.number
      func flaw(_ reason: BuildMessage) -> BuildError { LineReader.flaw(reason, path, number) }
      size += bytes.count + 1
      guard size <= limit else { throw flaw("is behind the first \(limit >> 20) MiB, the most of a table") }
      let mark = number == 1 && bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
      guard let text = String(utf8: bytes.dropFirst(mark)) else { throw flaw("is not UTF-8") }
      if text.hasPrefix("#") || spaced(text[...]).isEmpty { continue }
      try body(TableLine(text: text, flaw: flaw))
    }
  }

  /// Returns a text with one space in the place of white space, and without white space around.
  static func spaced(_ text: Substring) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
