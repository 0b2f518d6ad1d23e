import CLibrary

/// An allocator of large buffers from the system. Untouched pages take no memory, and freed pages go back at once.
///
/// glibc's `malloc` keeps freed memory. After the sort had freed its 64 MiB, a build still held them besides the
/// buffers of the merge, 111 to 149 MiB in all.
enum PageAllocator {
  /// Returns zeros, aligned to a page and not empty.
  private static func allocate(_ byteCount: Int) -> UnsafeMutableRawBufferPointer {
    let byteCount = max(1, byteCount)
    let start = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
    // MAP_FAILED is a macro that Swift does not import; its value is -1.
    guard let start = unsafe start, Int(bitPattern: start) != -1 else { lack(of: byteCount) }
    #if os(Linux)
      // The system may give pages of 2 MiB: the first touch of each page costs a fault.
      if byteCount >= 2 << 20 { _ = unsafe madvise(start, byteCount, CInt(MADV_HUGEPAGE)) }
    #endif
    return unsafe UnsafeMutableRawBufferPointer(start: start, count: byteCount)
  }

  /// Ends the process with status 71, because no part of the builder survives a lack of memory. An index that exists
  /// stays.
  static func lack(of byteCount: Int) -> Never {
    let text =
      "shardq: the system has no \(byteCount) bytes of memory left for this process; build with less memory and fewer threads\n"
    _ = unsafe Array(text.utf8).withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress!, $0.count) }
    _exit(71)
  }

  /// A buffer of whole pages. The last reference to it frees the buffer.
  @safe final class Block: @unchecked Sendable {
    private(set) var memory: UnsafeMutableRawBufferPointer

    /// Allocates zeros, aligned to a page.
    init(byteCount: Int) { unsafe memory = unsafe PageAllocator.allocate(byteCount) }
    deinit { unsafe munmap(start, size) }

    @inline(__always) var start: UnsafeMutableRawPointer { unsafe memory.baseAddress! }
    var size: Int { unsafe memory.count }

    /// Frees the first `byteCount` bytes, which are whole pages; the other bytes stay in place.
    func releaseFirst(_ byteCount: Int) {
      precondition(byteCount < size)
      unsafe munmap(start, byteCount)
      unsafe memory = unsafe .init(rebasing: memory[byteCount...])
    }
  }
}
