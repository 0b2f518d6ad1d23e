import ShardedIndex

/// What one half of a query log made an index do, its cache empty at the beginning.
package struct ReplayFigures: Sendable, Equatable {
  package var sessions = 0
  package var keystrokes = 0
  /// Parts of shards that were loaded.
  package var loads = 0
  /// What was decompressed, in bytes, as ``Statistics/loadedBytes`` counts.
  package var loadedBytes = 0
  /// Of the bytes that one keystroke decompressed; from 64 KiB on to the next KiB.
  package var loadedBytesP99 = 0
  /// What the cache held at the end.
  package var residentBytes = 0

  /// - Returns: Rounded down; 0 without keystrokes.
  package var loadedBytesPerKeystroke: Int { keystrokes == 0 ? 0 : loadedBytes / keystrokes }
}

/// How often something had which size: exact below 64 KiB, to the next KiB from there on; in memory that does not grow
/// with how often.
struct SizeCounts {
  private var small = [Int](repeating: 0, count: exact)
  /// By KiB, rounded up.
  private var large: [Int: Int] = [:]
  private(set) var count = 0
  private static let exact = 64 << 10

  mutating func add(_ size: Int) {
    count += 1
    if size < Self.exact { small[size] += 1 } else { large[(size + 1023) / 1024, default: 0] += 1 }
  }

  /// The least size that `percent` in a hundred do not exceed; 0 if there are none.
  func percentile(_ percent: Int) -> Int {
    var left = (count * percent + 99) / 100
    guard left > 0 else { return 0 }
    for (size, number) in small.enumerated() {
      left -= number
      if left <= 0 { return size }
    }
    for (size, number) in large.sorted(by: { $0.key < $1.key }) {
      left -= number
      if left <= 0 { return size * 1024 }
    }
    return 0
  }
}

/// Plays one half of a query log through the engine, as an app asks: the box's text, and the first rows of its matches.
struct Player {
  private let index: ShardedIndex
  private let rows: Int
  private let buffer = RecordBuffer()
  private var sizes = SizeCounts()
  private var loadedBytes = 0

  private init(_ directory: String, cacheLimitBytes: Int, rows: Int) throws(IndexError) {
    index = try ShardedIndex(opening: directory, options: .init(cacheLimitBytes: cacheLimitBytes))
    self.rows = rows
  }

  private mutating func play(_ text: String) throws(IndexError) {
    try index.matches(forPrefix: text).read(0..<rows, into: buffer)
    let now = index.statistics.loadedBytes
    sizes.add(now - loadedBytes)
    loadedBytes = now
  }

  private func figures(_ counts: LogHalves.Counts) -> ReplayFigures {
    let statistics = index.statistics
    return ReplayFigures(
      sessions: counts.sessions, keystrokes: counts.keystrokes, loads: statistics.loads,
      loadedBytes: statistics.loadedBytes, loadedBytesP99: sizes.percentile(99),
      residentBytes: statistics.residentBytes)
  }

  /// Plays both halves of `log`, each to an index of its own, so that they know nothing of each other.
  static func replay(
    _ log: String, on directory: String, cacheLimitBytes: Int, rows: Int
  ) throws(PlanError) -> [ReplayFigures] {
    var halves = try LogHalves(opening: log)
    var players: [Player] = []
    for _ in 0...1 {
      players.append(
        try PlanError.ofIndex { () throws(IndexError) in
          try Player(directory, cacheLimitBytes: cacheLimitBytes, rows: rows)
        })
    }
    while let (text, half) = try halves.next() {
      try PlanError.ofIndex { () throws(IndexError) in try players[half].play(text) }
    }
    return [0, 1].map { players[$0].figures(halves.counts[$0]) }
  }
}
