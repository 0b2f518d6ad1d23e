import CLibrary
import ShardedIndex

/// The plan of an index that many processes write. Each process writes some ranges of keys. The plan has the build's
/// options, and the folded keys at which ranges begin. Source: docs/distributed.md.
///
/// All processes must read the same plan and run the same program: then their ranges fit together.
package struct RangePlan: Sendable {
  /// The program that makes a plan, or follows one.
  package struct Program: Equatable, Sendable {
    package var version: String
    /// The SHA-256 of the executable, in hexadecimal digits.
    package var digest: String

    package init(version: String, digest: String) { (self.version, self.digest) = (version, digest) }

    /// Reads an executable.
    package init(version: String, executable path: String) throws(BuildError) {
      let file = SystemFile.open(path, in: AT_FDCWD, O_RDONLY)
      guard file >= 0 else { throw .io(operation: "open", path: path, errno: errno) }
      defer { _ = close(file) }
      var status = stat()
      guard unsafe fstat(file, &status) == 0 else { throw .io(operation: "read", path: path, errno: errno) }
      let bytes = try SystemFile.bytes(of: file, limit: Int(status.st_size), path: path)
      self.init(version: version, digest: Digest.hexadecimal(Digest.sha256(bytes)))
    }
  }

  package private(set) var program: Program
  /// The options of the build; format, key and columns are always set.
  package private(set) var options = BuildOptions()
  /// The folded keys at which the second range and the later ranges begin, ascending.
  package private(set) var bounds: [[UInt8]] = []
  /// The folded keys at which the second and the later ranges of entries begin, ascending.
  package private(set) var entryBounds: [[UInt8]] = []
  /// The SHA-256 of the manifest of the index that the ranges change, in hexadecimal digits; nil if the ranges have all
  /// records themselves.
  package private(set) var over: String?
  /// The first 16 bytes of the SHA-256 of the plan's text, in hexadecimal digits.
  package private(set) var digest = ""
  /// The text of the plan.
  package private(set) var text: [UInt8] = []

  /// The most ranges of a plan.
  package static let rangeLimit = 1_000_000
  private static let magic = "shardq plan of ranges 1"
  /// The versions that decide the bytes of an index.
  private static let versions =
    "encoder \(BuildNotes.encoderVersion), zstd \(ZstdFrame.libraryVersion), fold \(Fold.version) \(Fold.tableHash), "
    + "manifest \(Manifest.version)"

  /// Whether the index gets entries.
  package var hasEntries: Bool { options.words != nil || !options.alias.isEmpty || !options.searchFields.isEmpty }

  /// Returns the number of the range of a folded key.
  static func range(of folded: Span<UInt8>, in bounds: [[UInt8]]) -> Int {
    var (low, high) = (0, bounds.count)
    while low < high {
      let middle = (low + high) / 2
      let bound = bounds[middle]
      if compareBytes(bound.span, folded) <= 0 { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: The text

  init(
    _ options: BuildOptions, over: String? = nil, bounds: [[UInt8]], entryBounds: [[UInt8]], program: Program
  ) {
    (self.options, self.bounds, self.entryBounds, self.program) = (options, bounds, entryBounds, program)
    self.over = over
    var lines = [Self.magic, "program\t\(RangeText.text(program.version.utf8))\t\(program.digest)", Self.versions]
    func add(_ name: String, _ values: [String]?) {
      if let values { lines.append(([name] + values.map { RangeText.text($0.utf8) }).joined(separator: "\t")) }
    }
    for option in Self.texts { add(option.name, option.get(options).map { [$0] }) }
    for option in Self.lists { add(option.name, option.get(options)) }
    for option in Self.numbers { add(option.name, ["\(option.get(options))"]) }
    for option in Self.flags where option.get(options) { add(option.name, []) }
    add("over", over.map { [$0] })
    lines += bounds.map { "bound\t" + RangeText.text($0) }
    lines += entryBounds.map { "entry-bound\t" + RangeText.text($0) }
    text = Array((lines.joined(separator: "\n") + "\nend\n").utf8)
    digest = Self.digest(text)
  }

  /// Returns ``over``, or throws the error of a plan over no index.
  package func digestOfIndex() throws(BuildError) -> String {
    guard let over else {
      throw .dataset(
        .options, message: "the plan was made over no index; make one over this index with `\(.planRanges)`")
    }
    return over
  }

  /// Returns whether a plan with these options says more than one with the usual options.
  package static func differs(_ options: BuildOptions) -> Bool {
    let program = Program(version: "", digest: "")
    func text(_ options: BuildOptions) -> [UInt8] {
      RangePlan(options, bounds: [], entryBounds: [], program: program).text
    }
    return text(options) != text(BuildOptions())
  }

  private static func digest(_ text: [UInt8]) -> String { Digest.hexadecimal(Array(Digest.sha256(text).prefix(16))) }

  /// Reads a plan.
  ///
  /// - path: The path of the plan.
  ///   - path: The path of its file.
  ///   - program: The program that will follow the plan.
  package init(reading path: String, for program: Program) throws(BuildError) {
    var reader = try LineReader(path)
    var text: [UInt8] = []
    func next(_ reader: inout LineReader) throws(BuildError) -> [UInt8]? {
      guard let line = try reader.next() else { return nil }
      text += line + [0x0A]
      return line
    }
    guard try next(&reader) == Array(Self.magic.utf8) else {
      throw .dataset(.bad, message: "\(displayed(path: path)): is not a plan; make one with `\(.planRanges)`")
    }
    let made = RangeText.columns(try next(&reader)?[...] ?? []).map { String(decoding: $0, as: UTF8.self) }
    guard made.count == 3 else { throw reader.flaw("names no program") }
    self.program = program
    guard Program(version: made[1], digest: made[2]) == program, try next(&reader) == Array(Self.versions.utf8) else {
      throw .dataset(
        .options,
        message: """
          \(displayed(path: path)): another program made this plan: shardq \(made[1]) with the digest \
          \(String(made[2].prefix(16))), not \(program.version) with \(String(program.digest.prefix(16))); install the \
          same program on all machines, or make a new plan with this one
          """)
    }
    var isEnded = false
    while let line = try next(&reader) {
      guard !isEnded else { throw reader.flaw("follows the end of the plan") }
      isEnded = line == Array("end".utf8)
      if !isEnded { try read(line, reader) }
    }
    guard isEnded else {
      throw reader.flaw("is the last line, and the end of the plan is missing; copy the plan again")
    }
    digest = Self.digest(text)
    self.text = text
  }

  private mutating func read(_ line: [UInt8], _ reader: borrowing LineReader) throws(BuildError) {
    let columns = RangeText.columns(line[...])
    let name = String(decoding: columns[0], as: UTF8.self)
    var values: [[UInt8]] = []
    for column in columns.dropFirst() {
      guard let value = RangeText.bytes(column) else { throw reader.flaw("has a damaged text") }
      values.append(value)
    }
    func texts() -> [String] { values.map { String(decoding: $0, as: UTF8.self) } }
    func isAbove(_ bound: [UInt8], _ last: [UInt8]?) -> Bool {
      last.map { $0.lexicographicallyPrecedes(bound) } ?? true
    }
    if name == "bound", values.count == 1, bounds.count < Self.rangeLimit, isAbove(values[0], bounds.last) {
      bounds.append(values[0])
    } else if name == "entry-bound", values.count == 1, entryBounds.count < Self.rangeLimit,
      isAbove(values[0], entryBounds.last)
    {
      entryBounds.append(values[0])
    } else if name == "over", values.count == 1, over == nil, ManifestDigest(texts()[0]) != nil {
      over = texts()[0]
    } else if let option = Self.texts.first(where: { $0.name == name }), values.count == 1 {
      option.set(&options, texts()[0])
      guard option.get(options) == texts()[0] else { throw reader.flaw("has an unknown value of \(name)") }
    } else if let option = Self.lists.first(where: { $0.name == name }) {
      option.set(&options, texts())
    } else if let option = Self.numbers.first(where: { $0.name == name }), values.count == 1,
      let value = Int(texts()[0])
    {
      option.set(&options, value)
    } else if let option = Self.flags.first(where: { $0.name == name }), values.isEmpty {
      option.set(&options, true)
    } else {
      throw reader.flaw("is not a line of a plan")
    }
  }

  // MARK: The options that decide the index's bytes

  private typealias Option<Got, Value> = (
    name: String, get: @Sendable (BuildOptions) -> Got, set: @Sendable (inout BuildOptions, Value) -> Void
  )
  private static let texts: [Option<String?, String>] = [
    ("format", { $0.inputFormat?.rawValue }, { $0.inputFormat = DatasetFormat(rawValue: $1) }),
    ("key", { $0.key }, { $0.key = $1 }),
    ("id", { $0.id }, { $0.id = $1 }),
    ("weight", { $0.weight }, { $0.weight = $1 }),
    ("weight-scale", { $0.scaleText }, { $0.scaleText = $1 }),
    ("synonyms", { $0.tables.synonyms }, { $0.tables.synonyms = $1 }),
    ("words", { $0.words?.rawValue }, { $0.words = BuildOptions.Words(rawValue: $1) }),
    ("comment", { $0.dialect.comment }, { $0.dialect.comment = $1 }),
    ("null", { $0.dialect.null }, { $0.dialect.null = $1 }),
    (
      "decimal", { $0.dialect.decimal.map { String(Unicode.Scalar($0)) } }, { $0.dialect.decimal = $1.utf8.first }
    ),
  ]
  private static let lists: [Option<[String]?, [String]>] = [
    ("columns", { $0.columns }, { $0.columns = $1 }),
    ("keep", { $0.keep }, { $0.keep = $1 }),
    ("alias", { $0.alias.isEmpty ? nil : $0.alias }, { $0.alias = $1 }),
    ("search-field", { $0.searchFields.isEmpty ? nil : $0.searchFields }, { $0.searchFields = $1 }),
    ("coordinates", { $0.coordinates }, { $0.coordinates = $1 }),
    ("number", { $0.number.isEmpty ? nil : $0.number }, { $0.number = $1 }),
    ("filter", { $0.filter.isEmpty ? nil : $0.filter }, { $0.filter = $1 }),
    (
      // A text for each filter, empty for none.
      "names", { $0.tables.names.isEmpty ? nil : $0.filter.map { [tables = $0.tables] in tables.names[$0] ?? "" } },
      { options, texts in
        options.tables.names = Dictionary(
          zip(options.filter, texts).filter { !$1.isEmpty }, uniquingKeysWith: { first, _ in first })
      }
    ),
  ]
  private static let numbers: [Option<Int, Int>] = [
    ("shard-size", { $0.shardLimitBytes }, { $0.shardLimitBytes = $1 }),
    ("part-size", { $0.partSizeBytes }, { $0.partSizeBytes = $1 }),
    ("level", { $0.level }, { $0.level = min(max($1, 1), 22) }),
  ]
  private static let flags: [Option<Bool, Bool>] = [
    ("typos", { $0.typos }, { $0.typos = $1 }),
    ("typos-in-digits", { $0.typosInDigits }, { $0.typosInDigits = $1 }),
    ("near", { $0.near }, { $0.near = $1 }),
    ("starts", { $0.starts }, { $0.starts = $1 }),
    ("skip-bad", { $0.skipBad }, { $0.skipBad = $1 }),
    ("skip-empty-keys", { $0.skipEmptyKeys }, { $0.skipEmptyKeys = $1 }),
    ("ragged", { $0.dialect.isRagged }, { $0.dialect.isRagged = $1 }),
  ]
}
