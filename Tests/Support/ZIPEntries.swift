/// The entries of a ZIP from its local headers and its central directory. Source: PKWARE's APPNOTE.TXT.
package struct ZIPEntries {
  package struct Entry: Equatable {
    package var name: String
    package var header: Int
    package var content: Range<Int>
    package var checksum: Int
  }

  package let bytes: [UInt8]
  package private(set) var local: [Entry] = []
  package private(set) var central: [Entry] = []
  /// The start of the central directory.
  package private(set) var centralStart = 0
  /// The count of entries in the end of the central directory.
  package private(set) var count = 0
  /// Whether the end and every record of the central directory are those of ZIP64.
  package private(set) var isWide = false

  package func number(_ offset: Int, _ size: Int) -> Int {
    (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }

  private func text(_ offset: Int, _ size: Int) -> String {
    String(decoding: bytes[offset..<offset + size], as: UTF8.self)
  }

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var at = 0
    while number(at, 4) == 0x0403_4b50 {
      let content = at + 30 + number(at + 26, 2) + number(at + 28, 2)
      let size = number(at + 18, 4)
      local.append(
        Entry(
          name: text(at + 30, number(at + 26, 2)), header: at, content: content..<content + size,
          checksum: number(at + 14, 4)))
      at = content + size
    }
    centralStart = at
    while number(at, 4) == 0x0201_4b50 {
      let (nameSize, extraSize) = (number(at + 28, 2), number(at + 30, 2))
      let name = text(at + 46, nameSize)
      var header = number(at + 42, 4)
      if header == 0xffff_ffff, number(at + 46 + nameSize, 2) == 1 { header = number(at + 50 + nameSize, 8) }
      let content = header + 30 + nameSize + number(header + 28, 2)
      central.append(
        Entry(
          name: name, header: header, content: content..<content + number(at + 20, 4), checksum: number(at + 16, 4)))
      at += 46 + nameSize + extraSize
    }
    let end = bytes.count - 22
    count = number(end + 10, 2)
    if count == 0xffff, number(end - 20, 4) == 0x0706_4b50, number(end - 12, 8) == at {
      (isWide, count) = (true, number(at + 32, 8))
    }
  }

  /// The positions of all bytes outside of the contents of the index's files.
  package var others: [Int] {
    var contents = local.dropLast().map(\.content)[...]
    return bytes.indices.filter { position in
      while let first = contents.first, first.upperBound <= position { contents.removeFirst() }
      return !(contents.first?.contains(position) ?? false)
    }
  }
}
