/// The name of a frame of a side file. Source: docs/format.md section 3.12.
package struct SideFrameName: Hashable, Sendable {
  /// The kind of the frame's content. A reader passes over unknown kinds.
  package var kind: UInt8
  /// The number of the frame's table among the tables of its kind.
  package var number: Int
  /// The number of the frame's group of shards; 0 for a frame of the whole page.
  package var group: Int

  package init(kind: UInt8, number: Int, group: Int) { (self.kind, self.number, self.group) = (kind, number, group) }

  /// The order of the frames in a file.
  package var order: (Int, Int, Int) { (Int(kind), number, group) }
}

/// The place and the size of a frame of a side file, in bytes.
package struct SideFrame: Equatable, Sendable {
  package var name: SideFrameName
  package var start: Int
  package var size: Int
  package var contentSize: Int
  package var checksum: UInt32

  package init(_ name: SideFrameName, start: Int, size: Int, contentSize: Int, checksum: UInt32) {
    (self.name, self.start, self.size) = (name, start, size)
    (self.contentSize, self.checksum) = (contentSize, checksum)
  }
}

/// The manifest's description of a page's side file.
package struct SidePage: Equatable, Sendable {
  /// The number of shards in a frame with tables of parts.
  package static let groupCapacity = 16
  /// The largest size of a side file, in bytes.
  package static let sizeLimit = 1 << 26
  /// The label at the beginning of side files' names.
  private static let label = [UInt8]("side".utf8)

  /// The first 16 bytes of the file's SHA-256; zeros for a page without a file.
  package var digest: [UInt8]
  /// The frames, in the order of their names.
  package var frames: [SideFrame]

  package init(digest: [UInt8], frames: [SideFrame]) { (self.digest, self.frames) = (digest, frames) }

  /// The size of the file, in bytes; 0 for a page without a file.
  package var fileSize: Int { frames.last.map { $0.start + $0.size } ?? 0 }
  /// The name of the file.
  package var fileName: FileName { FileName(label: Self.label, digest: digest) }

  /// Returns a frame; nil if the file has none of this name.
  package func frame(_ name: SideFrameName) -> SideFrame? { frames.first { $0.name == name } }
}

/// The side files of up to 64 pages: a frame of the chain of sides. Source: docs/format.md section 3.12.
package final class SideGroup: Sendable {
  package let pages: [SidePage]
  /// The memory of the group, in bytes.
  let size: Int

  /// - Parameters:
  ///   - content: The content of the group's frame.
  ///   - pageCount: The number of the group's pages.
  package init(_ content: [UInt8], pageCount: Int) throws(FormatError) {
    pages = unsafe try content.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      var reader = unsafe ByteReader(bytes)
      var pages: [SidePage] = []
      for _ in 0..<pageCount { pages.append(try Self.page(&reader)) }
      guard reader.remaining == 0 else {
        throw .invalid(reason: "has \(reader.remaining) bytes behind its last page", offset: reader.offset)
      }
      return pages
    }
    size = pages.reduce(0) { $0 + 80 + MemoryLayout<SideFrame>.stride * $1.frames.count }
  }

  private static func page(_ reader: inout ByteReader) throws(FormatError) -> SidePage {
    var digest: [UInt8] = []
    for _ in 0..<16 { digest.append(try reader.read(UInt8.self)) }
    var page = SidePage(digest: digest, frames: [])
    let count = try reader.readVarint()
    // Each frame takes at least eight bytes.
    guard count <= reader.remaining / 8 else {
      throw .invalid(reason: "has a side file of \(count) frames", offset: reader.offset)
    }
    page.frames.reserveCapacity(count)
    for _ in 0..<count {
      let name = SideFrameName(
        kind: try reader.read(UInt8.self), number: try reader.readVarint(), group: try reader.readVarint())
      guard page.frames.last.map({ $0.name.order < name.order }) ?? true else {
        throw .invalid(reason: "has a side file whose frames are not in order", offset: reader.offset)
      }
      let frame = SideFrame(
        name, start: page.fileSize, size: try reader.readVarint(), contentSize: try reader.readVarint(),
        checksum: try reader.read(UInt32.self))
      guard frame.size > 0, frame.contentSize <= ZstdFrame.contentLimit,
        frame.size <= ZstdFrame.sizeLimit(content: frame.contentSize), frame.start + frame.size <= SidePage.sizeLimit
      else { throw .invalid(reason: "has too large a frame in a side file", offset: reader.offset) }
      page.frames.append(frame)
    }
    return page
  }
}

extension SideFrameName {
  /// The frame with the sketch of a whole page.
  package static let pageSketch = SideFrameName(kind: 5, number: 0, group: 0)
  /// The frame with the sketches of some shards.
  package static func sketches(group: Int) -> SideFrameName { SideFrameName(kind: 6, number: 0, group: group) }
  /// Whether the frame has sketches.
  package var isOfSketches: Bool { kind == Self.pageSketch.kind || kind == Self.sketches(group: 0).kind }
}
