extension Manifest {
  /// A shard file and its first frame, the header. Sizes are in bytes.
  package struct File: Equatable, Sendable {
    package var size: Int
    package var headerSize: Int
    package var headerContentSize: Int
    /// The checksum that the header's frame has of its content. The header has the checksums of all other frames.
    package var headerChecksum: UInt32
    /// Whether the shard before ends in keys that equal this shard's lower bound.
    package var isContinuation: Bool

    package init(size: Int, headerSize: Int, headerContentSize: Int, headerChecksum: UInt32, isContinuation: Bool) {
      self.size = size
      self.headerSize = headerSize
      self.headerContentSize = headerContentSize
      self.headerChecksum = headerChecksum
      self.isContinuation = isContinuation
    }

    package static let width = 20
  }

  /// The number of a shard and the range of its records: the result of a search in the manifest.
  package struct ShardPosition: Sendable {
    /// The number of the shard in the order of the manifest, from 0.
    package let number: Int
    /// The number of records in all shards before this one.
    package let firstRecord: Int
    package let recordCount: Int

    init(number: Int, firstRecord: Int, recordCount: Int) {
      (self.number, self.firstRecord, self.recordCount) = (number, firstRecord, recordCount)
    }

    @inline(__always)
    init(_ index: Int, of page: ManifestPage, number pageNumber: Int, firstRecord: Int) {
      number = pageNumber &* Manifest.pageCapacity &+ index
      let first = page.firstRecord(index)
      self.firstRecord = firstRecord &+ first
      recordCount = page.firstRecord(index &+ 1) &- first
    }
  }

  /// A copy of the data that a reader of a shard's file needs.
  package struct Source: Sendable {
    package let file: File
    package let recordCount: Int
    // In the order of memory.
    private let digest: (UInt64, UInt64)
    private let label: UInt64

    init(_ index: Int, of page: ManifestPage) {
      file = page.file(index)
      recordCount = page.firstRecord(index + 1) - page.firstRecord(index)
      let bytes = unsafe UnsafeRawPointer(page.digest(index).baseAddress!)
      digest = unsafe (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      label = unsafe UnsafeRawPointer(page.label(index).baseAddress!).loadUnaligned(as: UInt64.self)
    }

    /// Whether both shards have the same bytes.
    func isSame(as other: Source) -> Bool {
      var (file, otherFile) = (self.file, other.file)
      // The flag depends on the shard before, and not on the bytes.
      (file.isContinuation, otherFile.isContinuation) = (false, false)
      return recordCount == other.recordCount && file == otherFile && digest == other.digest
    }

    /// Whether a file's SHA-256 begins with the digest.
    func hasDigest(_ found: [UInt8]) -> Bool { unsafe withUnsafeBytes(of: digest) { unsafe found.starts(with: $0) } }

    /// The first 16 bytes of the file's SHA-256.
    package var digestBytes: [UInt8] { unsafe withUnsafeBytes(of: digest) { unsafe Array($0) } }

    /// The name of the file that holds the shard.
    package var fileName: FileName {
      unsafe withUnsafeBytes(of: label) { label in
        unsafe withUnsafeBytes(of: digest) { unsafe FileName(label: label, digest: $0) }
      }
    }
  }

  /// The description of one shard in the manifest. It is valid as long as the manifest, which keeps the page. Queries
  /// use a ``ShardPosition`` and a ``Source`` instead.
  package struct Shard: @unchecked Sendable {
    package let position: ShardPosition
    let page: ManifestPage
    private let index: Int

    init(_ index: Int, of page: ManifestPage, number: Int, firstRecord: Int) {
      position = ShardPosition(index, of: page, number: number, firstRecord: firstRecord)
      self.page = page
      self.index = index
    }

    /// The number of the shard in the order of the manifest, from 0.
    package var number: Int { position.number }
    /// The number of records in all shards before this one.
    package var firstRecord: Int { position.firstRecord }
    package var recordCount: Int { position.recordCount }
    package var bound: UnsafeBufferPointer<UInt8> { unsafe page.bounds[index] }
    package var file: File { page.file(index) }
    package var digest: UnsafeBufferPointer<UInt8> { unsafe page.digest(index) }
    package var label: UnsafeBufferPointer<UInt8> { unsafe page.label(index) }
    package var source: Source { Source(index, of: page) }

    /// The name of the shard's file.
    package var fileName: String { source.fileName.text }
  }
}
