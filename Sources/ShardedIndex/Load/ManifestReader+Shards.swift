extension ManifestReader {
  /// Returns a shard by its number; reads the page it stands on, if that was not read yet, and keeps it.
  package func shard(_ number: Int) throws(IndexError) -> Manifest.Shard {
    let pageNumber = number / Manifest.pageCapacity
    let frame = unsafe try keptFrame(pageNumber, level: 0)
    return unsafe Manifest.Shard(
      number % Manifest.pageCapacity, of: frame.page(shards: root.tree.shards(below: pageNumber, level: 0)),
      number: pageNumber, firstRecord: frame.firstRecord)
  }

  /// Returns the position of a shard, with the records that it holds.
  func shardPosition(ofShard number: Int) throws(IndexError) -> Manifest.ShardPosition {
    let page = number / Manifest.pageCapacity
    return try withPage(page) {
      Manifest.ShardPosition(number % Manifest.pageCapacity, of: $0, number: page, firstRecord: $1)
    }
  }

  /// Returns the data that it takes to read a shard's file.
  package func source(_ number: Int) throws(IndexError) -> Manifest.Source {
    try withPage(number / Manifest.pageCapacity) { page, _ in Manifest.Source(number % Manifest.pageCapacity, of: page)
    }
  }

  /// A shard's lower bound, a copy.
  package func bound(_ number: Int) throws(IndexError) -> [UInt8] {
    try withPage(number / Manifest.pageCapacity) { page, _ in unsafe Array(page.bounds[number % Manifest.pageCapacity])
    }
  }

  /// The whole file, of this generation whatever the directory has by now.
  package func fileBytes() throws(IndexError) -> [UInt8] {
    try file.read(from: 0, size: file.size)
  }

  /// Returns all shards in order; reads all pages and keeps them.
  package func shards() throws(IndexError) -> [Manifest.Shard] {
    var shards: [Manifest.Shard] = []
    // What a root says is believed as far as there are pages: room is made as they come.
    shards.reserveCapacity(min(shardCount, 1 << 16))
    for number in 0..<shardCount { shards.append(try shard(number)) }
    return shards
  }

  /// Returns the number of the shard that has the same bytes as one of another manifest; nil if there is none, or none
  /// near the shard that its lower bound leads to.
  ///
  /// Reads the pages of this manifest that it may stand on.
  func shardNumber(like other: Int, of manifest: ManifestReader) throws(IndexError) -> Int? {
    guard shardCount > 0 else { return nil }
    let (bound, source) = (try manifest.bound(other), try manifest.source(other))
    // Its lower bound depends on the shard before as well, so it may have moved a little: past one or two shards.
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

  /// Whether a file has the bytes of this manifest's.
  func hasContent(of other: borrowing IndexFile) throws(IndexError) -> Bool { try file.hasContent(of: other) }

  /// Whether fields have the same numbers in both, and parts keep the same of records: weights, and marks for entries.
  func hasFields(of other: ManifestReader) -> Bool {
    root.hasFieldNames(of: other.root) && setting("weight").hasBytes(of: other.setting("weight"))
      && setting("weight-scale").hasBytes(of: other.setting("weight-scale")) && hasEntries == other.hasEntries
  }
}
