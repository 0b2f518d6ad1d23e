import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Damaged numbers") struct NumberDamageTests {
  @Test("verify finds any changed byte of the numbers, a search refuses it, and a copy repairs it") func bytes() throws
  {
    let directory = TemporaryDirectory()
    let lines = (0..<400).map {
      "{\"name\":\"product \($0 % 90)\",\"price\":\(($0 * 7919) % 1000),\"day\":\"2025-01-\($0 % 20 + 10)\"}"
    }
    var options = BuildOptions()
    (options.key, options.number, options.shardLimitBytes, options.partSizeBytes) = (
      "{name}", ["price", "day"], 1024, 256
    )
    let input = directory.write(lines.joined(separator: "\n"), to: "list.jsonl")
    _ = try ShardBuilder.build([input], into: directory("index"), options: options)
    Files.copy(directory("index"), to: directory("copy"))
    let manifest = directory("index") + "/manifest"
    let sound = Files.read(manifest)!
    let range = try #require(try ShardedIndex(opening: directory("index")).generation.manifest.numbersRange)
    #expect(range.upperBound == sound.count)
    let query = ShardedIndex.SearchQuery(
      "product", filter: [.init("day", isOneOf: ["2025-01-15.."])], sort: .init("price"))
    let answer = try ShardedIndex(opening: directory("index")).search(query, limit: 20).hits.map(\.record.key)
    #expect(answer.count == 20)
    var harmless = 0
    for offset in range {
      var bytes = sound
      bytes[offset] ^= 0x10
      Files.write(bytes, to: manifest)
      var findings: [Verifier.Finding] = []
      _ = try Verifier.verify(index: directory("index")) { findings.append($0) }
      let isSound = findings.filter(\.isDamage).isEmpty
      // One bit of each zstd frame has no meaning: then the content is the same.
      if isSound { harmless += 1 }
      do throws(IndexError) {
        let found = try ShardedIndex(opening: directory("index")).search(query, limit: 20).hits.map(\.record.key)
        #expect(found == answer, "byte \(offset)")
      } catch {
        #expect(!isSound, "byte \(offset): \(error)")
      }
      if !isSound, offset % 5 == 0 {
        let summary = try ShardBuilder.repair(directory("index"), from: directory("copy"))
        #expect(summary.repaired == ["manifest"], "byte \(offset)")
        #expect(Files.read(manifest) == sound)
      }
    }
    #expect(harmless <= 3)
  }
}
