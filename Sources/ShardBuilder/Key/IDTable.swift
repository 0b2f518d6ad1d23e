import ShardedIndex

/// The ids of the records that an update changes or removes. Each id is in the table once.
///
/// The table takes the texts and about twenty bytes for each id.
struct IDTable {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  /// The numbers of ids by open addressing, -1 in a free slot. The count is a power of two, and at most half is in use.
  private var slots: [Int32] = Array(repeating: -1, count: 64)
  /// Bits of the integer ids, by ``bit(_:)``: they rule out most other values without a text of the value.
  private var integers: [UInt64] = Array(repeating: 0, count: 16)

  var count: Int { ends.count }
  /// The numbers of all ids.
  var indices: Range<Int> { 0..<count }

  func text(_ number: Int) -> ArraySlice<UInt8> { bytes[(number == 0 ? 0 : ends[number - 1])..<ends[number]] }

  /// - Returns: Whether the id is new.
  mutating func insert(_ text: Span<UInt8>) -> Bool {
    let slot = self.slot(text)
    guard slots[slot] < 0 else { return false }
    slots[slot] = Int32(count)
    bytes.append(copying: text)
    ends.append(bytes.count)
    if count * 2 > slots.count { grow() } else { note(text) }
    return true
  }

  /// Returns the number of an id; nil if the table lacks it.
  func number(of text: Span<UInt8>) -> Int? {
    let number = slots[slot(text)]
    return number < 0 ? nil : Int(number)
  }

  /// Returns the number of the id whose text is that of a value; nil if the table lacks it.
  @inline(__always)
  func number(of value: Int64, _ format: NumberFormat) -> Int? {
    if format.isWhole {
      let bit = bit(value)
      guard integers[bit >> 6] >> UInt64(bit & 63) & 1 == 1 else { return nil }
    }
    return unsafe format.withText(of: value) { unsafe number(of: $0.span) }
  }

  /// Returns the slot of an id, or the slot for it.
  private func slot(_ text: Span<UInt8>) -> Int {
    // The seed is random in each process: a forger cannot choose ids that collide.
    var hasher = Hasher()
    unsafe text.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    var slot = hasher.finalize() & (slots.count - 1)
    while slots[slot] >= 0, !isText(text, ofNumber: Int(slots[slot])) { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }

  private func isText(_ text: Span<UInt8>, ofNumber number: Int) -> Bool {
    compareBytes(bytes.span.extracting(self.text(number).indices), text) == 0
  }

  @inline(__always) private func bit(_ value: Int64) -> Int {
    let bits = UInt64(integers.count * 64)
    // The hash needs a product that wraps.
    return Int((UInt64(bitPattern: value) &* 0x9E37_79B9_7F4A_7C15) >> 11 & (bits - 1))
  }

  private mutating func note(_ text: Span<UInt8>) {
    guard let value = Int64(String(decoding: Array(copying: text), as: UTF8.self)) else { return }
    let bit = bit(value)
    integers[bit >> 6] |= 1 << UInt64(bit & 63)
  }

  private mutating func grow() {
    slots = Array(repeating: -1, count: slots.count * 4)
    integers = Array(repeating: 0, count: slots.count / 4)
    for number in 0..<count {
      let text = Array(text(number))
      slots[slot(text.span)] = Int32(number)
      note(text.span)
    }
  }
}

extension NumberFormat {
  /// Calls `body` with the text of a value; the format must not be of type 0.
  @inline(__always)
  func withText<Result>(of value: Int64, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.longestText) { text in
      let size = unsafe write(value, to: text.baseAddress!)
      return unsafe body(UnsafeBufferPointer(rebasing: text[..<size]))
    }
  }
}
