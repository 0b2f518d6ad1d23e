/// Numbers texts in order of first appearance.
///
/// The texts are the caller's and have to stay where they are as long as the table does. Takes four bytes for each slot,
/// and there are twice to four times as many as texts that it has room for.
struct TextTable {
  /// Each once, by number.
  private(set) var texts: [UnsafeBufferPointer<UInt8>] = []
  private var slots: [Int32]  // Numbers by open addressing, -1 where there is none.

  /// - Parameter limit: The most different texts that ``number(of:)`` will be given.
  init(limit: Int) {
    var size = 16
    while size < 2 * limit { size *= 2 }
    slots = Array(repeating: -1, count: size)
  }

  mutating func number(of text: UnsafeBufferPointer<UInt8>) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: Self.hash(text)) & mask
    while slots[slot] >= 0 {
      let number = Int(slots[slot])
      if equalBytes(texts[number], text) { return number }
      slot = (slot + 1) & mask
    }
    slots[slot] = Int32(texts.count)
    texts.append(text)
    return texts.count - 1
  }

  /// Chosen anew in each process, so that nobody can prepare texts that meet. It does not show in any number.
  private static let seed = UInt64.random(in: .min ... .max)

  /// Eight bytes at a time, each mixed by the two halves of a product, as wyhash does.
  @inline(__always)
  private static func hash(_ text: UnsafeBufferPointer<UInt8>) -> UInt64 {
    func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
      let product = a.multipliedFullWidth(by: b)
      return product.high ^ product.low
    }
    let count = text.count
    var hash = seed ^ UInt64(truncatingIfNeeded: count)
    guard let start = UnsafeRawPointer(text.baseAddress), count > 0 else { return mix(hash, 0xA076_1D64_78BD_642F) }
    var offset = 0
    while offset + 8 < count {
      hash = mix(hash ^ start.loadUnaligned(fromByteOffset: offset, as: UInt64.self), 0xE703_7ED1_A0B4_28DB)
      offset += 8
    }
    // The last one to eight bytes; loads overlap where there are no eight.
    let last: UInt64
    if count >= 8 {
      last = start.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    } else if count >= 4 {
      let high = start.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
      last = UInt64(start.loadUnaligned(as: UInt32.self)) << 32 | UInt64(high)
    } else {
      last = UInt64(text[0]) << 16 | UInt64(text[count / 2]) << 8 | UInt64(text[count - 1])
    }
    return mix(hash ^ last, 0xA076_1D64_78BD_642F)
  }
}
