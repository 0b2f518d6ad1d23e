/// A page or a node of a manifest in memory: its content, before which stands what only its position gives, and behind
/// a node's the lower bound of what comes after it.
///
/// It has no owner: the cache that drops the last reference frees the memory.
@unsafe struct CachedFrame: @unchecked Sendable {
  @safe struct Header {
    /// The content that was kept before it; nil if there is none.
    var kept: UnsafeMutableRawPointer? = nil
    let contentSize: Int
    /// The number of records in all shards before it.
    let firstRecord: Int
    /// The end of its frame in the file: that is where a node's first child begins.
    let end: Int
    /// The size of the bound behind the content, in bytes; nil if nothing comes after it.
    let nextSize: Int?
    let nextIsContinuation: Bool
  }

  /// The bytes before the content, which is aligned to 16.
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

  /// The bytes of the content, and of the bound behind it.
  var size: Int { unsafe header.contentSize + (header.nextSize ?? 0) }
  /// The number of records in all shards before it.
  @inline(__always) var firstRecord: Int { unsafe header.firstRecord }
  /// The content that was kept before it; nil if there is none.
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

  // MARK: What it holds

  /// The page that it is.
  @inline(__always) func page(shards: Int) -> ManifestPage { unsafe ManifestPage(checked: bytes, shards: shards) }

  /// The tables of the node that it is.
  ///
  /// - Parameter level: The level of its children.
  @inline(__always) func tables(count: Int, level: Int) -> ManifestTables {
    unsafe ManifestTables(bytes, count: count, level: level)
  }

  /// The node that it is.
  func node(_ number: Int, level: Int, of tree: ManifestTree) -> ManifestNode {
    unsafe ManifestNode(
      bytes, number: number, level: level, of: tree, start: header.end, firstRecord: header.firstRecord, next: next)
  }

  /// The lower bound of what comes after a node.
  private var next: ManifestNode.Next? {
    guard let size = unsafe header.nextSize else { return nil }
    return unsafe .init(
      bound: .init(start: bytes + header.contentSize, count: size), isContinuation: header.nextIsContinuation)
  }

  // MARK: Reading

  /// Decompresses a page or a node and checks it against the list that it stands in; the caller deallocates it.
  ///
  /// - Parameter frame: The compressed frame.
  init(
    reading frame: [UInt8], as reference: ManifestNode.ChildReference, of tree: ManifestTree,
    with context: Decompressor
  ) throws(FormatError) {
    let entry = reference.entry
    // A page's last bound meets the next one now; a node's are to come.
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
