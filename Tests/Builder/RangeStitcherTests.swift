import ShardBuilder
import TestSupport
import Testing

/// Ranges that are cut separately and stitched have the cut of all their records together.
@Suite struct RangeStitcherTests {
  /// The properties of a piece that must be the same.
  private struct Found: Equatable {
    var start: Int
    var count: Int
    var isRestart: Bool
    var bound: [UInt8]
    var weight: Int
  }

  /// A range of an arena's records.
  private final class Part: CutRange {
    let start: Int
    let pieces: [Piece]

    init(_ records: RecordArena, _ range: Range<Int>, _ cutter: Cutter) {
      start = range.lowerBound
      var cutter = cutter
      for index in range { cutter.append(records.record(index)) }
      cutter.finish()
      pieces = cutter.finished
    }

    var pieceCount: Int { pieces.count }
    func isRestart(_ piece: Int) -> Bool { pieces[piece].isRestart }
    func forEachRecord(ofPiece piece: Int, _ body: (RecordBlob) -> Bool) {
      for index in 0..<pieces[piece].count where !body(pieces[piece].record(index)) { return }
    }
    func lastRecord(ofPiece piece: Int) -> RecordArena {
      RecordArena(of: pieces[piece].record(pieces[piece].count - 1))
    }
  }

  /// A list that is to be cut.
  private struct Case {
    var records: [[BuilderSupport.Field]]
    var borders: [Int]
    var limit: Int

    init(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      let letters = Array("abcé漢, ")
      let (depth, same) = (Int.random(in: 1...10, using: &random), Int.random(in: 0...3, using: &random))
      let count = Int.random(in: 1...2000, using: &random)
      records = (0..<count).map { _ in
        if same == 0, Int.random(in: 0...2, using: &random) > 0 {
          return [("k", .string, "aaa"), ("v", .string, "same")]
        }
        let key = (0..<Int.random(in: 0...depth, using: &random)).map { _ in letters.randomElement(using: &random)! }
        let long =
          Int.random(in: 0...200, using: &random) == 0
          ? Int.random(in: 100...4000, using: &random) : Int.random(in: 0...12, using: &random)
        return [
          ("k", .string, String(key)), ("v", .string, String(repeating: "x", count: long)),
          ("n", .number, String(Int.random(in: 0...9, using: &random))),
        ]
      }
      limit = [256, 1024, 4096].randomElement(using: &random)!
      borders = (0..<Int.random(in: 1...15, using: &random)).map { _ in Int.random(in: 0...count, using: &random) }
    }

    /// Returns how the stitched cut differs from the whole one; nil if it does not.
    func difference() throws -> String? {
      var names = FieldNames()
      let unsorted = try BuilderSupport.chunk(records, template: "{k}", names: &names)
      let sorted = RecordArena()
      for bytes in try BuilderSupport.sorted([unsorted], names) {
        bytes.withUnsafeBytes { sorted.append(RecordBlob($0.baseAddress!)) }
      }
      let order = RecordOrder(names: names)
      func cutter() -> Cutter { Cutter(limit: limit, order: order) }
      let whole = Part(sorted, 0..<sorted.count, cutter())
      let ends = Set(borders.map { min($0, sorted.count) } + [sorted.count]).subtracting([0]).sorted()
      let parts = zip([0] + ends, ends).map { Part(sorted, $0..<$1, cutter()) }
      let stitcher = RangeStitcher<Part>(rangeCount: parts.count, makeCutter: cutter) { parts[$0] }
      var found: [Found] = []
      var at = 0
      func add(_ piece: Piece) {
        found.append(
          Found(
            start: at, count: piece.count, isRestart: piece.isRestart, bound: piece.lowerBound, weight: piece.weight))
        at += piece.count
      }
      while let part = try stitcher.nextStretch() {
        switch part {
        case .piece(let piece): add(piece)
        case .kept(let pieces, let range, _): for piece in pieces { add(range.pieces[piece]) }
        }
      }
      let wanted = found
      found = []
      at = 0
      for piece in whole.pieces { add(piece) }
      guard wanted != found else { return nil }
      let first = zip(found, wanted).first { $0 != $1 }
      return "\(found.count) pieces, stitched \(wanted.count); first difference \(String(describing: first))"
    }

    /// Returns the smallest case that differs too, found in at most 300 attempts.
    func shrunk() throws -> Case {
      var least = self
      var step = max(1, records.count / 2)
      var left = 300
      while step >= 1 {
        var start = 0
        while start < least.records.count, least.records.count > step, left > 0 {
          left -= 1
          var smaller = least
          smaller.records.removeSubrange(start..<min(start + step, smaller.records.count))
          if try smaller.difference() != nil { least = smaller } else { start += step }
        }
        if step == 1 { break }
        step /= 2
      }
      return least
    }
  }

  @Test(arguments: 0..<20)
  func ranges(group: UInt64) throws {
    for seed in group * 50..<group * 50 + 50 {
      let random = Case(seed: seed)
      if let difference = try random.difference() {
        let least = try random.shrunk()
        Issue.record(
          "seed \(seed): \(difference); least: limit \(least.limit), borders \(least.borders), \(least.records.count) records \(least.records.prefix(40))"
        )
      }
    }
  }
}
