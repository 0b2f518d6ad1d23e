import Glibc

/// A group of processes that have so much memory and no more, all of it counted: their own, what the system keeps of the files
/// that they read, and what it needs for them. The kernel's memory controller, of either version.
struct MemoryGroup {
  private let directory: String
  /// Whoever writes its process id here belongs to the group.
  var members: String { directory + "/cgroup.procs" }

  /// nil where there is no controller, or this process may not use it.
  init?(limitBytes: Int) {
    for (root, limit) in [("/sys/fs/cgroup", "memory.max"), ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")] {
      let directory = root + "/shardq-bench.\(getpid())"
      guard mkdir(directory, 0o755) == 0 else { continue }
      if Self.set(directory + "/" + limit, limitBytes) {
        // Nothing is put aside: what does not fit is read again from where it came.
        _ = Self.set(directory + "/memory.swap.max", 0) || Self.set(directory + "/memory.swappiness", 0)
        self.directory = directory
        return
      }
      rmdir(directory)
    }
    return nil
  }

  /// When all its processes have ended.
  func remove() {
    // The last one may take a moment to leave.
    for _ in 0..<100 where rmdir(directory) != 0 { usleep(10_000) }
  }

  private static func set(_ path: String, _ value: Int) -> Bool {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    let text = "\(value)"
    return write(file, text, text.utf8.count) == text.utf8.count
  }
}

extension Files {
  /// How much the system reads ahead of what lies on the device of a file, in KiB.
  static func readAhead(_ path: String) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    // As Linux puts both numbers into one.
    let (major, minor) = (status.st_dev >> 8 & 0xfff, status.st_dev & 0xff | status.st_dev >> 12 & 0xfff00)
    let place = "/sys/class/bdi/\(major):\(minor)/read_ahead_kb"
    guard exists(place) else { return nil }
    return Int(String(decoding: read(place).prefix { $0 > 0x20 }, as: UTF8.self))
  }
}
