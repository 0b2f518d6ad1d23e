/// The values of a field in the first records, in short: whether people would type them.
struct FieldValues {
  let field: String
  private var count = 0
  private var texts = 0
  private var codes = 0
  private var size = 0
  private var distinct = Set<String>()

  /// The most records and fields that are looked at, and the most bytes of a value.
  private static let (recordLimit, fieldLimit, sizeLimit) = (300, 400, 160)
  /// The mean size in bytes from which on values are prose.
  private static let proseSize = 80

  private init(_ field: String) { self.field = field }

  /// Returns the values of the first fields in the first records of a batch, in the order of `fields`.
  static func first(of batch: RecordBatch, _ fields: [String]) -> [FieldValues] {
    var all = fields.prefix(fieldLimit).map { FieldValues($0) }
    let end = batch.recordEnds.prefix(recordLimit).last.map { Int($0) } ?? 0
    for slice in batch.fields[..<end] where Int(slice.name) < all.count {
      all[Int(slice.name)].add(batch.bytes[Int(slice.offset)...].prefix(min(sizeLimit, Int(slice.length))), slice.kind)
    }
    return end == 0 ? [] : all
  }

  /// Whether most values are texts and not all are alike.
  var areTexts: Bool { 2 * texts > count && (distinct.count > 1 || count == 1) }

  /// Whether no two records have the same value.
  var areDistinct: Bool { count > 0 && distinct.count == count }

  /// How likely people type a value: from 0 to 1. The texts count that do not repeat, look like no code, and are short.
  var likelihood: Double {
    guard areTexts else { return 0 }
    let (texts, codes) = (Double(texts) / Double(count), Double(codes) / Double(count))
    let isProse = size > Self.proseSize * count
    return texts * Double(distinct.count) / Double(count) * (1 - 0.8 * codes) * (isProse ? 0.3 : 1)
  }

  /// Returns the values of one record of texts.
  static func of(_ texts: [String]) -> [FieldValues] {
    texts.map { text in
      var values = FieldValues(text)
      values.add(Array(text.utf8)[...].prefix(sizeLimit), .string)
      return values
    }
  }

  private mutating func add(_ value: ArraySlice<UInt8>, _ kind: FieldKind) {
    guard !value.isEmpty, kind != .literal else { return }
    let text = String(decoding: value, as: UTF8.self)
    count += 1
    size += value.count
    distinct.insert(text)
    guard kind == .string, Self.isText(text) else { return }
    texts += 1
    if Self.isCode(value) { codes += 1 }
  }

  /// Returns whether at least half of a text are letters, and it is no address of the web or of mail, and no number in
  /// base 16.
  private static func isText(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    let letters = scalars.count { $0.properties.isAlphabetic }
    guard letters > 0, 2 * letters >= scalars.count(where: { $0 != " " }) else { return false }
    let lowered = text.lowercased()
    if lowered.contains("://") || lowered.hasPrefix("www.") || (text.contains("@") && !text.contains(" ")) {
      return false
    }
    let isHexadecimal = scalars.allSatisfy { $0.properties.isASCIIHexDigit || $0 == "-" }
    return !(isHexadecimal && scalars.count >= 16 && text.utf8.contains(where: isDigit))
  }

  /// Returns whether a text looks like a code or a part of an address: one word without small letters, or of small
  /// letters with signs between them.
  private static func isCode(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.allSatisfy({ $0 > 0x20 && $0 < 0x80 }) else { return false }
    let isSmall = { (byte: UInt8) in (0x61...0x7A).contains(byte) }
    if !value.contains(where: isSmall) { return true }
    return value.contains { !isSmall($0) }
      && value.allSatisfy { isSmall($0) || isDigit($0) || "-_./".utf8.contains($0) }
  }
}
