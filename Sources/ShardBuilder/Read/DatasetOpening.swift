/// The format and layout of a dataset. They follow from its name, its options and its first bytes, before any record is
/// read.
struct DatasetOpening {
  enum RecordLayout: Equatable {
    /// One JSON array.
    case array
    /// An array inside of an object, by the path to it.
    case wrapped([String])
    /// JSON values one after the other.
    case sequence
    /// One JSON value on each line.
    case lines
    /// The dataset has rows of fields.
    case rows
  }

  private(set) var format = DatasetFormat.csv
  private(set) var layout = RecordLayout.rows
  private(set) var delimiter = UInt8(ascii: ",")
  /// Remarks for the user on settings that the reader found by itself.
  private(set) var notes: [BuildMessage] = []
  /// The offset in the window of the first unread byte.
  private(set) var offset = 0

  private let path: String
  private let options: DatasetOptions
  private var dialect: DatasetDialect { options.dialect }

  /// Reads as much of a dataset's beginning as the decision needs.
  /// A given format stands. The content overrules the format of the name if that format would refuse the content. This
  /// concerns a `.json` file of objects one after the other, and GeoJSON in `.json` and `.jsonl`. It also concerns a
  /// `.tsv` file whose first line is that of a GeoNames dump, or has no tab and a delimiter of csv files.
  init(path: String, options: DatasetOptions, window: inout InputWindow) throws(DatasetError) {
    self.path = path
    self.options = options
    // A given format needs few bytes: tests of records at block borders depend on this.
    let isTar = [".tar", ".tgz"].contains { path.lowercased().hasSuffix($0) } || path.lowercased().contains(".tar.")
    try window.advance(
      past: 0, atLeast: options.format == nil ? DelimiterSniffer.sampleLimit : isTar ? Container.tarCount : 4)
    if options.format != nil, Self.mayBeContainer(window), !window.isLast {
      try window.advance(past: 0, atLeast: 4096)
    }
    if dialect.encoding == .utf8, let encoding = Self.wrongEncoding(window.bytes(from: 0)) {
      let can: BuildMessage =
        DatasetDialect.Encoding(name: encoding).map { "\(pass: .encoding, .encoding($0)), or " } ?? ""
      throw unusable(
        """
        is text in \(encoding); \(can)convert it\
        \(command: ": \(EncodingGuess.line(encoding, path: path, format: options.format))", library: " to UTF-8")
        """)
    }
    if let container = Container.found(in: window.bytes(from: 0)) { throw unusable(container.reason(path: path)) }
    offset = window.dropByteOrderMark()
    try skipLines(&window)
    try chooseFormat(&window)
    try checkOptions()
    if format.isJSON { try chooseLayout(&window) } else if format == .csv { try chooseDelimiter(&window) }
  }

  private func unusable(_ reason: BuildMessage) -> DatasetError { .unusable(path: path, reason: reason) }

  private func start(_ window: borrowing InputWindow) -> [UInt8] { window.bytes(from: offset) }

  // MARK: Before the records

  private mutating func skipLines(_ window: inout InputWindow) throws(DatasetError) {
    for number in 0..<max(0, dialect.skippedLines) {
      while true {
        if let feed = start(window).firstIndex(of: 0x0A) {
          offset += feed + 1
          break
        }
        guard !window.isLast else {
          throw unusable("has only \(number) whole lines; skip fewer lines with \(.skippedLines)")
        }
        try window.advance(past: window.count)
        offset = 0
      }
    }
    // The skipped lines are not a part of the sample.
    if dialect.skippedLines > 0, options.format == nil, !window.isLast {
      try window.advance(past: offset, atLeast: DelimiterSniffer.sampleLimit)
      offset = 0
    }
  }

