#if CommandLineTool
  import Footprint

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// A writer of numbers and texts in few bytes.
  struct PackWriter {
    private(set) var bytes: [UInt8] = []

    /// Writes a number with seven bits a byte, the lowest first.
    mutating func write(_ number: UInt64) {
      var rest = number
      while rest >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(rest))
    }

    /// Writes a number in eight bytes, the lowest first.
    mutating func write(fixed number: UInt64) {
      for byte in 0..<8 as Range<UInt64> { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
    }

    mutating func write(_ text: String) {
      write(UInt64(text.utf8.count))
      bytes += text.utf8
    }
  }

  /// A reader of a file that ``PackWriter`` wrote. This program wrote it moments ago, so its bytes are trusted.
  struct PackReader {
    private let bytes: Data
    private var at: Int

    init(_ bytes: Data) { (self.bytes, at) = (bytes, bytes.startIndex) }

    private mutating func readByte() -> UInt8 {
      defer { at += 1 }
      return bytes[at]
    }

    mutating func readNumber() -> UInt64 {
      var (number, shift): (UInt64, UInt64) = (0, 0)
      while true {
        let byte = readByte()
        number |= UInt64(byte & 0x7f) << shift
        if byte < 0x80 { return number }
        shift += 7
      }
    }

    mutating func readFixed() -> UInt64 {
      (0..<8).reduce(0 as UInt64) { number, byte in number | UInt64(readByte()) << (8 * UInt64(byte)) }
    }

    mutating func readString() -> String {
      let size = Int(readNumber())
      defer { at += size }
      return String(decoding: bytes[at..<at + size], as: UTF8.self)
    }
  }

  /// A record that a compact file can hold.
  protocol PackedModel: RecordModel {
    func pack(into writer: inout PackWriter)
    init(from reader: inout PackReader)
  }

  extension City: PackedModel {
    func pack(into writer: inout PackWriter) {
      writer.write(country)
      writer.write(name)
      writer.write(UInt64(bitPattern: Int64(id)))
      writer.write(fixed: coord.lon.bitPattern)
      writer.write(fixed: coord.lat.bitPattern)
    }

    init(from reader: inout PackReader) {
      let (country, name) = (reader.readString(), reader.readString())
      let id = Int(Int64(bitPattern: reader.readNumber()))
      let (lon, lat) = (Double(bitPattern: reader.readFixed()), Double(bitPattern: reader.readFixed()))
      self.init(country: country, name: name, id: id, coord: Coordinate(lon: lon, lat: lat))
    }
  }

  extension PlainRecord: PackedModel {
    func pack(into writer: inout PackWriter) {
      writer.write(key)
      writer.write(UInt64(fields.count))
      for field in fields {
        writer.write(field == nil ? 0 : 1)
        if let field { writer.write(field) }
      }
    }

    init(from reader: inout PackReader) {
      let key = reader.readString()
      let fields = (0..<Int(reader.readNumber())).map { _ in
        reader.readNumber() == 0 ? nil : Optional(reader.readString())
      }
      self.init(key: key, fields: fields)
    }
  }

  /// A trie that was saved in a compact binary file, records and all, and is loaded whole at start: the design of the
  /// published TextIndex with SwiftPack.
  struct PackedTrie<Model: PackedModel>: PagedDesign {
    private struct Node {
      /// The number of records here and below.
      var count = 0
      /// The positions of the records that end here.
      var values: [Int] = []
      /// The children's letters in order, which a dictionary does not keep.
      var letters: [Unicode.Scalar] = []
      var children: [Unicode.Scalar: Node] = [:]
    }
    private let records: [Model]
    private let root: Node
    var page: [Model] = []

    init(_ path: String) throws {
      var reader = PackReader(try Data(contentsOf: URL(filePath: path)))
      records = (0..<Int(reader.readNumber())).map { _ in Model(from: &reader) }
      root = Self.node(&reader)
    }

    private static func node(_ reader: inout PackReader) -> Node {
      var node = Node()
      node.count = Int(reader.readNumber())
      node.values = (0..<Int(reader.readNumber())).map { _ in Int(reader.readNumber()) }
      let size = Int(reader.readNumber())
      node.letters.reserveCapacity(size)
      node.children.reserveCapacity(size)
      for _ in 0..<size {
        guard let letter = Unicode.Scalar(UInt32(reader.readNumber())) else { continue }
        node.letters.append(letter)
        node.children[letter] = self.node(&reader)
      }
      return node
    }

    mutating func add(_ beginning: KeyBeginning) -> Int {
      var node = root
      for letter in beginning.text.unicodeScalars {
        guard let child = node.children[letter] else { return 0 }
        node = child
      }
      if beginning.isWhole {
        page += node.values.prefix(room).map { records[$0] }
        return node.values.count
      }
      collect(node)
      return node.count
    }

    private mutating func collect(_ node: Node) {
      page += node.values.prefix(room).map { records[$0] }
      for letter in node.letters where room > 0 { collect(node.children[letter]!) }
    }

    /// Returns the file that ``init(_:)`` reads. The records have to be in the order of their keys.
    static func file(_ records: [Model]) -> [UInt8] {
      var writer = PackWriter()
      writer.write(UInt64(records.count))
      for record in records { record.pack(into: &writer) }
      let keys = records.map { Array(folded($0.key).unicodeScalars) }
      write(keys, 0..<keys.count, depth: 0, to: &writer)
      return writer.bytes
    }

    private static func write(
      _ keys: [[Unicode.Scalar]], _ range: Range<Int>, depth: Int, to writer: inout PackWriter
    ) {
      // The keys are sorted, so those that end here come first.
      var ended = range.lowerBound
      while ended < range.upperBound, keys[ended].count == depth { ended += 1 }
      var groups: [Range<Int>] = []
      var start = ended
      while start < range.upperBound {
        var end = start + 1
        while end < range.upperBound, keys[end][depth] == keys[start][depth] { end += 1 }
        groups.append(start..<end)
        start = end
      }
      writer.write(UInt64(range.count))
      writer.write(UInt64(ended - range.lowerBound))
      for position in range.lowerBound..<ended { writer.write(UInt64(position)) }
      writer.write(UInt64(groups.count))
      for group in groups {
        writer.write(UInt64(keys[group.lowerBound][depth].value))
        write(keys, group, depth: depth + 1, to: &writer)
      }
    }
  }
#endif
