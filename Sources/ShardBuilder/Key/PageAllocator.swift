import CLibrary

/// Large buffers straight from the system: untouched they take no memory, and let go they give it back at once.
///
/// glibc's `malloc` keeps freed memory. After the sort had freed its 64 MiB, a build still held them beside the
/// buffers of the merge, 111 to 149 MiB in all.
enum PageAllocator {
  /// Returns zeros, aligned to a page. Never empty.
  private static func allocate(_ byteCount: Int) -> UnsafeMutableRawBufferPointer {
    let byteCount = max(1, byteCount)
    let start = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
    // MAP_FAILED, a macro that is not imported, is -1.
    guard let start = unsafe start, Int(bitPattern: start) != -1 else { lack(of: byteCount) }
    #if os(Linux)
      // In pages of 2 MiB where the system has them: each page that is touched first costs a fault.
      if byteCount >= 2 << 20 { _ = unsafe madvise(start, byteCount, CInt(MADV_HUGEPAGE)) }
    #endif
    return unsafe UnsafeMutableRawBufferPointer(start: start, count: byteCount)
  }

  /// Ends the process, with status 71, since nothing of the builder survives a lack of memory; an index that is there
  /// stays.
  static func lack(of byteCount: Int) -> Never {
    let text =
      "shardq: the system has no \(byteCount) bytes of memory left for this process; a build with less memory and fewer threads takes less\n"
    _ = unsafe Array(text.utf8).withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress!, $0.count) }
    _exit(71)
  }

  /// A buffer of whole pages; it is let go with the last reference to it.
  @safe final class Block: @unchecked Sendable {
    private(set) var memory: UnsafeMutableRawBufferPointer

    /// Takes zeros, aligned to a page.
    init(byteCount: Int) { unsafe memory = unsafe PageAllocator.allocate(byteCount) }
    deinit { unsafe munmap(start, size) }

    @inline(__always) var start: UnsafeMutableRawPointer { unsafe memory.baseAddress! }
    var size: Int { unsafe memory.count }

    /// Lets go of the first `byteCount` bytes, which are whole pages; those that follow stay where they are.
    func releaseFirst(_ byteCount: Int) {
      precondition(byteCount < size)
      unsafe munmap(start, byteCount)
      unsafe memory = unsafe .init(rebasing: memory[byteCount...])
    }
  }
}
