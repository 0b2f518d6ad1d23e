/// Whether a manifest can be no other than one of which a damaged copy is there.
///
/// Of a root follows from pages, notes and map of dots: how many records and shards there are, where sections lie, bounds,
/// sizes and checksums. What remains, in its header, and the names of fields and the settings follow from nothing: they
/// are proven where the damaged file has the very bytes, and so are pages, notes and map.
struct RootProof {
  /// Of the manifest that is to be proven; it was opened, and all that is in it read.
  let bytes: [UInt8]
  /// Of the frame that it begins with, in bytes.
  let rootSize: Int

  /// Sections 1 to 5 are of the pages, 8 and 9 of notes and map (docs/format.md §3.2).
  private static let derived: Set<UInt32> = [1, 2, 3, 4, 5, 8, 9]
  private static let headerSize = 48
  private static let entrySize = 24

  /// Why the damaged file may have been another manifest; nil if it was this one.
  func doubt(_ damaged: [UInt8]) -> String? {
    guard damaged.count == bytes.count else { return "the damaged one has another size" }
    guard damaged[rootSize...].elementsEqual(bytes[rootSize...]) else {
      return "the damaged one has other pages, notes or dots"
    }
    guard let places else { return "its root is compressed, so that the damaged one cannot be compared with it" }
    let content = places.map { bytes[$0] }
    guard let isDerived = Self.derivedBytes(of: content) else { return "its root is of another kind" }
    for (number, place) in places.enumerated() where !isDerived[number] && damaged[place] != bytes[place] {
      return "nothing here says what its settings and names of fields were"
    }
    return nil
  }

  /// Where in the file each byte of the root's content stands; nil if that is compressed.
  private var places: [Int]? {
    guard rootSize > 9 else { return nil }
    // RFC 8878, 3.1.1: a window's size unless there is one segment, then the content's size in 1, 2, 4 or 8 bytes.
    let descriptor = bytes[4]
    guard descriptor & 0x20 != 0 else { return nil }
    var at = 5 + [1, 2, 4, 8][Int(descriptor >> 6)]
    var places: [Int] = []
    while at + 3 <= rootSize {
      let header = Int(bytes[at]) | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2]) << 16
      let (size, kind) = (header >> 3, header >> 1 & 3)
      at += 3
      guard kind == 0, at + size <= rootSize else { return nil }
      places += at..<at + size
      at += size
      if header & 1 == 1 { return places }
    }
    return nil
  }

  /// For each byte of a root's content, whether it follows from pages, notes and map.
  private static func derivedBytes(of content: [UInt8]) -> [Bool]? {
    func number(_ at: Int, _ width: Int) -> Int {
      content[at..<at + width].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    guard content.count >= headerSize else { return nil }
    let sections = number(12, 4)
    guard content.count >= headerSize + entrySize * sections else { return nil }
    var isDerived = [Bool](repeating: false, count: content.count)
    func set(_ range: Range<Int>, _ value: Bool = true) { for at in range { isDerived[at] = value } }
    // Magic, version, fold, sections, records, shards; what is reserved says nothing.
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
      // No two of what an encoder writes lie in each other, and what a reader passes over could be anything.
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
