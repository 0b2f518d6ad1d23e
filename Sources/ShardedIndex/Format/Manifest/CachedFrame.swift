/// A page or a node of a manifest in memory. A header with facts of its position stands before the content. The next
/// lower bound stands behind the content of a node.
///
/// The cache that drops the last reference frees the memory.
@unsafe struct CachedFrame: @unchecked Sendable {
  @safe struct Header {
    /// The frame that was kept before this one; nil if there is none.
    var kept: UnsafeMutableRawPointer? = nil
    let contentSize: Int
    /// The number of records in all shards before the frame's.
    let firstRecord: Int
    /// The end of its frame in the file, where a node's first child begins.
    let end: Int
    /// The size of the bound behind the content, in bytes; nil for a page, and for the last node of a level.
    let nextSize: Int?
    let nextIsContinuation: Bool
  }

  /// The size of the header, in bytes. The content is aligned to 16.
  private static let headerSize = (MemoryLayout<Header>.size + 15) & ~15

  let content: UnsafeMutableRawPointer

  init(content: UnsafeMutableRawPointer) { unsafe self.content = content }

  @inline(__always) private var start: UnsafeMutableRawPointer { unsafe content - Self.headerSize }
  @inline(__always) private var bytes: UnsafePointer<UInt8> {
    unsafe .init(content.assumingMemoryBound(to: UInt8.self))
  }
  @inline(__always) private var header: Header {
    unsafeAddress { unsafe .init(start.assumingMemoryBound(to: Header.self)) }
    nonmutating unsafeMutableAddress { unsafe start.assumingMemoryBound(to: Header.self) }
  }

  /// The size of the content and of the bound behind it, in bytes.
  var size: Int { unsafe header.contentSize + (header.nextSize ?? 0) }
  /// The number of records in all shards before the frame's.
  @inline(__always) var firstRecord: Int { unsafe header.firstRecord }
  /// The frame that was kept before this one; nil if there is none.
  var kept: UnsafeMutableRawPointer? { unsafe header.kept }
  func setKept(_ content: UnsafeMutableRawPointer?) { unsafe header.kept = content }

  private static func allocate(_ header: Header) -> CachedFrame {
    let size = unsafe headerSize + header.contentSize + (header.nextSize ?? 0)
    let frame = unsafe CachedFrame(content: .allocate(byteCount: size, alignment: 16) + headerSize)
    unsafe frame.start.initializeMemory(as: Header.self, to: header)
    return unsafe frame
  }

  func copy() -> CachedFrame {
    let copy = unsafe Self.allocate(header)
    unsafe copy.content.copyMemory(from: content, byteCount: size)
    return unsafe copy
  }

  func deallocate() { unsafe start.deallocate() }

  // MARK: Content

  /// The page, if the frame is a page.
  @inline(__always) func page(shards: Int) -> ManifestPage { unsafe ManifestPage(checked: bytes, shards: shards) }

  /// The tables of the node, if the frame is a node.
  ///
  /// - Parameter level: The level of the node's children.
  @inline(__always) func tables(count: Int, level: Int) -> ManifestTables {
    unsafe ManifestTables(bytes, count: count, level: level)
  }

  /// The node, if the frame is a node.
  func node(_ number: Int, level: Int, of tree: ManifestTree) -> ManifestNode {
    unsafe ManifestNode(
      bytes, number: number, level: level, of: tree, start: header.end, firstRecord: header.firstRecord, next: next)
  }

  /// The lower bound of the child behind a node's last one.
  private var next: ManifestNode.Next? {
    guard let size = unsafe header.nextSize else { return nil }
    return unsafe .init(
      bound: .init(start: bytes + header.contentSize, count: size), isContinuation: header.nextIsContinuation)
  }

  // MARK: Reading

  /// Decompresses a page or a node and checks it against the list that names it. The caller deallocates it.
  ///
  /// - Parameter frame: The compressed frame.
  init(
    reading frame: [UInt8], as reference: ManifestNode.ChildReference, of tree: ManifestTree,
    with context: Decompressor
  ) throws(FormatError) {
    let entry = reference.entry
    // A page's last bound is compared with the next one now; a node's bounds are compared later.
    let next = reference.level == 0 ? nil : reference.next
    unsafe self = try frame.withUnsafeBufferPointer { (frame) throws(FormatError) -> CachedFrame in
      let size = unsafe try ZstdFrame.contentSize(of: frame, checksum: entry.checksum, size: entry.contentSize)
      let read = unsafe Self.allocate(
        Header(
          contentSize: size, firstRecord: reference.firstRecord, end: reference.start + entry.frameSize,
          nextSize: next?.bound.count, nextIsContinuation: next?.isContinuation ?? false))
      do throws(FormatError) {
        unsafe try ZstdFrame.decompress(frame, into: .init(start: read.content, count: size), with: context)
        let content = unsafe UnsafeBufferPointer(start: read.bytes, count: size)
        if reference.level == 0 {
          unsafe try ManifestPage.check(content, reference, of: tree)
        } else {
          unsafe try ManifestNode.check(content, reference, of: tree)
        }
      } catch {
        unsafe read.deallocate()
        throw error
      }
      if let next, let bound = unsafe next.bound.baseAddress {
        unsafe (read.content + size).copyMemory(from: bound, byteCount: next.bound.count)
      }
      return unsafe read
    }
  }
}
