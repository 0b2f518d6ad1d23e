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
    let (seconds, nanoseconds) = Self.mark(of: manifest)
    let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
    // Where the system refuses the time, the next update compares all files.
    _ = unsafe futimens(held.lock, [time, time])
  }

  /// Returns whether the system has changed a file since the published manifest came, or may have done so.
  ///
  /// - Returns: A function of the file's name.
  package func changedSinceMark() -> (String) -> Bool {
    guard let manifest = status(of: Self.manifestName), isMarked(manifest) else { return { _ in true } }
    let published = Self.nanoseconds(ofChange: manifest)
    return { [self] name in
      guard let file = status(of: name) else { return true }
      return Self.nanoseconds(ofChange: file) >= published
    }
  }

  private func isMarked(_ manifest: stat) -> Bool {
    status(of: Self.lockName).map { Self.nanoseconds(ofContent: $0) } == Self.nanoseconds(ofMark: manifest)
  }

  private func status(of name: String) -> stat? {
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// Returns the time of the lock file. It is before the year 2005, so no file that a program writes has it by chance.
  private static func mark(of manifest: stat) -> (seconds: Int, nanoseconds: Int) {
    let place = "\(manifest.st_dev) \(manifest.st_ino) \(nanoseconds(ofChange: manifest))"
    let value = Digest.sha256(Array(place.utf8)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return (Int(value >> 34), Int(value & 0x3FFF_FFFF) % 1_000_000_000)
  }

  private static func nanoseconds(ofMark manifest: stat) -> Int64 {
    let (seconds, nanoseconds) = mark(of: manifest)
    return Int64(seconds) * 1_000_000_000 + Int64(nanoseconds)
  }

  /// Returns the time of the last change of a file's bytes, of its name or of its other properties.
  private static func nanoseconds(ofChange status: stat) -> Int64 {
    #if canImport(Darwin)
      let time = status.st_ctimespec
    #else
      let time = status.st_ctim
    #endif
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Returns the time of a file's bytes, which a program may set.
  private static func nanoseconds(ofContent status: stat) -> Int64 {
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
