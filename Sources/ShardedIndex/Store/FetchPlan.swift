/// The bytes that a request fetches when bytes of a file are missing. A carrier only transports them.
package struct FetchPlan: Sendable {
  /// The role of a file in an index.
  package enum Kind: Sendable { case archive, manifest, other }

  /// A file of an index. Its bytes come in blocks, so that several misses may ask for the same range.
  package struct File: Sendable {
    fileprivate let isManifest: Bool
    /// The bytes that blocks may have, as offsets at the host.
    fileprivate var bytes: Range<Int64>
    /// The size of a block in bytes, a power of two.
    fileprivate var block: Int64

    /// Returns the range that a request for missing bytes fetches.
    ///
    /// - Parameter missing: The missing bytes, as offsets at the host.
    package func range(around missing: Range<Int64>) -> Range<Int64> {
      let start = max(bytes.lowerBound, missing.lowerBound & -block)
      let end = min(bytes.upperBound - 1, (missing.upperBound - 1) | (block - 1)) + 1
      return min(start, missing.lowerBound)..<max(end, missing.upperBound)
    }
  }

  /// The size of the first read, in bytes. Most manifests are no larger.
  package static let headSize: Int64 = 64 << 10
  /// The most bytes of a whole file that a host may send in place of a range.
  package static let unrangedLimit: Int64 = 1 << 20
  /// The most bytes of a manifest that a request fetches whole, at the first miss behind its head.
  private static let wholeManifest: Int64 = 128 << 10
  /// The most bytes of starts in a larger manifest that a request fetches whole.
  private static let wholeStarts: Int64 = 256 << 10
  /// The most bytes of another file that a request fetches whole for a query.
  package static let wholeShard: Int64 = 96 << 10
  /// The block of a larger manifest and of an archive's table of places: bytes beside missing ones are often read next.
  private static let tableBlock: Int64 = 16 << 10
  /// The block of a file that comes whole.
  private static let wholeBlock: Int64 = 1 << 62
  /// The microseconds of a round trip from which on requests fetch whole files.
  private static let farRoundTrip: Int64 = 5000

  /// Whether requests fetch whole files, and blocks of tables.
  package var fetchesWholes = true
  /// Whether the host sends ranges.
  package var hasRanges = true
  /// The most bytes of a file that a request fetches whole; of a manifest, if this is more than a query's limit.
  package var wholeLimit = FetchPlan.wholeShard

  package init() {}

  /// Returns whether requests to a host fetch whole files.
  ///
  /// - Parameter roundTrip: The microseconds of the round trip at the opening.
  package static func fetchesWholes(roundTrip: Int64) -> Bool { roundTrip > farRoundTrip }

  /// Returns a file of an index.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the file at its host: from 0 on, unless the holder has this file in it.
  ///   - holder: The archive or the manifest that has this file in it; nil for a file at the host.
  package func file(_ kind: Kind, _ bytes: Range<Int64>, in holder: File? = nil) -> File {
    let isOfStarts = holder?.isManifest ?? false
    if isOfStarts, let holder, holder.block == Self.wholeBlock {
      return File(isManifest: kind == .manifest, bytes: holder.bytes, block: Self.wholeBlock)
    }
    let size = bytes.upperBound - bytes.lowerBound
    var file = File(isManifest: kind == .manifest, bytes: bytes, block: fetchesWholes ? Self.tableBlock : 1)
    switch kind {
    case .archive: break
    case .manifest:
      file.bytes = min(max(bytes.lowerBound, Self.headSize), bytes.upperBound)..<bytes.upperBound
      if size <= max(wholeLimit, isOfStarts ? Self.wholeStarts : Self.wholeManifest) { file.block = Self.wholeBlock }
    case .other:
      let isWhole = hasRanges ? fetchesWholes && size <= wholeLimit : fetchesWholes || size <= Self.unrangedLimit
      file.block = isWhole ? Self.wholeBlock : 1
    }
    return file
  }
}
