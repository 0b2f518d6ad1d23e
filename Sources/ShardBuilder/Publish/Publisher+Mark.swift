import CLibrary
import ShardedIndex

/// The mark of a published manifest: the time of the lock file, which follows from the manifest's place on the medium.
///
/// A directory with this mark is where its index was built. A copy of it has another place, whether or not the copy has
/// the times of the files. So in a marked directory a file that the system has not changed since the manifest came has
/// the bytes of its build.
extension Publisher {
  /// Marks the manifest as published here. The builder has made all files that the manifest names, or has compared them
  /// with their digests.
  package func mark() {
    guard let manifest = status(of: Self.manifestName), !isMarked(manifest) else { return }
    let time = Self.mark(of: manifest)
    // Where the system refuses the time, the next update compares all files.
    _ = unsafe futimens(held.lock, [time, time])
  }

  /// Returns whether the system has changed a file since the published manifest came, or may have done so.
  ///
  /// - Returns: A function of the file's name.
  package func changedSinceMark() -> (String) -> Bool {
    guard let manifest = status(of: Self.manifestName), isMarked(manifest) else { return { _ in true } }
    let published = Self.nanoseconds(Self.times(of: manifest).change)
    return { [self] name in
      status(of: name).map { Self.nanoseconds(Self.times(of: $0).change) >= published } ?? true
    }
  }

  private func isMarked(_ manifest: stat) -> Bool {
    status(of: Self.lockName).map { Self.nanoseconds(Self.times(of: $0).content) }
      == Self.nanoseconds(Self.mark(of: manifest))
  }

  private func status(of name: String) -> stat? {
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// Returns the time of the lock file. It is before the year 2005, so no file that a program writes has it by chance.
  private static func mark(of manifest: stat) -> timespec {
    let place = "\(manifest.st_dev) \(manifest.st_ino) \(nanoseconds(times(of: manifest).change))"
    let value = Digest.sha256(Array(place.utf8)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return timespec(tv_sec: Int(value >> 34), tv_nsec: Int(value & 0x3FFF_FFFF) % 1_000_000_000)
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
