extension Manifest {
  /// A kind of section, by its number in the file. Readers pass over sections with other numbers.
  package enum Section: UInt32, CaseIterable, Sendable {
    /// u64 per child: the head of its lower bound.
    case heads = 1
    /// u64 per child and one more: the number of records in all children before it.
    case firstRecords = 2
    /// u32 per child: the end of its lower bound in `bounds`.
    case boundEnds = 3
    /// The lower bounds, one after the other.
    case bounds = 4
    /// A ``ManifestNode/Entry`` per child.
    case children = 5
    /// Per field a varint size and its path.
    case fieldNames = 6
    /// The settings: pairs of texts, each with a varint size before it.
    case settings = 7
    /// A ``Chain`` in 12 bytes; optional.
    case notes = 8
    /// A ``Chain`` in 12 bytes; optional.
    case densityGrid = 9
    /// A ``Chain`` in 12 bytes; optional.
    case ranks = 10
    /// A ``Chain`` in 12 bytes; optional.
    case sides = 11
    /// A ``Chain`` in 12 bytes; optional.
    case entries = 12
    /// A ``Chain`` in 12 bytes; optional.
    case starts = 13
    /// A ``Chain`` in 12 bytes; optional.
    case numbers = 14
  }

  /// The chains of frames behind the pages. Source: docs/format.md section 3.2.
  struct Chains {
    private(set) var notes: Chain?
    private(set) var densityGrid: Chain?
    private(set) var ranks: Chain?
    private(set) var sides: Chain?
    private(set) var entries: Chain?
    private(set) var starts: Chain?
    private(set) var numbers: Chain?
    /// The size of all chains, in bytes.
    private(set) var size = 0

    init(_ sections: SectionTable) throws(FormatError) {
      let numbers = sections.numbers
      // A reader passes over unknown chains.
      for number in 8...31 as ClosedRange<UInt32> where numbers & 1 << number != 0 {
        guard let chain = try sections.chain(number, after: size) else { continue }
        guard chain.size <= Manifest.chainLimit - size else {
          throw .invalid(reason: "has section \(number) of \(chain.size) bytes, which is too large", offset: 0)
        }
        size = chain.end
        guard let section = Section(rawValue: number) else { continue }
        guard chain.contentSize <= Manifest.contentLimit else {
          throw .invalid(reason: "has section \(number) in too large a frame", offset: 0)
        }
        switch section {
        case .notes: notes = chain
        case .densityGrid: densityGrid = chain
        case .ranks: ranks = chain
        case .sides: sides = chain
        case .entries: entries = chain
        case .starts: starts = chain
        case .numbers: self.numbers = chain
        default: break
        }
      }
    }
  }

  /// A run of frames behind the pages. The content of the first frame has the checksums of the others. Sizes are in
  /// bytes.
  struct Chain {
    /// The offset of the first frame from the end of the pages.
    var start: Int
    /// The size of all frames of the chain.
    var size: Int
    /// The size of the first frame's content.
    var contentSize: Int
    /// The checksum that the first frame has of its content.
    var checksum: UInt32

    static let width = 12
    var end: Int { start + size }
  }

  /// The fixed fields at the beginning of a root.
  struct RootHeader {
    let foldVersion: UInt32
    let sectionCount: Int
    let recordCount: Int
    let shardCount: Int
    let shardLimit: Int
    let fieldCount: Int
    let partSize: Int

    init(_ reader: inout ByteReader) throws(FormatError) {
      let magic = try reader.read(UInt32.self)
      guard magic == Manifest.magic else { throw .wrongMagic(found: magic, expected: Manifest.magic) }
      let version = Int(try reader.read(UInt16.self))
      guard version == Manifest.version else {
        throw .unsupportedVersion(found: version, supported: Manifest.version)
      }
      _ = try reader.read(UInt16.self)
      foldVersion = try reader.read(UInt32.self)
      sectionCount = try reader.readCount()
      let hash = try reader.read(UInt64.self)
      guard foldVersion == Fold.version, hash == Fold.tableHash else {
        throw .otherFold(found: UInt32(truncatingIfNeeded: hash), supported: UInt32(truncatingIfNeeded: Fold.tableHash))
      }
      let records = try reader.read(UInt64.self)
      shardCount = try reader.readCount()
      shardLimit = try reader.readCount()
      fieldCount = try reader.readCount()
      partSize = try reader.readCount()
      guard fieldCount <= Manifest.fieldLimit, sectionCount <= 64,
        (records == 0) == (shardCount == 0)
      else { throw .invalid(reason: "has counts that are too large for an index", offset: 24) }
      recordCount = try ByteReader.count(records, at: 24)
    }
  }

