import ShardBuilder
import ShardedIndex

/// Cuts records in order with the real ``Cutter`` and lists their shards with the real ``ManifestEncoder``, without the
/// shards: each `encodedEvery`th piece is encoded, and the sizes of the others are taken from those by their weight.
package struct CutSimulation {
  package private(set) var records = 0
  package private(set) var pieces = 0
  package private(set) var shardBytes = 0
  package private(set) var largestPiece = 0
  /// The shards of the manifest.
  package var shards: Int { manifest.shardCount }

  private let names: [String]
  private let limit: Int
  private let level: Int
  private let encodedEvery: Int
  private var cutter: Cutter
  private let encoder: ShardEncoder
  private let compressor = Compressor()
  private var manifest = ManifestEncoder(level: 1)
  private var notes: BuildNotes
  private var random = SplitMix64(seed: 7)
  private var lastKey: [UInt8] = []

  // The sums over the encoded pieces.
  private var weight = 0
  private var contentBytes = 0
  private var fileBytes = 0
  private var headerBytes = 0
  private var headerContentBytes = 0

  /// The weight before each piece that a cut may begin with, its first record's number, and the weight of all.
  private var restarts: [(weight: Int, record: Int)] = []
  private var totalWeight = 0

  package init(_ names: FieldNames, options: BuildOptions = BuildOptions(), encodedEvery: Int) {
    self.names = names.names
    (limit, level, self.encodedEvery) = (options.shardLimitBytes, options.level, encodedEvery)
    cutter = Cutter(limit: limit, order: RecordOrder(names: names))
    encoder = ShardEncoder(names: names.names)
    notes = BuildNotes(level: level)
  }

  package mutating func append(_ record: RecordBlob) throws {
    cutter.append(record)
    if !cutter.finished.isEmpty { try settle() }
  }

  package mutating func finish() throws {
    cutter.finish()
    try settle()
  }

  private mutating func settle() throws {
    for piece in cutter.finished { try add(piece) }
    cutter.finished.removeAll(keepingCapacity: true)
  }

  private mutating func add(_ piece: Piece) throws {
    if piece.isRestart { restarts.append((totalWeight, records)) }
    let isEncoded = pieces % encodedEvery == 0
    let parts = try piece.encoded(limit: limit) { (part) throws(BuildError) -> (Piece, ShardEncoder.PlainShard?, Int) in
      guard isEncoded else { return (part, nil, part.weight * contentBytes / weight) }
      let content = encoder.encode((0..<part.count).map { part.record($0) })
      return (part, content, content.size)
    } size: {
      $0.2
    }
    for (part, content, _) in parts { list(part, content) }
    notes.pieces.append(
      BuildNotes.NotedPiece(
        shardCount: parts.count, isRestart: piece.isRestart, digest: piece.digest(names: names).digest))
    pieces += 1
    records += piece.count
    totalWeight += piece.weight
    largestPiece = max(largestPiece, piece.weight)
  }

  private mutating func list(_ part: Piece, _ content: ShardEncoder.PlainShard?) {
    if let content {
      weight += part.weight
      contentBytes += content.size
      let file = encoder.file(content, level: level, with: compressor)
      fileBytes += file.bytes.count
      headerBytes += file.headerSize
      headerContentBytes += file.headerContentSize
    }
    let firstKey = Array(part.record(0).folded)
    let file = Manifest.File(
      size: part.weight * fileBytes / weight, headerSize: part.weight * headerBytes / weight,
      headerContentSize: part.weight * headerContentBytes / weight,
      headerChecksum: UInt32(truncatingIfNeeded: random.next()), isContinuation: lastKey == firstKey)
    let digest = [random.next(), random.next()].flatMap { word in (0..<8).map { UInt8(word >> (8 * $0) & 0xFF) } }
    manifest.add(
      ManifestEncoder.ListedShard(
        bound: shards == 0 ? [] : part.lowerBound, records: part.count, file: file, digest: digest,
        label: Manifest.label(ofKey: firstKey)))
    shardBytes += file.size
    lastKey = Array(part.record(part.count - 1).folded)
  }

  /// Returns the manifest, without a density grid, and ends the simulation.
  package mutating func manifestFile() throws -> [UInt8] {
    try manifest.file(
      shardLimit: limit, fieldNames: names, settings: [("key", "{name}, {country}"), ("id", "_id")], notes: notes)
  }

  package var pages: Int { (shards + Manifest.pageCapacity - 1) / Manifest.pageCapacity }

  /// The number of nodes, and of their levels between the root and the pages.
  package var nodes: (count: Int, levels: Int) {
    var (count, levels, children) = (0, 0, pages)
    while children > Manifest.pageCapacity {
      children = (children + Manifest.pageCapacity - 1) / Manifest.pageCapacity
      count += children
      levels += 1
    }
    return (count, levels)
  }

  /// Returns the counts of regions between ranges of equal weight and of their records. A region lies between the last
  /// certain boundary of the range before a border and the first certain one of the range behind it.
  package func regions(ranges: Int) -> (count: Int, records: Int) {
    let window = limit * RecordWeight.perByte * 33 / 100
    var (count, sum, end) = (0, 0, 0)
    for border in 1..<max(ranges, 1) {
      let border = totalWeight / ranges * border
      let start = restarts.last { $0.weight <= border - window }?.record ?? 0
      let next = restarts.first { $0.weight > border + window }?.record ?? records
      if start >= end { count += 1 }
      sum += max(0, next - max(start, end))
      end = next
    }
    return (count, sum)
  }
}
