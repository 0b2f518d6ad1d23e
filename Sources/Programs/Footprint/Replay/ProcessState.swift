import CLibrary

/// The kernel's figures of this process. The reads reuse memory that exists already, so that a look changes little.
package enum ProcessState {
  /// The current memory in KiB.
  package struct Memory {
    package var resident = 0
    /// The private dirty pages: the process has written them, no other process has them, and the system cannot drop
    /// them as it drops the clean pages of a program and of mapped files.
    package var privatePages = 0
  }

  package struct Totals {
    /// The most resident memory since the program was started, in KiB.
    package var peakResident = 0
    package var minorFaults = 0
    package var majorFaults = 0
    /// The bytes that read calls returned, from the system's cache or the disk, without mapped pages.
    package var bytesRead = 0
  }

  /// The bytes that this type itself has read.
  nonisolated(unsafe) private static var ownBytes = 0

  package static func memory() -> Memory? {
    read("/proc/self/smaps_rollup") { text in
      Memory(
        resident: number("Rss:", in: text), privatePages: number("Private_Dirty:", in: text))
    }
  }

  /// - Parameter others: The bytes that the rest of the measurement has read.
  package static func totals(without others: Int) -> Totals? {
    var totals = Totals()
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
    #else
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #endif
    (totals.minorFaults, totals.majorFaults) = (usage.ru_minflt, usage.ru_majflt)
    guard let peak = read("/proc/self/status", { number("VmHWM:", in: $0) }) else { return nil }
    totals.peakResident = peak
    let own = ownBytes  // Before the next read, which the kernel counts later.
    guard let read = read("/proc/self/io", { number("rchar:", in: $0) }) else { return nil }
    totals.bytesRead = read - own - others
    return totals
  }

  package static var nanoseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  private static func read<Value>(_ path: String, _ body: (UnsafePointer<CChar>) -> Value) -> Value? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 8192) { text in
      let file = open(path, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      var size = 0
      while size < 8191 {
        let count = systemRead(file, text.baseAddress! + size, 8191 - size)
        if count <= 0 { break }
        size += count
      }
      ownBytes += size
      guard size > 0 else { return nil }
      text[size] = 0
      return body(text.baseAddress!)
    }
  }

  private static func number(_ name: String, in text: UnsafePointer<CChar>) -> Int {
    guard let line = strstr(text, name) else { return 0 }
    return strtol(line + name.utf8.count, nil, 10)
  }
}

private func systemRead(_ file: CInt, _ bytes: UnsafeMutablePointer<CChar>, _ size: Int) -> Int {
  read(file, bytes, size)
}
