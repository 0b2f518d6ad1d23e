/// The names of members so far, each at its place in the nesting, with the member that mostly comes next.
///
/// Records mostly have the same members in the same order. So a node stores its name as the dataset has it, with the
/// quotes, and the node that followed last: one comparison of up to 16 bytes finds the next name.
struct NameTree: ~Copyable {
  struct Node {
    // The name's first 16 bytes in quotes, and a mask of the bytes that count.
    fileprivate var key: (UInt64, UInt64) = (0, 0)
    fileprivate var mask: (UInt64, UInt64) = (.max, .max)
    /// 0 for a name that JSON spells without escapes: only such names are found by their bytes.
    fileprivate var isEscaped: UInt64 = 1
    /// The offset in ``NameTree/spelled``, at the first quote.
    fileprivate var offset = 0
    var size = 0
    fileprivate var hash = 0
    fileprivate var parent: Int32 = -1
    /// The member that mostly comes next in the same object; -1 if unknown.
    var next: Int32 = -1
    /// The member that mostly comes first in an object of this name.
    var first: Int32 = -1
    /// Its number in ``FieldNames``, once it had a value of its own.
    var field: Int32 = -1
    /// The number of the last record with this member.
    var serial = 0
  }

  /// The nodes; number 0 is the record itself.
  private(set) var nodes = RawVector<Node>(capacity: 64)
  private var spelled = RawVector<UInt8>(capacity: 1 << 10)
  /// The node numbers by hash; -1 in a free slot. The size is a power of two, and at most half is in use.
  private var table = [Int32](repeating: -1, count: 128)

  /// The most nodes. With more names, or more bytes of them, the objects are not records but tables of entries.
  static let nodeLimit = 1 << 18
  static let bytesLimit = 16 << 20

  init() { nodes.append(Node()) }

  @inline(__always) subscript(number: Int32) -> Node {
    get { nodes[Int(number)] }
    nonmutating _modify { yield &nodes[Int(number)] }
  }

  /// Returns whether the name of `number` in quotes is at `p`.
  ///
  /// Reads up to 16 bytes, and none after the window's padding, because a name with a NUL never matches.
  @inline(__always) func matches(_ number: Int32, _ p: Bytes) -> Bool {
    let head = unsafe (Word.load(p) ^ self[number].key.0) & self[number].mask.0
    let rest = unsafe (Word.load(p + 8) ^ self[number].key.1) & self[number].mask.1
    guard head | rest | self[number].isEscaped == 0 else { return false }
    return unsafe self[number].size <= 16 || matchesRest(number, p)
  }

  @inline(never) private func matchesRest(_ number: Int32, _ p: Bytes) -> Bool {
    let (offset, size) = (self[number].offset, self[number].size)
    for index in 16..<size where unsafe spelled[offset + index] != p[index] { return false }
    return true
  }

  /// Returns the member called `name` of an object `parent`, and adds a new one; nil if there are too many.
  mutating func node(parent: Int32, name: UnsafeBufferPointer<UInt8>) -> Int32? {
    // The key is random in each process, so that a forger cannot make a dataset whose names all fall into one slot.
    var hasher = Hasher()
    hasher.combine(parent)
    unsafe hasher.combine(bytes: .init(name))
    let hash = hasher.finalize()
    var slot = hash & (table.count - 1)
    while table[slot] >= 0 {
      let node = nodes[Int(table[slot])]
      if node.hash == hash, node.parent == parent, node.size == name.count + 2,
        unsafe name.elementsEqual(self.name(of: node))
      {
        return table[slot]
      }
      slot = (slot + 1) & (table.count - 1)
    }
    guard nodes.count < Self.nodeLimit, spelled.count + name.count + 2 <= Self.bytesLimit else { return nil }
    let number = Int32(nodes.count)
    unsafe nodes.append(added(parent: parent, name: name, hash: hash))
    table[slot] = number
    if nodes.count * 2 > table.count { growTable() }
    return number
  }

  private mutating func added(parent: Int32, name: some Collection<UInt8>, hash: Int) -> Node {
    var node = Node()
    (node.offset, node.size, node.hash, node.parent) = (spelled.count, name.count + 2, hash, parent)
    spelled.append(UInt8(ascii: "\""))
    for byte in name { spelled.append(byte) }
    spelled.append(UInt8(ascii: "\""))
    let spellable = name.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    guard spellable else { return node }
    node.isEscaped = 0
    func word(_ first: Int) -> (UInt64, UInt64) {
      var (key, mask): (UInt64, UInt64) = (0, 0)
      for index in first..<max(first, min(first + 8, node.size)) {
        key |= UInt64(spelled[node.offset + index]) << UInt64(8 * (index - first))
        mask |= 0xFF << UInt64(8 * (index - first))
      }
      return (key, mask)
    }
    (node.key.0, node.mask.0) = word(0)
    (node.key.1, node.mask.1) = word(8)
    return node
  }

  private mutating func growTable() {
    table = [Int32](repeating: -1, count: table.count * 4)
    for number in 1..<nodes.count {
      var slot = nodes[number].hash & (table.count - 1)
      while table[slot] >= 0 { slot = (slot + 1) & (table.count - 1) }
      table[slot] = Int32(number)
    }
  }

  private func name(of node: Node) -> UnsafeBufferPointer<UInt8> {
    unsafe stretch(spelled.start + node.offset + 1, spelled.start + node.offset + node.size - 1)
  }

  /// The member's own name.
  func name(_ number: Int32) -> String {
    unsafe String(decoding: name(of: nodes[Int(number)]), as: UTF8.self)
  }

  /// The path from the record to the member, in the form of ``FieldNames``.
  func path(_ number: Int32) -> String {
    var steps: [Int32] = []
    var number = number
    while number > 0 {
      steps.append(number)
      number = nodes[Int(number)].parent
    }
    var path = ""
    while let step = steps.popLast() {
      path += FieldPath.step(name(step))
      if !steps.isEmpty { path += "." }
    }
    return path
  }
}