  private mutating func chooseFormat(_ window: inout InputWindow) throws(DatasetError) {
    if let given = options.format {
      format = given
      return
    }
    let start = start(window)
    let hasColumns = options.columns != nil
    if dialect.delimiter != nil {
      format = .csv
      return
    }
    switch DatasetFormat.promised(byPath: path) {
    case .tsv:
      format = !hasColumns && DatasetFormat.beginsAsGeonames(start) ? .geonames : .tsv
      let line = start.prefix { $0 != 0x0A }
      if format == .tsv, !line.contains(0x09), !start.starts(with: DatasetReader.tsvEscapesLine.utf8),
        case .one(let other) = sniffed(window).finding(columns: options.columns?.count),
        sniffed(window).agree(on: other)
      {
        format = .csv
      }
    case let promise?: format = promise
    case nil: format = try formatOfContent(start, window)
    }
  }

  /// Returns the format of a dataset whose name does not show it.
  private mutating func formatOfContent(
    _ start: [UInt8], _ window: borrowing InputWindow
  ) throws(DatasetError) -> DatasetFormat {
    switch start.first(where: { !isJSONSpace($0) && $0 != JSONRecords.recordSeparator }) {
    case UInt8(ascii: "["): return .json
    case UInt8(ascii: "{"): return .jsonl
    case nil: throw .empty(path: path)
    default: break
    }
    if options.columns == nil, DatasetFormat.beginsAsGeonames(start) { return .geonames }
    guard !start.contains(0) else { throw .unknownFormat(path: path) }
    let sniffer = sniffed(window)
    let line = dialect.comment == nil ? start.prefix { $0 != UInt8(ascii: "\n") } : guess(window).firstLine
    if line.contains(UInt8(ascii: "\t")) { return .tsv }
    if dialect.recordsPath == nil {
      if line.starts(with: "sep=".utf8) { return .csv }
      if line.contains(UInt8(ascii: ",")) {
        let isSaid = options.columns != nil || dialect.namesColumns || dialect.isRagged || dialect.null != nil
        return isSaid || guess(window).isTable ? .csv : try lines(window, mayBeTable: true)
      }
      switch sniffer.finding(columns: options.columns?.count) {
      case .one(let delimiter) where sniffer.agree(on: delimiter): return .csv
      case .several: return .csv
      default: break
      }
    }
    if dialect.namesColumns || dialect.isRagged || options.columns.map({ $0.count > 1 }) == true { return .csv }
    return try lines(window, mayBeTable: false)
  }

  /// Returns the format of lines, which the dataset's content shows, and notes that guess.
  private mutating func lines(
    _ window: borrowing InputWindow, mayBeTable: Bool
  ) throws(DatasetError) -> DatasetFormat {
    if dialect.comment == nil, let sign = guess(window).commentSign {
      throw unusable(
        """
        the first line begins with \(sign), as comments do; \(pass: .comment, .text(sign)) if such lines are not \
        records, or \(.inputFormat, .text("lines")) if each line is one text
        """)
    }
    notes.append(
      """
      \(displayed(path: path)): each line is read as one \"\(options.columns?.first ?? DatasetFormat.textField)\"; \
      \(.inputFormat, mayBeTable ? .text("csv") : nil) changes that
      """)
    return .lines
  }

  private func guess(_ window: borrowing InputWindow) -> TableGuess {
    TableGuess(start(window), sniffed(window), comment: dialect.comment, fields: options.fields)
  }

  private func sniffed(_ window: borrowing InputWindow) -> DelimiterSniffer {
    DelimiterSniffer(start(window), isAll: window.isLast, comment: dialect.comment)
  }

