import CLibrary
import ShardedIndex

/// The proof, by its content, that a file of a directory is the work of a builder. A name alone proves nothing.
///
/// The name of a finished file has the first digits of the SHA-256 of its content. A temporary file of a killed build
/// ends anywhere, and a power cut may leave zeros in it: its beginning must be that of a file of an index. Links,
/// pipes and devices are never the work of a builder.
package enum OwnFile {
  /// The first bytes of a shard or a manifest, of an overlay, and of a file that a power cut left.
  private static let magics: [[UInt8]] = [[0x28, 0xB5, 0x2F, 0xFD], overlayMagic, [0, 0, 0, 0]]
  private static let overlayMagic = Array("SQO1".utf8)

  /// Returns whether an entry of a directory is the work of a builder, or gone.
  static func isOurs(_ name: String, in directory: CInt) -> Bool { proof(of: name, in: directory) ?? false }

  /// Returns whether an entry of a directory is the work of a builder, or gone; nil if it cannot be read.
  static func proof(of name: String, in directory: CInt) -> Bool? {
    if let digits = digits(of: name) {
      return examine(name, in: directory) { Self.digest(of: $0, size: $1)?.hasPrefix(digits) }
    }
    switch name {
    case HeldDirectory.lockName: return examine(name, in: directory) { $1 == 0 }
    case Publisher.manifestName: return isManifest(in: directory)
    case Publisher.overlayName: return examine(name, in: directory, isOverlay)
    case Publisher.startsName: return isDirectory(name, in: directory)
    default: break
    }
    if name.hasPrefix(Publisher.rangePrefix) { return isDirectory(name, in: directory) }
    guard Publisher.isTemporaryName(name) else { return false }
    // The run of a sort loses its name before its first byte is written.
    let isRun = name.hasPrefix(SystemFile.temporaryPrefix)
    return examine(name, in: directory) { isRun ? $1 == 0 : begins($0, $1, with: magics) }
  }

  /// Removes a directory whose name begins with a dot, as far as builders made its content.
  static func removeDirectory(_ name: String, in parent: CInt) {
    let directory = SystemFile.open(name, in: parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    guard directory >= 0 else { return }
    defer { _ = close(directory) }
    for name in (try? Publisher.list(directory, path: name)) ?? [] where name != "." && name != ".." {
      guard isOurs(name, in: directory) else { continue }
      if name == Publisher.startsName { removeDirectory(name, in: directory) }
      _ = retrying { unsafe unlinkat(directory, name, 0) }
    }
    _ = retrying { unsafe unlinkat(parent, name, AT_REMOVEDIR) }
  }

  /// Returns whether all entries of a directory are the work of builders.
  package static func isDirectory(_ path: String) -> Bool { isDirectory(path, in: AT_FDCWD) ?? false }

  /// Returns the SHA-256 of a regular file in hexadecimal digits; nil if it cannot be read.
  package static func digest(ofFileAt path: String) -> String? {
    var digest: String?
    _ = examine(path, in: AT_FDCWD) { (file, size) in
      digest = Self.digest(of: file, size: size)
      return true
    }
    return digest
  }

  /// Returns whether bytes have the digest in the name that a builder gave them.
  package static func hasContent(_ name: String, _ bytes: [UInt8]) -> Bool {
    digits(of: name).map { Digest.hexadecimal(Digest.sha256(bytes)).hasPrefix($0) } ?? false
  }

  /// Returns whether an entry is a directory.
  static func isFolder(_ name: String, in directory: CInt) -> Bool {
    var status = stat()
    return retrying { unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) } == 0
      && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns the digits of a digest in the name of a finished file.
  private static func digits(of name: String) -> String? {
    if Publisher.isShardName(name) { return String(name.dropLast(4).suffix(16)) }
    return Publisher.isManifestName(name) ? String(name.suffix(32)) : nil
  }

  private static func digest(of file: CInt, size: Int) -> String? {
    var hash = Digest.Stream()
    var (at, run) = (0, [UInt8](repeating: 0, count: min(max(1, size), 256 << 10)))
    while at < size {
      let count = retrying { unsafe CInt(truncatingIfNeeded: pread(file, &run, run.count, off_t(at))) }
      guard count > 0 else { return nil }
      unsafe hash.update(run.span.extracting(first: Int(count)).bytes)
      at += Int(count)
    }
    return Digest.hexadecimal(hash.finish())
  }

  /// An empty file begins with everything: it has nothing to lose.
  private static func begins(_ file: CInt, _ size: Int, with magics: [[UInt8]]) -> Bool? {
    guard let head = try? SystemFile.bytes(of: file, limit: min(4, size), path: "") else { return nil }
    return magics.contains { $0.starts(with: head) }
  }

  /// Returns whether the root of the manifest can be read, though it may be of another version or cut short behind.
  private static func isManifest(in parent: CInt) -> Bool? {
    let file = SystemFile.open(Publisher.manifestName, in: parent, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return proofOfUnopened }
    var status = stat()
    let isExamined = unsafe fstat(file, &status) == 0
    let isRegular = isExamined && status.st_mode & S_IFMT == S_IFREG
    guard isRegular, let directory = try? IndexDirectory(parent, path: "") else {
      _ = close(file)
      return isExamined && !isRegular ? false : nil
    }
    do throws(IndexError) {
      _ = try ManifestReader(descriptor: file, of: directory)
      return true
    } catch {
      switch error {
      case .corrupt(_, .wrongSize(_, let expected)): return expected > 0
      case .corrupt(_, .unsupportedVersion): return true
      case .corrupt: return false
      default: return nil
      }
    }
  }

  /// One damaged byte is either in the magic or in the bytes with the checksum. Source: docs/format.md section 11.
  private static func isOverlay(_ file: CInt, _ size: Int) -> Bool? {
    let isBegun = begins(file, size, with: [overlayMagic])
    guard isBegun == false, (16...(1 << 20)).contains(size) else { return isBegun }
    guard let bytes = try? SystemFile.bytes(of: file, limit: size, path: ""), bytes.count == size else { return nil }
    let sum = bytes[8..<16].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return unsafe XXHash64.hash(bytes.span.extracting(16...).bytes) == sum
  }

  private static func isDirectory(_ name: String, in parent: CInt) -> Bool? {
    let directory = SystemFile.open(name, in: parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    guard directory >= 0 else { return proofOfUnopened }
    defer { _ = close(directory) }
    guard let names = try? Publisher.list(directory, path: name) else { return nil }
    return names.allSatisfy { $0 == "." || $0 == ".." || isOurs($0, in: directory) }
  }

  /// Returns the result of `body` for a regular file and its size; true if there is no such file, because another
  /// process has removed it; nil if the file cannot be read.
  private static func examine(_ name: String, in directory: CInt, _ body: (CInt, Int) -> Bool?) -> Bool? {
    let file = SystemFile.open(name, in: directory, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return proofOfUnopened }
    defer { _ = close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { return nil }
    return status.st_mode & S_IFMT == S_IFREG ? body(file, Int(status.st_size)) : false
  }

  /// The proof of an entry that could not be opened, by `errno`.
  private static var proofOfUnopened: Bool? {
    switch errno {
    case ENOENT: true
    case ELOOP, ENXIO, ENOTDIR: false
    default: nil
    }
  }
}
