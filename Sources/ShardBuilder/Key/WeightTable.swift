import ShardedIndex

/// The weights of a file of ids and numbers. They become a field of the records with these ids.
///
/// Each line has an id, a tab and a decimal number. The table is in memory, and counts against the build's memory.
final class WeightTable: Sendable {
  let path: String
  private let ids: IDTable
  private let texts: [UInt8]
  private let ends: [Int]
  /// The most bytes of memory that the table takes.
  let charge: Int

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file; `-` is standard input.
  ///   - memory: The memory of the whole build, in bytes.
  init(_ path: String, memory: Int) throws(BuildError) {
    var draft = Draft(path: path, limit: memory / 2)
    do throws(DatasetError) {
      try draft.read()
    } catch {
      throw BuildError(error)
    }
    guard draft.charge <= memory / 2 else {
      throw .dataset(
        .options,
        message: """
          \(displayed(path: path)): memory must hold its \(grouped(draft.count)) weights while records are read; \
          \(pass: .memory, .mebibytes((2 * draft.charge + 0xF_FFFF) >> 20)) or more
          """)
    }
    (self.path, ids, texts, ends, charge) = (path, draft.ids, draft.texts, draft.ends, draft.charge)
  }

  /// Reads the file that options name, and subtracts its memory from theirs; returns nil if they name none.
  convenience init?(of options: inout BuildOptions) throws(BuildError) {
    guard let path = options.weightsFile else { return nil }
    try self.init(path, memory: options.memoryBytes)
    options.memoryBytes -= charge
  }

  /// Returns the text of an id's number; nil if the file lacks the id.
  func text(of id: Span<UInt8>) -> ArraySlice<UInt8>? {
    ids.number(of: id).map { texts[($0 == 0 ? 0 : ends[$0 - 1])..<ends[$0]] }
  }

  /// A table under construction.
  private struct Draft {
    let path: String
    let limit: Int
    var ids = IDTable()
    var texts: [UInt8] = []
    var ends: [Int] = []
    /// The line of each id.
    var lines: [UInt32] = []
    /// The number of lines, and the bytes of their ids and numbers, also of lines without room.
    var count = 0
    var byteCount = 0

    init(path: String, limit: Int) { (self.path, self.limit) = (path, limit) }

    /// The most bytes of memory of all lines: an array has room for twice its content, and each id has its end, the end
    /// of its number, its line, and a share of the slots.
    var charge: Int { 2 * byteCount + 128 * count }

    mutating func read() throws(DatasetError) {
      var options = DatasetOptions(format: .tsv, columns: ["id", "number"])
      options.tsvEscapes = false
      options.blockSizeBytes = 64 << 10
      let reader = try DatasetReader(path: path, options: options)
      var batch = RecordBatch()
      while try reader.read(into: &batch) {
        var line = batch.places.line
        var lineStart = 0
        for index in batch.recordEnds.indices {
          // Each record is a line; there may be blank lines between records.
          let start = Int(batch.places.starts[index])
          line += batch.bytes[lineStart..<start].count { $0 == 0x0A }
          lineStart = start
          try add(batch, batch.fields[2 * index], batch.fields[2 * index + 1], line: line)
        }
      }
    }

    private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
      unsafe text.withUnsafeBufferPointer { unsafe WeightRule.isNumber($0) }
    }

    private mutating func add(
      _ batch: RecordBatch, _ id: FieldSlice, _ number: FieldSlice, line: Int
    ) throws(DatasetError) {
      func text(_ field: FieldSlice) -> ArraySlice<UInt8> {
        batch.bytes[Int(field.offset)..<Int(field.offset + field.length)]
      }
      func bad(_ reason: String) -> DatasetError {
        .bad(DatasetReader.BadRecord(path: path, line: line, column: 1, record: 0, reason: reason))
      }
      guard Self.isNumber(text(number)) else {
        throw bad(
          "\"\(printable(text(number), limit: 40))\" is not a decimal number; write an id, a tab and a number on each line"
        )
      }
      count += 1
      byteCount += text(id).count + text(number).count
      guard charge <= limit else { return }
      guard ids.insert(text(id).span) else {
        let first = ids.number(of: text(id).span).map { Int(lines[$0]) } ?? 0
        throw bad(
          "the id \"\(printable(text(id), limit: 40))\" is in line \(grouped(first)) already; keep one of them")
      }
      texts += text(number)
      ends.append(texts.count)
      lines.append(UInt32(clamping: line))
    }
  }
}

