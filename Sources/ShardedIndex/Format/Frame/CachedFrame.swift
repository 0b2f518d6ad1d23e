/// A page or a node of a manifest in memory: its content, before which stands what only its place gives, and behind a
/// node's the lower bound of what comes behind it.
///
/// It has no owner: the holder of the last copy frees the memory.
struct CachedFrame: @unchecked Sendable {
  struct Header {
    /// The one that was kept before it; nil if there is none.
    var kept: UnsafeMutableRawPointer? = nil
    let contentSize: Int
    /// Records in all shards before it.
    let firstRecord: Int
    /// The end of its frame in the file, at which the frame of a node's first child begins.
    let end: Int
    /// The size of the bound behind the content in bytes; nil if nothing comes behind.
    let nextSize: Int?
    let nextIsContinuation: Bool
  }

  /// Bytes before the content, which is aligned to 16.
  static let headerSize = (MemoryLayout<Header>.size + 15) & ~15

  let content: UnsafeMutableRawPointer

  private var start: UnsafeMutableRawPointer { content - Self.headerSize }
  var header: UnsafeMutablePointer<Header> { start.assumingMemoryBound(to: Header.self) }

  /// Bytes of content, and of the bound behind it.
  var size: Int { header.pointee.contentSize + (header.pointee.nextSize ?? 0) }

  var next: ManifestNode.Next? {
    guard let size = header.pointee.nextSize else { return nil }
    let bytes = (content + header.pointee.contentSize).assumingMemoryBound(to: UInt8.self)
    return ManifestNode.Next(
      bound: .init(start: bytes, count: size), isContinuation: header.pointee.nextIsContinuation)
  }

  /// Room for content that is still to come.
  static func allocate(contentSize: Int, nextSize: Int) -> CachedFrame {
    let start = UnsafeMutableRawPointer.allocate(byteCount: headerSize + contentSize + nextSize, alignment: 16)
    return CachedFrame(content: start + headerSize)
  }

  func copy() -> CachedFrame {
    let copy = Self.allocate(contentSize: header.pointee.contentSize, nextSize: header.pointee.nextSize ?? 0)
    copy.start.copyMemory(from: start, byteCount: Self.headerSize + size)
    return copy
  }

  func deallocate() { start.deallocate() }
}
