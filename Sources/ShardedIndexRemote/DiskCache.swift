#if Remote
  import CCurl
  import CLibrary
  import ShardedIndex

  /// Fetched bytes in a directory, which several processes may share.
  ///
  /// A file has an entry's bytes and their XXH64, little-endian. Files stand in 16 directories by the first digit of
  /// their names. Each directory keeps a sixteenth of the limit, and removes the least recently used file first. After
  /// a failure here nothing is kept.
  final class DiskCache: @unchecked Sendable {
    private let path: String
    /// The most bytes in one of the directories.
    private let limit: Int
    /// The bytes in a directory at the last look and the bytes written since, by its digit. Only the network's thread
    /// uses it.
    private var sizes: [Character: Int] = [:]
    private var temporaries = 0

    private static let sumSize = 8
    /// The most bytes of an entry of unknown size.
    private static let unsizedLimit = 2 << 20
    /// The seconds after which a use is noted again.
    private static let usePeriod = 60
    /// The seconds after which a temporary file counts as abandoned.
    private static let temporaryLife = 600

    /// Makes the directory, if it is missing.
    ///
    /// - Parameter limit: The most bytes in the disk cache.
    /// - Returns: nil if the options want no disk cache, or if another user could write into the directory.
    init?(_ path: String, limit: Int) {
      guard limit > 0, !path.isEmpty else { return nil }
      self.path = path
      self.limit = limit / 16
      var at = path.startIndex
      while let slash = path[at...].dropFirst().firstIndex(of: "/") {
        _ = unsafe mkdir(String(path[..<slash]), 0o755)
        at = slash
      }
      _ = unsafe mkdir(path, 0o700)
      var status = stat()
      guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
        status.st_mode & 0o022 == 0
      else { return nil }
    }

    private func directory(_ name: String) -> String { path + "/" + String(name.prefix(1)) }
    private func path(_ name: String) -> String { directory(name) + "/" + name }

    /// Returns the bytes of an entry; nil if they are missing or damaged.
    func load(_ entry: CacheEntry) -> [UInt8]? {
      let path = path(entry.name)
      let file = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      var status = stat()
      guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      let size = Int(status.st_size) - Self.sumSize
      guard size >= 0, size == entry.size ?? min(size, Self.unsizedLimit),
        var bytes = Self.read(file, size: size + Self.sumSize),
        Self.sum(bytes[..<size]) == Array(bytes[size...])
      else {
        unsafe unlink(path)
        return nil
      }
      // Not all file systems note the time of a read.
      if Int(time(nil)) - Int(Self.modified(status)) > Self.usePeriod { futimens(file, nil) }
      bytes.removeLast(Self.sumSize)
      return bytes
    }

    /// Removes an entry.
    func remove(_ entry: CacheEntry) { _ = unsafe unlink(path(entry.name)) }

    private static func read(_ file: CInt, size: Int) -> [UInt8]? {
      // One read returns a regular file of this size, unless another process cuts the file off meanwhile.
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        count = unsafe max(0, pread(file, buffer.baseAddress, size, 0))
      }
      return bytes.count == size ? bytes : nil
    }

    /// Stores the bytes of an entry. Only the network's thread calls this.
    func store(_ bytes: [UInt8], as entry: CacheEntry) {
      guard bytes.count <= limit, let digit = entry.name.first else { return }
      let directory = directory(entry.name)
      if sizes[digit] == nil {
        _ = unsafe mkdir(directory, 0o700)
        sizes[digit] = sweep(directory)
      }
      temporaries += 1
      let temporary = directory + "/.\(getpid())-\(temporaries)"
      let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard file >= 0 else { return }
      let content = bytes + Self.sum(bytes[...])
      let isWritten = unsafe write(file, content, content.count) == content.count
      guard close(file) == 0, isWritten, unsafe rename(temporary, path(entry.name)) == 0 else {
        unsafe unlink(temporary)
        return
      }
      sizes[digit, default: 0] += content.count
      if sizes[digit, default: 0] > limit { sizes[digit] = sweep(directory) }
    }

    /// Removes the least recently used files of a directory that is over its limit; returns the bytes of the remaining
    /// files.
    private func sweep(_ directory: String) -> Int {
      guard let stream = unsafe opendir(directory) else { return 0 }
      defer { unsafe closedir(stream) }
      var found: [(path: String, size: Int, used: Int)] = []
      let now = Int(time(nil))
      while let entry = unsafe readdir(stream) {
        guard let name = unsafe fileName(of: &entry.pointee), name != ".", name != ".." else { continue }
        var status = stat()
        let path = directory + "/" + name
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
        let used = Int(Self.modified(status))
        if name.hasPrefix("."), now - used > Self.temporaryLife {
          unsafe unlink(path)
        } else {
          found.append((path, Int(status.st_size), used))
        }
      }
      var size = found.reduce(0) { $0 + $1.size }
      guard size > limit else { return size }
      for file in found.sorted(by: { $0.used < $1.used }) where size > limit - limit / 16 {
        unsafe unlink(file.path)
        size -= file.size
      }
      return size
    }

    private static func sum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
      let hash = unsafe XXHash64.hash(bytes.span.bytes)
      return (0..<UInt64(sumSize)).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) }
    }

    private static func modified(_ status: stat) -> time_t {
      #if canImport(Darwin)
        status.st_mtimespec.tv_sec
      #else
        status.st_mtim.tv_sec
      #endif
    }
  }
#endif
