import CLibrary
import ShardedIndex

/// The mark of a published generation: the time of the lock file. It follows from the places of the manifest and of the
/// files that the manifest names, and from the times at which the system last changed each of them.
///
/// A directory with this mark is where its index was built. A copy of it has other places, whether or not the copy has
/// the times of the files. So in a marked directory a file that the system has not changed since the manifest came has
/// the bytes of its build. If a clock went back, a changed file may seem older than the manifest; but then the file has
/// another time than before, and the directory has another mark.
extension Publisher {
  /// Marks the manifest as published here. The builder has made all files that the manifest names, or has compared them
  /// with their digests.
  ///
  /// - Parameter names: The names of all these files.
  /// - Complexity: One system call for each file.
  package func mark(_ names: [String]) {
    guard let mark = status(of: Self.manifestName).map({ mark(of: names, under: $0).value }), !isMarked(mark) else {
      return
    }
    let time = Self.time(of: mark)
    // Where the system refuses the time, the next update compares all files.
    _ = unsafe futimens(held.lock, [time, time])
  }

  /// Returns the names of the files that the system has changed since the published manifest came, or may have changed.
  ///
  /// - Parameter names: The names of all files that the manifest names.
  /// - Complexity: One system call for each file.
  package func changedSinceMark(_ names: [String]) -> Set<String> {
    guard let manifest = status(of: Self.manifestName) else { return Set(names) }
    let mark = mark(of: names, under: manifest)
    // The clock may not have ticked between the publication and a change.
    return isMarked(mark.value) ? Set(mark.late) : Set(names)
  }

  /// Returns the mark of the directory, and the names of the files that the system has not changed before the manifest.
  private func mark(of names: [String], under manifest: stat) -> (value: UInt64, late: [String]) {
    let published = Self.nanoseconds(Self.times(of: manifest).change)
    var mark = Self.sum("\(manifest.st_dev) \(manifest.st_ino) \(published)")
    var late: [String] = []
    for name in Set(names) {
      let status = status(of: name)
      let change = status.map { Self.nanoseconds(Self.times(of: $0).change) } ?? .max
      if change >= published { late.append(name) }
      mark ^= Self.sum("\(name) \(status?.st_ino ?? 0) \(change)")
    }
    return (mark, late)
  }

  private static func sum(_ text: String) -> UInt64 {
    Digest.sha256(Array(text.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func isMarked(_ mark: UInt64) -> Bool {
    status(of: Self.lockName).map { Self.nanoseconds(Self.times(of: $0).content) }
      == Self.nanoseconds(Self.time(of: mark))
  }

  private func status(of name: String) -> stat? {
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// Returns the time of the lock file. It is before the year 2005, so no file that a program writes has it by chance.
  private static func time(of mark: UInt64) -> timespec {
    timespec(tv_sec: Int(mark >> 34), tv_nsec: Int(mark & 0x3FFF_FFFF) % 1_000_000_000)
  }

  /// Returns the time of a file's bytes, which a program may set, and the time at which the system last changed the
  /// bytes, the name or another property.
  private static func times(of status: stat) -> (content: timespec, change: timespec) {
    #if canImport(Darwin)
      (status.st_mtimespec, status.st_ctimespec)
    #else
      (status.st_mtim, status.st_ctim)
    #endif
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
