/// Numbers names in order of first appearance, by their bytes: strings that Swift calls equal may have different bytes.
///
/// At the first use of a dictionary of strings, the runtime builds the dictionary's type. This takes longer than all
/// names of a small update.
struct NameTable: Sendable {
  /// The names, each once, by number.
  private(set) var names: [String] = []
  /// The numbers by open addressing, -1 in a free slot. The count is a power of two, and at most half is in use.
  private var slots: [Int32] = []

  var count: Int { names.count }

  /// Returns a name's number; nil for a new name.
  func number(of name: String) -> Int? {
    guard !slots.isEmpty else { return nil }
    let number = slots[slot(of: name)]
    return number < 0 ? nil : Int(number)
  }

  func contains(_ name: String) -> Bool { number(of: name) != nil }

  /// Adds a name, unless the table has it.
  ///
  /// - Returns: The name's number, and whether the name is new.
  mutating func insert(_ name: String) -> (number: Int, isNew: Bool) {
    if 2 * names.count >= slots.count { grow() }
    let slot = slot(of: name)
    if slots[slot] >= 0 { return (Int(slots[slot]), false) }
    slots[slot] = Int32(names.count)
    names.append(name)
    return (names.count - 1, true)
  }

  /// Removes the last added name.
  mutating func removeLast() -> String {
    // No other name's search passes this slot, because all later names are gone.
    slots[slot(of: names[names.count - 1])] = -1
    return names.removeLast()
  }

  /// Returns the slot of a name's number, or the slot for it.
  private func slot(of name: String) -> Int {
    unsafe Self.withBytes(of: name) { bytes in
      // The seed is random in each process, so that a forger cannot choose names that collide.
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
