import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

/// An index with ranks whose starts have the first records by key too: Tests/Golden/starts-1.
@Suite("Earlier starts") struct EarlierStartsTests {
  private static let path =
    #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/Golden/starts-1/index"

  @Test("starts of an index with ranks of the earlier magic answer by rank, and verify checks both orders") func reads()
    throws
  {
    let near = try ShardedIndex(opening: Self.path)
    let starts = try #require(try near.generation.starts())
    #expect(starts.head.content.prefix(4).elementsEqual("SQB1".utf8))
    let texts = starts.head.texts
    #expect(texts.count > 8)
    let files = CarriedFiles(Self.path, hasAll: true)
    defer { withExtendedLifetime(files) {} }
    let far = try files.open()
    for text in texts {
      var (found, right) = (
        try ShardedIndex.RankedHits(text, in: try far.generation.nearest(to: text, count: 20, isByRank: true)),
        try ShardedIndex.RankedHits(text, in: near.generation)
      )
      #expect(found.generation.isOfStarts)
      try found.find(20)
      try right.find(20)
      #expect(try found.records(in: 0..<20).map(\.key) == right.records(in: 0..<20).map(\.key))
      #expect(try !far.generation.nearest(to: text, count: 20, isByRank: false).isOfStarts)
    }
    var findings: [String] = []
    _ = try Verifier.verify(index: Self.path) { findings.append("\($0)") }
    #expect(findings == [])
  }
}
