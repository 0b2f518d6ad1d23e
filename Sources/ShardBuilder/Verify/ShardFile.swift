import ShardedIndex

/// Reads the files that a manifest names, and compares them with the digests of the manifest.
enum ShardFile {
  enum Fault: Error {
    case damaged(reason: String)
    /// The system could not read the file.
    case unread(IndexError)

    init(_ error: IndexError) {
      self =
        switch error {
        case .corrupt(_, let cause): .damaged(reason: cause.description)
        case .vanished: .damaged(reason: "is missing")
        default: .unread(error)
        }
    }
  }

  /// Checks that a file has the size and the digest in the manifest.
  static func check(_ file: Pack.File, in directory: IndexDirectory) throws(Fault) {
    try read(file, in: directory) { _ in }
  }

  /// Returns the bytes of a file that a manifest names, after a check of the digest.
  static func bytes(of file: Pack.File, in directory: IndexDirectory) throws(Fault) -> [UInt8] {
    try read(file, in: directory) { Array(copying: $0) }
  }

  private static func read<Value>(
    _ file: Pack.File, in directory: IndexDirectory, _ body: (Span<UInt8>) -> Value
  ) throws(Fault) -> Value {
    do throws(IndexError) {
      let bytes = try directory.read(file.name, size: file.size, at: file.place)
      if Digest.sha256(bytes.span).starts(with: file.digest) { return body(bytes.span) }
    } catch {
      throw Fault(error)
    }
    throw .damaged(reason: "has another SHA-256 than the manifest says")
  }
}
