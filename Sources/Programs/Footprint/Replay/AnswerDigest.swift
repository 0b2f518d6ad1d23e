/// A digest of answers (FNV-1a, 64 bits). It compares the answers of different designs.
///
/// It finds accidental differences, not forged answers.
package struct AnswerDigest {
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  package mutating func add(_ number: UInt64) {
    for shift: UInt64 in [0, 8, 16, 24, 32, 40, 48, 56] { add(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  package mutating func add(_ count: Int) { add(UInt64(bitPattern: Int64(count))) }

  /// Adds a number by its value, for any spelling of the number.
  package mutating func add(_ number: Double) { add(number.bitPattern) }

  /// Adds a text; nil if a record lacks the field.
  // These are two functions and no generic one: for a generic one the runtime would look through the whole program.
  package mutating func add(_ text: String?) {
    guard let text else { return add(UInt8(0xfe)) }
    for byte in text.utf8 { add(byte) }
    add(UInt8(0xff))  // No UTF-8 has this byte, so it marks the end of a text.
  }

  /// Adds a text in UTF-8; nil if a record lacks the field.
  package mutating func add(_ text: [UInt8]?) {
    guard let text else { return add(UInt8(0xfe)) }
    for byte in text { add(byte) }
    add(UInt8(0xff))
  }

  // The hash is defined modulo 2^64, so the product wraps.
  private mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
}
