import Glibc

/// A group of processes with a limit of all their memory: their own, the cached pages of their files, and the kernel's
/// memory for them. It uses the kernel's memory controller, of either version.
struct MemoryGroup {
  private let directory: String
  /// The file to which a process writes its id to belong to the group.
  var members: String { directory + "/cgroup.procs" }

  /// Makes a group; nil where there is no controller, or this process may not use it.
  init?(limitBytes: Int) {
    for (root, limit) in [("/sys/fs/cgroup", "memory.max"), ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")] {
      let directory = root + "/shardq-bench.\(getpid())"
      guard mkdir(directory, 0o755) == 0 else { continue }
      if Self.set(directory + "/" + limit, limitBytes) {
        // No swap: pages that do not fit are read again from their files.
        _ = Self.set(directory + "/memory.swap.max", 0) || Self.set(directory + "/memory.swappiness", 0)
        self.directory = directory
        return
      }
      rmdir(directory)
    }
    return nil
  }

  /// Removes the group once all its processes have ended.
  func remove() {
    // The last process may take a moment to leave.
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
  /// Returns the read-ahead of the device of a file, in KiB.
  static func readAhead(_ path: String) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    // Linux packs both numbers into one.
    let (major, minor) = (status.st_dev >> 8 & 0xfff, status.st_dev & 0xff | status.st_dev >> 12 & 0xfff00)
    let place = "/sys/class/bdi/\(major):\(minor)/read_ahead_kb"
    guard exists(place) else { return nil }
    return Int(String(decoding: read(place).prefix { $0 > 0x20 }, as: UTF8.self))
  }
}
