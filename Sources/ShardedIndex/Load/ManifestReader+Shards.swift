extension ManifestReader {
  /// Returns a shard by its number. Reads the shard's page unless it was read before, and keeps it.
  package func shard(_ number: Int) throws(IndexError) -> Manifest.Shard {
    let pageNumber = number / Manifest.pageCapacity
    let frame = unsafe try keptFrame(pageNumber, level: 0)
    return unsafe Manifest.Shard(
      number % Manifest.pageCapacity, of: frame.page(shards: root.tree.shards(below: pageNumber, level: 0)),
      number: pageNumber, firstRecord: frame.firstRecord)
  }

  /// Returns the position of a shard, with the range of its records.
  func shardPosition(ofShard number: Int) throws(IndexError) -> Manifest.ShardPosition {
    let page = number / Manifest.pageCapacity
    return try withPage(page) {
      Manifest.ShardPosition(number % Manifest.pageCapacity, of: $0, number: page, firstRecord: $1)
    }
  }

  /// Returns the data that a reader of a shard's file needs.
  package func source(_ number: Int) throws(IndexError) -> Manifest.Source {
    try withPage(number / Manifest.pageCapacity) { page, _ in Manifest.Source(number % Manifest.pageCapacity, of: page)
    }
  }

  /// Returns a copy of a shard's lower bound.
  package func bound(_ number: Int) throws(IndexError) -> [UInt8] {
    try withPage(number / Manifest.pageCapacity) { page, _ in unsafe Array(page.bounds[number % Manifest.pageCapacity])
    }
  }

  /// Returns the whole file of this generation, even if the directory has another one now.
  package func fileBytes() throws(IndexError) -> [UInt8] {
    try file.read(from: 0, size: file.size)
  }

  /// Returns all shards in order. Reads all pages and keeps them.
  package func shards() throws(IndexError) -> [Manifest.Shard] {
    var shards: [Manifest.Shard] = []
    // The root may have a wrong count, so memory grows with the pages.
    shards.reserveCapacity(min(shardCount, 1 << 16))
    for number in 0..<shardCount { shards.append(try shard(number)) }
    return shards
  }

  /// Returns the number of the shard with the same bytes as a shard of another manifest; nil if there is none near the
  /// shard that its lower bound leads to.
  ///
  /// Reads the pages of this manifest that may list the shard.
  func shardNumber(like other: Int, of manifest: ManifestReader) throws(IndexError) -> Int? {
    guard shardCount > 0 else { return nil }
    let (bound, source) = (try manifest.bound(other), try manifest.source(other))
    // Its lower bound also depends on the shard before, so it may have moved past one or two shards.
    var near = 0
    if !bound.isEmpty {
      near = try bound.withFoldedPrefix { (bound) throws(IndexError) in
        try shardPositions(forPrefix: bound, limit: 0).first.number
      }
    }
    for number in max(0, near - 1)..<min(shardCount, near + 3) where try self.source(number).isSame(as: source) {
      return number
    }
    return nil
  }

  /// The SHA-256 of the file.
  package func digest() throws(IndexError) -> ManifestDigest { ManifestDigest(bytes: try file.digest()) }

  /// Whether a file has the same bytes as this manifest's file.
  func hasContent(of other: borrowing IndexFile) throws(IndexError) -> Bool { try file.hasContent(of: other) }

  /// Whether both manifests number the fields alike, and parts in memory have the same weights, and marks for entries.
  func hasFields(of other: ManifestReader) -> Bool {
    root.hasFieldNames(of: other.root) && setting("weight").hasBytes(of: other.setting("weight"))
      && setting("weight-scale").hasBytes(of: other.setting("weight-scale")) && hasEntries == other.hasEntries
  }
}
