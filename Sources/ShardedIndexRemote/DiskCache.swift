#if Remote
  import CCurl
  import CLibrary
  import ShardedIndex

  /// Fetched bytes in a directory, which several processes may share.
  ///
  /// A tag marks the directory as a cache. A file has 8 bytes that mark it, an entry's bytes and their XXH64,
  /// little-endian. The cache removes and replaces files with the mark only. Files stand in 16 directories by the first
  /// digit of their names. Each directory keeps a sixteenth of the limit, and removes the least recently used file
  /// first. After a failure here nothing is kept.
  final class DiskCache: @unchecked Sendable {
    private let path: String
    /// The most bytes in one of the directories.
    private let limit: Int
    /// The bytes in a directory at the last look and the bytes written since, by its digit. Only the network's thread
    /// uses it.
    private var sizes: [Character: Int] = [:]
    private var temporaries = 0

    /// The first bytes of each file.
    private static let mark = Array("SQCACHE1".utf8)
    private static let sumSize = 8
    /// The bytes of a file in addition to those of its entry.
    private static let addedSize = mark.count + sumSize
    /// The file that marks a directory as a cache, for programs that make backups too, and its beginning.
    /// Source: Cache Directory Tagging Specification 0.6.
    private static let tagName = "CACHEDIR.TAG"
    private static let tag = Array(
      """
      Signature: 8a477f597d28d172789f06886806bc55
      # shardq keeps fetched bytes here. The directory may be removed at any time.
      # For information about cache directory tags, see https://bford.info/cachedir/

      """.utf8)
    /// The most bytes of an entry of unknown size.
    private static let unsizedLimit = 2 << 20
    /// The seconds after which a use is noted again.
    private static let usePeriod = 60
    /// The seconds after which a temporary file counts as abandoned.
    private static let temporaryLife = 600

    /// The bytes that tell the tag from that of another program.
    private static let tagHead = tag.prefix(52)

    /// Makes the directory, if it is missing.
    ///
    /// - Parameter limit: The most bytes in the disk cache.
    /// - Returns: nil if the options want no disk cache, or if another user could write into the directory.
    /// - Throws: ``IndexError/foreignCache(path:)`` if the directory holds other files.
    init?(_ path: String, limit: Int) throws(IndexError) {
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
      guard try isTagged() else { return nil }
    }

    /// Tags an empty directory.
    ///
    /// - Returns: false if the tag can neither be read nor written.
    private func isTagged() throws(IndexError) -> Bool {
      let tagPath = path + "/" + Self.tagName
      func found() -> [UInt8]? {
        let file = unsafe open(tagPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return errno == ENOENT ? [] : nil }
        defer { close(file) }
        return Self.head(of: file, size: Self.tag.count)
      }
      guard let before = found() else { return false }
      if before.starts(with: Self.tagHead) { return true }
      // Another process may be writing the tag, or have been killed there: then there is nothing beside the tag.
      guard let names = names(in: path) else { return false }
      guard Self.tag.starts(with: before), names.allSatisfy({ $0 == Self.tagName }) else {
        if found()?.starts(with: Self.tagHead) ?? false { return true }
        throw .foreignCache(path: path)
      }
      let file = unsafe open(tagPath, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
      guard file >= 0 else { return false }
      let isWritten = unsafe write(file, Self.tag, Self.tag.count) == Self.tag.count
      return close(file) == 0 && isWritten
    }

    /// Returns the first bytes of a file, at most `size`; nil if they cannot be read.
    private static func head(of file: CInt, size: Int) -> [UInt8]? {
      var count = 0
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
        count = unsafe pread(file, buffer.baseAddress, size, 0)
        initialized = max(0, count)
      }
      return count < 0 ? nil : bytes
    }

    /// Returns the names in a directory, without the names of itself and its parent.
    private func names(in directory: String) -> [String]? {
      guard let stream = unsafe opendir(directory) else { return nil }
      defer { unsafe closedir(stream) }
      var names: [String] = []
      while let entry = unsafe readdir(stream) {
        // A name that is not UTF-8 is no name of the cache.
        let name = unsafe fileName(of: &entry.pointee) ?? "?"
        if name != ".", name != ".." { names.append(name) }
      }
      return names
    }

    /// Returns whether the cache wrote the file at a path. A process may have been killed before the first byte.
    private func isOurs(_ path: String) -> Bool {
      let file = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard file >= 0 else { return false }
      defer { close(file) }
      var status = stat()
      guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        let head = Self.head(of: file, size: Self.mark.count)
      else { return false }
      return Self.mark.starts(with: head)
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
      guard let head = Self.head(of: file, size: Self.mark.count), Self.mark.starts(with: head) else { return nil }
      let size = Int(status.st_size) - Self.addedSize
      guard size >= 0, size == entry.size ?? min(size, Self.unsizedLimit),
        let content = Self.read(file, size: size + Self.addedSize),
        Self.sum(content[Self.mark.count..<Self.mark.count + size]) == Array(content.suffix(Self.sumSize))
      else {
        unsafe unlink(path)
        return nil
      }
      // Not all file systems note the time of a read.
      if Int(time(nil)) - Int(Self.modified(status)) > Self.usePeriod { futimens(file, nil) }
      return Array(content[Self.mark.count..<Self.mark.count + size])
    }

    /// Removes an entry.
    func remove(_ entry: CacheEntry) {
      let path = path(entry.name)
      if isOurs(path) { _ = unsafe unlink(path) }
    }

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
      let content = Self.mark + bytes + Self.sum(bytes[...])
      let isWritten = unsafe write(file, content, content.count) == content.count
      let path = path(entry.name)
      guard close(file) == 0, isWritten, isOurs(path) || (unsafe access(path, F_OK)) != 0,
        unsafe rename(temporary, path) == 0
      else {
        unsafe unlink(temporary)
        return
      }
      sizes[digit, default: 0] += content.count
      if sizes[digit, default: 0] > limit { sizes[digit] = sweep(directory) }
    }

    /// Removes the least recently used files of a directory that is over its limit; returns the bytes of the remaining
    /// files of the cache.
    private func sweep(_ directory: String) -> Int {
      var found: [(path: String, size: Int, used: Int)] = []
      let now = Int(time(nil))
      for name in names(in: directory) ?? [] {
        var status = stat()
        let path = directory + "/" + name
        guard unsafe lstat(path, &status) == 0, isOurs(path) else { continue }
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