  /// Chooses the delimiter of a csv file, unless it is given: from the first line as Excel writes it, or from a sample
  /// of lines.
  private mutating func chooseDelimiter(_ window: inout InputWindow) throws(DatasetError) {
    while !window.isLast, start(window).count < 7,
      start(window).elementsEqual("sep=".utf8.prefix(start(window).count))
        || start(window).starts(with: "sep=".utf8)
    {
      try window.advance(past: 0)
    }
    let text = start(window)
    if text.count >= 5, text.starts(with: "sep=".utf8), DatasetDialect.canDelimit(text[4]) {
      let rest = text[5...]
      let end = rest.first == 0x0D ? rest.dropFirst() : rest
      if end.isEmpty && window.isLast || end.first == 0x0A {
        offset += min(end.startIndex + 1, text.count)
        delimiter = dialect.delimiter ?? text[4]
        return
      }
    }
    if let given = dialect.delimiter {
      delimiter = given
      return
    }
    while true {
      switch sniffed(window).finding(columns: options.columns?.count) {
      case .needsMore:
        try window.advance(past: 0)
        continue
      case .none:
        let mayHaveTitle = options.columns == nil && !options.skipBad
        if mayHaveTitle, !window.isLast, start(window).count < DelimiterSniffer.sampleLimit {
          try window.advance(past: 0)
          continue
        }
        if mayHaveTitle { try checkHeader(window) }
        return
      case .one(let found):
        delimiter = found
        if found != UInt8(ascii: ",") || DatasetFormat.promised(byPath: path) == .tsv {
          notes.append(
            "\(displayed(path: path)): \(described(found)) divides the fields; \(.delimiter) changes that")
        }
      case .several(let found):
        let all = found.map(described).joined(separator: " and ")
        throw unusable(
          "\(all) could each divide the fields; choose with \(.delimiter, .delimiter(found[0]))")
      }
      return
    }
  }

  /// Refuses a file whose first line is a title or a remark above the header.
  private func checkHeader(_ window: borrowing InputWindow) throws(DatasetError) {
    guard let later = sniffed(window).laterHeader else { return }
    let skipped = dialect.skippedLines + later
    let advice: BuildMessage =
      start(window).first == UInt8(ascii: "#")
      ? "\(pass: .comment, .text("#")) if such lines are not records"
      : """
      \(pass: .skippedLines, .number(skipped)) if line \(skipped + 1) is the header, or \
      \(.inputFormat, .text("lines")) if each line is one text
      """
    throw unusable(
      "the first line has one field, and line \(skipped + 1) and the next lines have more; \(advice)")
  }

  // MARK: JSON

  private mutating func chooseLayout(_ window: inout InputWindow) throws(DatasetError) {
    if options.format == .jsonl {
      layout = .lines
      return
    }
    var outline = JSONOutline(start(window))
    // The first byte shows an array; an object shows its form only after more bytes.
    while outline.first != UInt8(ascii: "["), !window.isLast, start(window).count < DelimiterSniffer.sampleLimit {
      try window.advance(past: 0)
      outline = JSONOutline(start(window))
    }
    if let path = dialect.recordsPath {
      guard let members = FieldPath.members(path) else {
        throw unusable(
          """
          "\(printable(path.utf8, limit: 80))" is not a path of members; \(pass: .recordsPath, .text("data.items")), for \
          example
          """)
      }
      layout = .wrapped(members)
      format = format == .geojson ? .geojson : .json
      return
    }
    switch outline.first {
    case UInt8(ascii: "{"): try chooseLayout(ofObject: outline)
    case UInt8(ascii: "["):
      layout = format == .jsonl ? .lines : .array
      if options.format == nil, outline.text(of: "type") == "Feature" {
        (format, layout) = (.geojson, .array)
      }
    default: layout = format == .jsonl ? .lines : .array
    }
  }

