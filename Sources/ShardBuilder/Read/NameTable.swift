/// Numbers names in order of first appearance, by their bytes: strings that are equal to Swift may differ in them.
///
/// A dictionary by strings would be made up by the runtime when a program first uses it, which takes longer than a
/// small update has for all its names.
struct NameTable: Sendable {
  /// The names, each once, by number.
  private(set) var names: [String] = []
  /// Numbers by open addressing, -1 where there is none; a power of two, at most half of it in use.
  private var slots: [Int32] = []

  var count: Int { names.count }

  /// Returns a name's number; nil if it is not among the names.
  func number(of name: String) -> Int? {
    guard !slots.isEmpty else { return nil }
    let number = slots[slot(of: name)]
    return number < 0 ? nil : Int(number)
  }

  func contains(_ name: String) -> Bool { number(of: name) != nil }

  /// Adds a name, unless it is there.
  ///
  /// - Returns: Its number, and whether it was not there.
  mutating func insert(_ name: String) -> (number: Int, isNew: Bool) {
    if 2 * names.count >= slots.count { grow() }
    let slot = slot(of: name)
    if slots[slot] >= 0 { return (Int(slots[slot]), false) }
    slots[slot] = Int32(names.count)
    names.append(name)
    return (names.count - 1, true)
  }

  /// Takes back the name that was added last.
  mutating func removeLast() -> String {
    // No other one's search leads past its slot: all that came later are gone.
    slots[slot(of: names[names.count - 1])] = -1
    return names.removeLast()
  }

  /// Returns the slot that has a name's number, or would have it.
  private func slot(of name: String) -> Int {
    unsafe Self.withBytes(of: name) { bytes in
      // Seeded anew in each process, so that no dataset can have names chosen to meet.
      var hasher = Hasher()
      unsafe hasher.combine(bytes: .init(bytes))
      let mask = slots.count - 1
      var slot = hasher.finalize() & mask
      while slots[slot] >= 0, unsafe !Self.withBytes(of: names[Int(slots[slot])], { unsafe $0.elementsEqual(bytes) }) {
        slot = (slot + 1) & mask
      }
      return slot
    }
  }

  private mutating func grow() {
    slots = Array(repeating: -1, count: max(64, 2 * slots.count))
    for number in names.indices { slots[slot(of: names[number])] = Int32(number) }
  }

  @inline(__always)
  private static func withBytes<Value>(of name: String, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
    unsafe name.utf8.withContiguousStorageIfAvailable(body) ?? Array(name.utf8).withUnsafeBufferPointer(body)
  }
}
