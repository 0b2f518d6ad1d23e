/// A table that numbers texts in order of first appearance.
///
/// The texts belong to the caller, and must stay in place as long as the table. The table has two to four times as many
/// slots as texts, with four bytes for each slot.
@safe package struct TextTable {
  /// The distinct texts, by number.
  package private(set) var texts: [Text] = unsafe []
  private var slots: [Int32]  // Numbers by open addressing, -1 in a free slot.

  /// - Parameter limit: The most different texts for ``number(of:)``.
  package init(limit: Int) {
    var size = 16
    while size < 2 * limit { size *= 2 }
    slots = Array(repeating: -1, count: size)
  }

  package mutating func number(of text: Text) -> Int {
    let mask = slots.count - 1
    var slot = unsafe Int(truncatingIfNeeded: Self.hash(text)) & mask
    while slots[slot] >= 0 {
      let number = Int(slots[slot])
      if unsafe equalBytes(texts[number], text) { return number }
      slot = (slot + 1) & mask
    }
    slots[slot] = unsafe Int32(texts.count)
    unsafe texts.append(text)
    return unsafe texts.count - 1
  }

  /// The seed of the hash, random in each process, so that a forger cannot make a dataset of texts that collide. No
  /// number depends on the seed.
  private static let seed = UInt64.random(in: .min ... .max)

  /// Hashes eight bytes at a time; the two halves of a product mix them, as in wyhash.
  @inline(__always)
  private static func hash(_ text: Text) -> UInt64 {
    func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
      let product = a.multipliedFullWidth(by: b)
      return product.high ^ product.low
    }
    let bytes = unsafe text.span.bytes
    let count = bytes.byteCount
    @inline(__always) func word<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _: T.Type) -> UInt64 {
      // Every bit pattern is a number; the conditions below keep the offset in bounds.
      UInt64(unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: T.self))
    }
    var hash = seed ^ UInt64(count)
    guard count > 0 else { return mix(hash, 0xA076_1D64_78BD_642F) }
    var offset = 0
    while offset + 8 < count {
      hash = mix(hash ^ word(offset, UInt64.self), 0xE703_7ED1_A0B4_28DB)
      offset += 8
    }
    // The last one to eight bytes; with fewer than eight, the loads overlap.
    let last: UInt64
    if count >= 8 {
      last = word(count - 8, UInt64.self)
    } else if count >= 4 {
      last = word(0, UInt32.self) << 32 | word(count - 4, UInt32.self)
    } else {
      last = word(0, UInt8.self) << 16 | word(count / 2, UInt8.self) << 8 | word(count - 1, UInt8.self)
    }
    return mix(hash ^ last, 0xA076_1D64_78BD_642F)
  }
}
