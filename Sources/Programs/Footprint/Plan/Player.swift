import ShardedIndex

/// The figures of an index that answered one half of a query log, beginning with an empty cache.
package struct ReplayFigures: Sendable, Equatable {
  package var sessions = 0
  package var keystrokes = 0
  /// The number of parts that the index loaded.
  package var loads = 0
  /// The decompressed bytes, as ``Statistics/loadedBytes`` counts them.
  package var loadedBytes = 0
  /// The 99th percentile of decompressed bytes of a keystroke; from 64 KiB on rounded up to the next KiB.
  package var loadedBytesP99 = 0
  /// The bytes in the cache at the end.
  package var residentBytes = 0

  /// The decompressed bytes per keystroke, rounded down; 0 without keystrokes.
  package var loadedBytesPerKeystroke: Int { keystrokes == 0 ? 0 : loadedBytes / keystrokes }

  /// The played part of the log.
  var counts: LogHalves.HalfCounts { .init(sessions: sessions, keystrokes: keystrokes) }
}

/// A player of one half of a query log. The player asks the engine as an app does: for the text and for the first rows
/// of its matches.
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

  private func figures(_ counts: LogHalves.HalfCounts) -> ReplayFigures {
    let statistics = index.statistics
    return ReplayFigures(
      sessions: counts.sessions, keystrokes: counts.keystrokes, loads: statistics.loads,
      loadedBytes: statistics.loadedBytes, loadedBytesP99: sizes.percentile(99),
      residentBytes: statistics.residentBytes)
  }

  /// Plays both halves of a log. Each half has its own index, so that no half warms the other half's cache.
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