/// The addition of a table's weights to records: the weight becomes the last field of each record whose id the table
/// has.
struct AddedWeights: Sendable {
  /// The changes of a batch.
  struct BatchResult {
    /// For each record, whether its id was found.
    var isFound: [Bool] = []
    /// The first record that has a field of this name already.
    var taken: Int?
  }

  private let table: WeightTable
  private let id: String
  let path: String
  /// The numbers of both fields; the id field gets its number with the first record that has the field.
  private var idNumber: UInt32?
  private var number: UInt32 = 0
  /// For each field name, whether it is the weights' name or nested in it.
  private var isTaken: [Bool] = []

  /// - Parameters:
  ///   - id: The path of the field with the ids.
  ///   - path: The path of the new field.
  init(_ table: WeightTable, id: String, path: String) { (self.table, self.id, self.path) = (table, id, path) }

  /// Takes the names of fields, and gives the weights' field its number.
  mutating func learn(_ names: inout FieldNames) {
    if isTaken.isEmpty { number = names.number(of: path) }
    let all = names.names
    while isTaken.count < all.count {
      let name = all[isTaken.count]
      if name == id { idNumber = UInt32(isTaken.count) }
      isTaken.append(name == path || name.hasPrefix(path + "."))
    }
  }

  /// Adds the weights of the records in a batch.
  func add(to batch: inout RecordBatch) -> BatchResult {
    var result = BatchResult(isFound: Array(repeating: false, count: batch.recordEnds.count))
    var fields: [FieldSlice] = []
    fields.reserveCapacity(batch.fields.count + batch.recordEnds.count)
    var first = 0
    for index in batch.recordEnds.indices {
      let own = batch.fields[first..<Int(batch.recordEnds[index])]
      first = own.endIndex
      fields += own
      if result.taken == nil, own.contains(where: { isTaken[Int($0.name)] }) { result.taken = index }
      if let id = own.first(where: { $0.name == idNumber }), let text = weight(of: id, in: batch) {
        let offset = UInt32(batch.bytes.count)
        batch.bytes += text
        let kind: FieldKind = Self.isJSONNumber(text) ? .number : .string
        fields.append(FieldSlice(name: number, kind: kind, offset: offset, length: UInt32(text.count)))
        result.isFound[index] = true
      }
      batch.recordEnds[index] = UInt32(fields.count)
    }
    batch.fields = fields
    return result
  }

  private func weight(of id: FieldSlice, in batch: RecordBatch) -> ArraySlice<UInt8>? {
    let range = Int(id.offset)..<Int(id.offset + id.length)
    let isID = unsafe batch.bytes.withUnsafeBufferPointer { unsafe RecordID.isOne($0.part(range), id.kind) }
    return isID ? table.text(of: batch.bytes.span.extracting(range)) : nil
  }

  /// Returns whether a decimal number is valid JSON: it has digits before and after a point, no plus sign, and no
  /// needless zero in front.
  private static func isJSONNumber(_ text: ArraySlice<UInt8>) -> Bool {
    let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
    func isDigit(_ byte: UInt8?) -> Bool { byte.map { 0x30...0x39 ~= $0 } ?? false }
    guard isDigit(digits.first) else { return false }
    if digits.first == 0x30, isDigit(digits.dropFirst().first) { return false }
    guard let point = digits.firstIndex(of: UInt8(ascii: ".")) else { return true }
    return isDigit(digits[(point + 1)...].first)
  }
}
