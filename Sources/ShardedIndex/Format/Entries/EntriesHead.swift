/// The content of the only frame of the chain of entries: the file of their manifest, and the last components of keys.
/// Source: docs/format.md section 3.13.
package struct EntriesHead: Equatable, Sendable {
  package static let magic: UInt32 = 0x3145_5153  // "SQE1"
  package static let kind: UInt8 = 4
  /// The label of the file's name.
  package static let label = Array("entries".utf8)

  /// The size of the entries' manifest, in bytes.
  package let fileSize: Int
  /// The first 16 bytes of the manifest's SHA-256.
  package let digest: [UInt8]
  /// The checksum of the frame of the manifest's root.
  package let rootChecksum: UInt32
  package let lastComponents: LastComponents

  package init(fileSize: Int, digest: [UInt8], rootChecksum: UInt32, lastComponents: LastComponents) {
    (self.fileSize, self.digest) = (fileSize, digest)
    (self.rootChecksum, self.lastComponents) = (rootChecksum, lastComponents)
  }

  /// The name of the file of the entries' manifest.
  package var fileName: FileName { FileName(label: Self.label, digest: digest) }

  /// The largest content of the frame, in bytes.
  static let contentLimit = 33 + 5 + LastComponents.byteLimit + 5 * LastComponents.countLimit

  /// - Parameter content: The content of the frame.
  package init(_ content: [UInt8]) throws(FormatError) {
    self = unsafe try content.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      var reader = unsafe ByteReader(bytes)
      let magic = try reader.read(UInt32.self)
      guard magic == Self.magic else { throw .wrongMagic(found: magic, expected: Self.magic) }
      let kind = try reader.read(UInt8.self)
      guard kind == Self.kind else {
        // Entries led to other records in earlier kinds.
        let reason = kind < Self.kind ? "an earlier kind; build the index again" : "the unknown kind \(kind)"
        throw .invalid(reason: "has entries of " + reason, offset: 4)
      }
      let size = try reader.read(UInt64.self)
      guard size > 0, size <= UInt64(Int64.max) else {
        throw .invalid(reason: "has a manifest of entries of \(size) bytes", offset: 5)
      }
      let digest = unsafe Array(try reader.read(bytes: 16))
      let checksum = try reader.read(UInt32.self)
      let lastComponents = try LastComponents(&reader)
      guard reader.remaining == 0 else {
        throw .invalid(reason: "has \(reader.remaining) bytes behind the last components", offset: reader.offset)
      }
      return EntriesHead(
        fileSize: try ByteReader.count(size, at: 5), digest: digest, rootChecksum: checksum,
        lastComponents: lastComponents)
    }
  }

  /// The content of the frame.
  package var content: [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(Self.kind)
    writer.write(UInt64(fileSize))
    writer.write(digest)
    writer.write(rootChecksum)
    lastComponents.write(to: &writer)
    return writer.bytes
  }
}

/// The last components of an index's keys in plain form, ascending; empty if there are too many of them.
package struct LastComponents: Equatable, Sendable {
  /// The most components in the list, and the most bytes of all of them.
  package static let countLimit = 4096
  package static let byteLimit = 64 << 10

  private var bytes: [UInt8] = []
  private var ends: [UInt32] = []
  /// Whether there are too many of them.
  package private(set) var isOver = false

  package init() {}

  /// The list of too many components.
  package static var over: LastComponents {
    var over = LastComponents()
    over.isOver = true
    return over
  }

  package init(_ texts: Set<[UInt8]>) {
    isOver = texts.count > Self.countLimit || texts.reduce(0) { $0 + $1.count } > Self.byteLimit
    if !isOver { for text in texts.sorted(by: { $0.lexicographicallyPrecedes($1) }) { append(text) } }
  }

  init(_ reader: inout ByteReader) throws(FormatError) {
    let count = try reader.readVarint()
    isOver = count == Self.countLimit + 1
    if isOver { return }
    guard count <= Self.countLimit else {
      throw .invalid(reason: "lists \(count) last components", offset: reader.offset)
    }
    for index in 0..<count {
      let offset = reader.offset
      let text = unsafe Array(try reader.read(bytes: try reader.readVarint()))
      guard bytes.count + text.count <= Self.byteLimit,
        index == 0 || self[index - 1].lexicographicallyPrecedes(text)
      else { throw .invalid(reason: "has last components that do not ascend, or too many of them", offset: offset) }
      append(text)
    }
  }

  private mutating func append(_ text: [UInt8]) {
    bytes += text
    ends.append(UInt32(bytes.count))
  }

  func write(to writer: inout ByteWriter) {
    writer.writeVarint(isOver ? Self.countLimit + 1 : count)
    for index in 0..<count {
      writer.writeVarint(self[index].count)
      writer.write(self[index])
    }
  }

  package var count: Int { ends.count }
  package var isEmpty: Bool { ends.isEmpty }
  /// The memory of the components, in bytes.
  package var size: Int { bytes.count + 4 * ends.count }

  package subscript(index: Int) -> ArraySlice<UInt8> {
    bytes[(index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])]
  }
}

extension LastComponents {
  /// Whether a word of a component begins with a text.
  ///
  /// - Complexity: O(*n*): *n* bytes of components.
  package func hasWord(beginning word: ArraySlice<UInt8>) -> Bool {
    (0..<count).contains { number in
      let component = self[number]
      var start = component.startIndex
      while start < component.endIndex {
        if component[start...].starts(with: word) { return true }
        guard let space = component[start...].firstIndex(of: Fold.space) else { return false }
        start = space + 1
      }
      return false
    }
  }
}
