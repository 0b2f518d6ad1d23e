#if Remote
  import ShardedIndex

  /// Bytes in the disk cache, by their name.
  struct CacheEntry: Sendable {
    /// The name: hexadecimal digits and hyphens.
    let name: String
    /// The size in bytes; nil if any size may be right.
    let size: Int?
    /// The first 8 bytes of the SHA-256, in hexadecimal digits; nil if the SHA-256 is unknown.
    private let digest: String?

    /// The name of a whole file with a digest is the digest, for every index and every host. The name of any other
    /// entry has its place and the URL, and the name of a range of a manifest or an archive has that file's first bytes
    /// as well.
    init(_ file: RemoteFile, _ range: Range<Int64>, at address: RemoteAddress) {
      let size = Int(range.upperBound - range.lowerBound)
      self.size = size
      if range == file.start..<file.start + file.size, let digest = file.digest {
        self.digest = String(digest)
        name = "\(digest)-\(size)"
      } else {
        digest = nil
        let text = "\(address.cached)\0\(file.name)\0\(file.size)"
        let seed = file.root?.seed ?? SHA256.digest(ofBytes: Array(text.utf8))
        name = SHA256.text(
          SHA256.digest(ofBytes: seed + Array("\(range.lowerBound) \(range.upperBound)".utf8)).prefix(16))
      }
    }

    /// Makes the entry of the beginning of a manifest or of an archive, with the host's name for the content.
    ///
    /// - Parameter file: The name of the file at the URL; nil for an archive.
    init(rootOf file: String?, at address: RemoteAddress) {
      (size, digest) = (nil, nil)
      let text = "\(address.cached)\0\(file.map(address.fileName) ?? "")\0root"
      name = SHA256.text(SHA256.digest(ofBytes: Array(text.utf8)).prefix(16))
    }

    /// Returns whether bytes have the digest, if the digest is known.
    func isRight(_ bytes: [UInt8]) -> Bool {
      digest.map { SHA256.text(SHA256.digest(ofBytes: bytes).prefix(8)) == $0 } ?? true
    }
  }
#endif
