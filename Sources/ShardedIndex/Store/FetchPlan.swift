/// The bytes that a request fetches when bytes of a file are missing. A carrier only transports them.
package struct FetchPlan: Sendable {
  /// A file of an index.
  package struct File: Sendable {
    package let name: String
    /// The bytes of the file at its host: from 0 on, unless another file has this one in it.
    package let bytes: Range<Int64>
    /// The number of known bytes at the beginning of a manifest or an archive; nil for another file.
    package let head: Int?

    package init(name: String, bytes: Range<Int64>, head: Int?) {
      (self.name, self.bytes, self.head) = (name, bytes, head)
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
  /// The most bytes of another file that a request fetches whole.
  private static let wholeShard: Int64 = 96 << 10
  /// The microseconds of a round trip from which on requests fetch whole files.
  private static let farRoundTrip: Int64 = 5000

  /// Whether requests fetch whole files.
  package var fetchesWholes = true
  /// Whether the host sends ranges.
  package var hasRanges = true

  package init() {}

  /// Returns whether requests to a host fetch whole files.
  ///
  /// - Parameter roundTrip: The microseconds of the round trip at the opening.
  package static func fetchesWholes(roundTrip: Int64) -> Bool { roundTrip > farRoundTrip }

  /// Returns the range that a request for missing bytes fetches.
  ///
  /// - Parameters:
  ///   - holders: The files that have this one in them, from the innermost out; none for a file at the host.
  ///   - missing: The missing bytes, as offsets at the host.
  package func range(
    of file: File, in holders: ArraySlice<File> = [], around missing: Range<Int64>
  ) -> Range<Int64> {
    if file.name == "archive" { return missing }
    let isOfStarts = holders.first?.name == "manifest"
    if let holder = holders.first, isOfStarts {
      let outer = range(of: holder, in: holders.dropFirst(), around: missing)
      if outer != missing { return outer }
    }
    let size = Int64(file.bytes.count)
    if file.name == "manifest" {
      guard let head = file.head, size <= (isOfStarts ? Self.wholeStarts : Self.wholeManifest) else { return missing }
      return max(file.bytes.lowerBound, Int64(head))..<file.bytes.upperBound
    }
    let isWhole = fetchesWholes || (!hasRanges && size <= Self.unrangedLimit)
    return isWhole && (size <= Self.wholeShard || !hasRanges) ? file.bytes : missing
  }

  /// Returns the most bytes of a whole file that a request takes in place of a range.
  package func wholeLimit(of file: File, isWhole: Bool) -> Int64 {
    let size = Int64(file.bytes.count)
    return isWhole || (file.head == nil && size <= Self.unrangedLimit) ? size : 0
  }
}
