import ShardedIndex

/// Folds any bytes, and checks the promises of docs/matching.md about folded texts.
final class FoldTarget: FuzzTarget {
  private var folded: [UInt8] = []
  private var again: [UInt8] = []
  private var ascii = [UInt8](repeating: 0, count: 1 << 16)

  func run(_ input: UnsafeBufferPointer<UInt8>) {
    folded.removeAll(keepingCapacity: true)
    Fold.fold(input, into: &folded)
    var before: UInt8 = 0x20
    for byte in folded {
      require(byte > 0 && byte <= 0xf4, "a byte that no folded text has")
      require(byte > 0x20 || byte == 0x20 || byte == Fold.separator, "a control character")
      require(byte != 0x20 || before > 0x20, "a space behind a space, a separator or at the start")
      require(byte != Fold.separator || before != 0x20 || folded.first == byte, "a space before a separator")
      before = byte
    }
    // The greatest growth that a buffer has room for.
    require(folded.count <= 24 * input.count, "a fold of \(folded.count) bytes")

    // A folded text with commas for separators folds to itself.
    var text = folded
    for index in text.indices where text[index] == Fold.separator { text[index] = 0x2c }
    again.removeAll(keepingCapacity: true)
    text.withUnsafeBufferPointer { Fold.fold($0, into: &again) }
    require(again == folded, "the fold of a folded text is another one")

    // The fold stays the same behind other bytes, where the array grows step by step.
    again.removeAll(keepingCapacity: true)
    again.append(contentsOf: repeatElement(0x61, count: 100 - input.count % 7))
    let base = again.count
    Fold.fold(input, into: &again)
    require(again[base...].elementsEqual(folded), "the fold depends on the bytes before it")

    if input.count <= ascii.count {
      let size = ascii.withUnsafeMutableBufferPointer { Fold.foldASCII(input, into: $0) }
      if let size { require(ascii[..<size].elementsEqual(folded), "the fold of ASCII is another one") }
      require(size != nil || input.contains { $0 >= 0x80 }, "ASCII that is not folded as such")
    }
    // Repaired text folds like the original bytes.
    require(Fold.fold(String(decoding: input, as: UTF8.self)) == folded, "the fold of a repaired text is another one")
  }

  static let seeds: [(name: String, bytes: [UInt8])] =
    [
      "San José, CR", "ALABAMA , us", "Łódź ß ﬁ Ǆ İ ı", "서울 한", "がぎ ゙゚ か\u{3099}", "й и\u{306} ї і\u{308}",
      "a\u{301}\u{327}\u{323}b", "  \t, ,\n x \u{a0}y", "ﷺ ½ ① ㍿", "´`’ʼ – — ‐", "\u{1}\u{0}\u{7f}",
      "ไทย हिन्दी عربى עברית",
    ].enumerated().map { ("text\($0)", Array($1.utf8)) } + [
      ("invalid", [0xc3, 0x28, 0xf5, 0xed, 0xa0, 0x80, 0xf4, 0x90])
    ]
}