  /// The table of a root's sections; valid as long as the root's bytes.
  @safe struct SectionTable {
    private let content: UnsafeRawBufferPointer
    /// The offset of the table, in bytes.
    private let start: Int
    private let count: Int

    /// - Parameter reader: The reader, which passes over the table.
    init(_ header: RootHeader, _ reader: inout ByteReader, of storage: UnsafeMutableRawBufferPointer)
      throws(FormatError)
    {
      unsafe (content, start, count) = (UnsafeRawBufferPointer(storage), reader.offset, header.sectionCount)
      _ = unsafe try reader.read(bytes: 24 * count)
    }

    /// The numbers of the sections below 32, a bit each.
    var numbers: UInt32 {
      (0..<count).reduce(0) { numbers, index in
        let number = UInt32(littleEndian: load(start + 24 * index))
        return number < 32 ? numbers | 1 << number : numbers
      }
    }

    /// Returns the bytes of a section by the table; nil if the table has no such number.
    private func optional(_ section: UInt32, size wanted: Int?) throws(FormatError) -> UnsafeBufferPointer<UInt8>? {
      for index in 0..<count {
        let entry = start + 24 * index
        guard UInt32(littleEndian: load(entry)) == section else { continue }
        let (offset, length) = (UInt64(littleEndian: load(entry + 8)), UInt64(littleEndian: load(entry + 16)))
        let size = unsafe UInt64(content.count)
        guard offset <= size, length <= size - offset, wanted == nil || length == UInt64(wanted!) else {
          throw .invalid(reason: "has section \(section) with \(length) bytes at \(offset)", offset: entry)
        }
        return unsafe content.bindMemory(to: UInt8.self).extracting(Int(offset)..<Int(offset + length))
      }
      return nil
    }

    /// Returns the bytes of a section that every root has.
    func required(_ section: Section, size: Int?) throws(FormatError) -> UnsafeBufferPointer<UInt8> {
      if let found = unsafe try optional(section.rawValue, size: size) { return unsafe found }
      throw .invalid(reason: "lacks section \(section.rawValue)", offset: start)
    }

    /// Returns the frames that a section describes; nil if there is no such section.
    func chain(_ section: UInt32, after start: Int) throws(FormatError) -> Chain? {
      guard let entry = unsafe try optional(section, size: Chain.width) else { return nil }
      var reader = unsafe ByteReader(entry)
      return Chain(
        start: start, size: try reader.readCount(), contentSize: try reader.readCount(),
        checksum: try reader.read(UInt32.self))
    }

    /// Loads a value of the table, which lies within the content: the reader has passed it.
    private func load<T: BitwiseCopyable>(_ offset: Int) -> T {
      unsafe content.loadUnaligned(fromByteOffset: offset, as: T.self)
    }
  }

  /// The sections that list the children of a root.
  @safe struct Lists {
    private let heads: UnsafeBufferPointer<UInt8>
    private let firstRecords: UnsafeBufferPointer<UInt8>
    private let ends: UnsafeBufferPointer<UInt8>
    private let texts: UnsafeBufferPointer<UInt8>
    private let children: UnsafeBufferPointer<UInt8>
    private let count: Int
    private let level: Int

    init(_ sections: SectionTable, count: Int, level: Int) throws(FormatError) {
      unsafe heads = try sections.required(.heads, size: 8 * count)
      unsafe firstRecords = try sections.required(.firstRecords, size: 8 * (count + 1))
      unsafe ends = try sections.required(.boundEnds, size: 4 * count)
      unsafe texts = try sections.required(.bounds, size: nil)
      unsafe children = try sections.required(.children, size: ManifestNode.ChildLocation.width(ofLevel: level) * count)
      (self.count, self.level) = (count, level)
    }

    /// The lower bounds, checked.
    var bounds: BoundTable {
      get throws(FormatError) {
        unsafe try BoundTable(count: count, heads: heads.baseAddress!, ends: ends.baseAddress!, texts: texts)
      }
    }

    func tables(_ bounds: BoundTable) -> ManifestTables {
      unsafe ManifestTables(
        bounds, firstRecords: firstRecords.baseAddress!, entries: children.baseAddress!, level: level)
    }
  }
}
