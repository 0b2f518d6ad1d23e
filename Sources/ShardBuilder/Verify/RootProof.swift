/// The proof that a manifest is the original of a damaged copy.
///
/// The pages, the notes, the density grid, the ranks, the sides, the entries and the numbers determine most of a root: the numbers
/// of records and shards, the offsets of sections, bounds, sizes and checksums. Nothing determines the rest of the
/// root's header, the names of fields and the settings. These are proven if the damaged file has the same bytes, and so
/// are all bytes after the root.
struct RootProof {
  /// The bytes of the manifest under proof. A reader has opened and read all of it.
  let bytes: [UInt8]
  /// The size of its first frame, in bytes.
  let rootSize: Int

  /// The sections that follow from the other frames: 1 to 5 follow from the pages, 8 to 12 and 14 from notes, grid,
  /// ranks, sides, entries and numbers (docs/format.md section 3.2).
  private static let derived: Set<UInt32> = [1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 14]
  private static let headerSize = 48
  private static let entrySize = 24

  /// Returns the reason why the damaged file may have been another manifest; nil if it was this one.
  func doubt(_ damaged: [UInt8]) -> String? {
    guard damaged.count == bytes.count else { return "the damaged manifest has another size" }
    guard damaged[rootSize...].elementsEqual(bytes[rootSize...]) else {
      return "the damaged manifest has other pages, notes, density grid, ranks, sides, entries or numbers"
    }
    guard let offsets else { return "the root of the copy's manifest is compressed, which allows no comparison" }
    let content = offsets.map { bytes[$0] }
    guard let isDerived = Self.derivedBytes(of: content) else {
      return "the root of the copy's manifest is of another kind"
    }
    for (number, offset) in offsets.enumerated() where !isDerived[number] && damaged[offset] != bytes[offset] {
      return "its settings and names of fields are damaged as well"
    }
    return nil
  }

  /// The offsets in the file of all bytes of the root's content; nil if the content is compressed.
  private var offsets: [Int]? {
    guard rootSize > 9 else { return nil }
    // RFC 8878, 3.1.1: the size of the window, unless there is one segment; then the size of the content in 1, 2, 4 or
    // 8 bytes.
    let descriptor = bytes[4]
    guard descriptor & 0x20 != 0 else { return nil }
    var at = 5 + [1, 2, 4, 8][Int(descriptor >> 6)]
    var offsets: [Int] = []
    while at + 3 <= rootSize {
      let header = Int(bytes[at]) | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2]) << 16
      let (size, kind) = (header >> 3, header >> 1 & 3)
      at += 3
      guard kind == 0, at + size <= rootSize else { return nil }
      offsets += at..<at + size
      at += size
      if header & 1 == 1 { return offsets }
    }
    return nil
  }

  /// Returns for each byte of a root's content whether it follows from pages, notes, grid, ranks and sides.
  private static func derivedBytes(of content: [UInt8]) -> [Bool]? {
    func number(_ at: Int, _ width: Int) -> Int {
      content[at..<at + width].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    guard content.count >= headerSize else { return nil }
    let sections = number(12, 4)
    guard content.count >= headerSize + entrySize * sections else { return nil }
    var isDerived = [Bool](repeating: false, count: content.count)
    func set(_ range: Range<Int>, _ value: Bool = true) { for at in range { isDerived[at] = value } }
    // Magic, version, fold, sections, records, shards; reserved bytes prove nothing.
    set(0..<6)
    set(8..<36)
    for section in 0..<sections {
      let entry = headerSize + entrySize * section
      set(entry..<entry + 4)
      set(entry + 8..<entry + entrySize)
      let (offset, size) = (number(entry + 8, 7), number(entry + 16, 7))
      guard offset <= content.count, size <= content.count - offset else { return nil }
      if derived.contains(UInt32(number(entry, 4))) { set(offset..<offset + size) }
    }
    for section in 0..<sections {
      let entry = headerSize + entrySize * section
      let (offset, size) = (number(entry + 8, 7), number(entry + 16, 7))
      // The sections of an encoder never overlap; bytes that a reader skips may have any value.
      if derived.contains(UInt32(number(entry, 4))) {
        if number(entry, 4) == 5 {
          let width = number(4, 2) == 1 ? 20 : 32
          for flags in stride(from: offset + 16, to: offset + size, by: width) { set(flags..<flags + 4, false) }
        }
      } else {
        set(offset..<offset + size, false)
      }
    }
    return isDerived
  }
}