  private mutating func chooseLayout(ofObject outline: JSONOutline) throws(DatasetError) {
    let type = outline.text(of: "type")
    let features = outline.members.first { $0.name == "features" }
    if let features, features.value == UInt8(ascii: "["),
      type == "FeatureCollection" || (type == nil && format == .geojson)
    {
      (format, layout) = (.geojson, .wrapped(["features"]))
      return
    }
    let isOnLines =
      !outline.spansLines && (outline.next == nil || outline.nextIsOnNewLine) && outline.next != UInt8(ascii: ",")
    if options.format == nil, type == "Feature",
      outline.members.contains(where: { $0.name == "geometry" || $0.name == "properties" })
    {
      format = .geojson
    }
    if format == .geojson {
      layout = isOnLines ? .lines : .sequence
      return
    }
    let isPromisedLines = options.format == nil && DatasetFormat.promised(byPath: path) == .jsonl
    if isPromisedLines || (outline.isWhole && outline.next != nil) {
      layout = isPromisedLines || (isOnLines && options.format == nil) ? .lines : .sequence
      format = layout == .lines ? .jsonl : .json
      return
    }
    // As far as the text shows, the object is the whole dataset.
    let isTable = format == .json || outline.spansLines
    let entries = JSONEntries(outline: outline, path: path)
    if isTable, let advice = entries.tableAdvice { throw unusable(advice) }
    if let advice = entries.arrayAdvice(takesTexts: isTable) { throw unusable(advice) }
    let objects = outline.members.count(where: \.isObject)
    if isTable, objects > 1, objects == outline.members.count { throw unusable(entries.objectsAdvice) }
    layout = isTable ? .sequence : .lines
    format = layout == .lines ? .jsonl : .json
  }

  // MARK: Options

  /// Refuses options that the format does not use.
  private func checkOptions() throws(DatasetError) {
    func refuse(_ isSaid: Bool, _ setting: BuildSetting, _ formats: DatasetFormat...) throws(DatasetError) {
      guard isSaid, !formats.contains(format) else { return }
      throw unusable(
        """
        \(setting) is for \(formats.map(\.rawValue).joined(separator: ", ")), and this is \(format.rawValue); leave it \
        out, or name the format with \(.inputFormat)
        """)
    }
    try refuse(options.columns != nil, .columns, .csv, .tsv, .lines)
    try refuse(dialect.delimiter != nil, .delimiter, .csv)
    try refuse(dialect.skippedLines > 0, .skippedLines, .csv, .tsv, .geonames, .lines)
    try refuse(dialect.comment != nil, .comment, .csv, .tsv, .geonames, .lines)
    try refuse(dialect.namesColumns, .namesColumns, .csv, .tsv)
    try refuse(dialect.isRagged, .isRagged, .csv, .tsv)
    try refuse(dialect.null != nil, .null, .csv, .tsv, .geonames)
    try refuse(dialect.recordsPath != nil, .recordsPath, .json, .jsonl, .geojson)
    if let comment = dialect.comment, comment.isEmpty || comment.utf8.count > DatasetDialect.commentLimit {
      throw unusable("the text of \(.comment) must have 1 to \(DatasetDialect.commentLimit) bytes")
    }
    if let delimiter = dialect.delimiter, !DatasetDialect.canDelimit(delimiter) {
      throw unusable("\(described(delimiter)) cannot divide fields; give \(.delimiter) one ASCII character")
    }
    if format == .lines, let columns = options.columns, columns.count != 1 {
      throw unusable("a line is one field, and \(.columns) names \(columns.count); name one column")
    }
  }

  private static func mayBeContainer(_ window: borrowing InputWindow) -> Bool {
    let start = window.bytes(from: 0)
    let first = start.first { !isJSONSpace($0) }
    return first == UInt8(ascii: "<")
      || start.first.map { "BRPALOSF%".utf8.contains($0) || $0 > 0x7F || $0 < 9 } == true
      || start.starts(with: "7z".utf8)
  }

  private static func wrongEncoding(_ start: [UInt8]) -> String? {
    guard start.count >= 4 else { return nil }
    switch (start[0], start[1], start[2], start[3]) {
    case (0xFF, 0xFE, 0, 0), (1..., 0, 0, 0): return "UTF-32LE"
    case (0, 0, 0xFE, 0xFF), (0, 0, 0, 1...): return "UTF-32BE"
    case (0xFF, 0xFE, _, _), (1..., 0, 1..., 0): return "UTF-16LE"
    case (0xFE, 0xFF, _, _), (0, 1..., 0, 1...): return "UTF-16BE"
    default: return nil
    }
  }
}
