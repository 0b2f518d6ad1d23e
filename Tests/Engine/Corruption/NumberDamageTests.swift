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
    let answer = try ShardedIndex(opening: directory("index")).search(query, limit: 20).map(\.record.key)
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
        let found = try ShardedIndex(opening: directory("index")).search(query, limit: 20).map(\.record.key)
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

  /// Builds an index of 300 products with numbers of some fields, and returns its manifest.
  private func build(_ name: String, numbers fields: [String], in directory: TemporaryDirectory) throws -> [UInt8] {
    let lines = (0..<300).map { number in
      #"{"name":"product \#(number % 90) kind","price":\#((number * 7919) % 1000),"size":\#(number % 13),"#
        + #""day":"2025-01-\#(number % 20 + 10)"}"#
    }
    var options = BuildOptions()
    (options.key, options.number, options.words) = ("{name}", fields, .body)
    (options.shardLimitBytes, options.partSizeBytes) = (1024, 256)
    let input = directory.write(lines.joined(separator: "\n"), to: "list.jsonl")
    _ = try ShardBuilder.build([input], into: directory(name), options: options)
    return Files.read(directory(name) + "/manifest")!
  }

  private func isDamaged(_ path: String) throws -> Bool {
    var isDamaged = false
    _ = try Verifier.verify(index: path) { if $0.isDamage { isDamaged = true } }
    return isDamaged
  }

  private static let byNumbers = [
    ShardedIndex.SearchQuery("product", sort: .init("day")),
    ShardedIndex.SearchQuery("kind", filter: [.init("day", isOneOf: ["2025-01-15.."])]),
    ShardedIndex.SearchQuery(
      "", filter: [.init("price", isOneOf: ["..500"])], sort: .init("price", isDescending: true)),
  ]

  @Test("numbers of another count of fields are an error of searches by numbers, and of no other search")
  func otherCounts() throws {
    let directory = TemporaryDirectory()
    let sound = try build("index", numbers: ["price", "day"], in: directory)
    let answer = try ShardedIndex(opening: directory("index")).search("product", limit: 9).map(\.record.key)
    #expect(try !isDamaged(directory("index")))
    for (number, fields) in [["price"], ["day"], ["price", "day", "size"]].enumerated() {
      let chain = try ManifestSurgery.lastChain(14, of: build("other\(number)", numbers: fields, in: directory))
      Files.write(try ManifestSurgery.replacingChain(14, of: sound, by: chain), to: directory("index") + "/manifest")
      let forged = try ShardedIndex(opening: directory("index"))
      #expect(try forged.search("product", limit: 9).map(\.record.key) == answer)
      for query in Self.byNumbers {
        #expect(throws: IndexError.self, "\(fields)") { try forged.search(query, limit: 9) }
      }
      #expect(throws: IndexError.self, "\(fields)") { try forged.search(.init("", facets: ["price"]), limit: 0) }
      #expect(try isDamaged(directory("index")), "\(fields)")
    }
  }

  /// Returns a chain of numbers for shards of one page, given the parts of each, none of which has a number.
  private func emptyNumbers(of parts: [Int], fields: Int) -> [UInt8] {
    let page = parts.map { UInt8($0) } + [UInt8](repeating: 0, count: 2 * fields * parts.reduce(0, +))
    let frame = ZstdFrame.quick(page, with: Compressor())
    var head = Array("SQM1".utf8) + [UInt8](repeating: 0, count: 12 + 16 * fields)
    ManifestSurgery.Frame.set(&head, 4, 1, size: 4)
    ManifestSurgery.Frame.set(&head, 8, frame.count, size: 4)
    ManifestSurgery.Frame.set(&head, 12, Int(FrameSurgery.checksum(frame)), size: 4)
    return ZstdFrame.quick(head, with: Compressor()) + frame
  }

  @Test("numbers of entries, which no sound index has, bound no search", arguments: ["price", "price,day"])
  func ofEntries(setting: String) throws {
    let directory = TemporaryDirectory()
    let manifest = try build("index", numbers: ["price", "day"], in: directory)
    let sound = try ShardedIndex(opening: directory("index"))
    let answers = try Self.byNumbers.map { try sound.search($0, limit: 20).map(\.record.key) }
    #expect(answers.allSatisfy { $0.count == 20 })
    let head = try #require(try sound.generation.manifest.entriesHead())
    let own = try #require(try ShardedIndex(entriesOf: sound)).generation
    #expect(own.manifest.pageCount == 1)
    let parts = try (0..<own.manifest.shardCount).map { try own.manifest.partWeights(ofShard: $0).count }
    let entries = try ManifestSurgery.adding(
      chain: 14, emptyNumbers(of: parts, fields: setting == "price" ? 1 : 2), setting: ("number", setting),
      to: Files.read(directory("index") + "/" + head.fileName.text)!)
    let forged = EntriesHead(
      fileSize: entries.count, digest: Array(Digest.sha256(entries)[..<16]),
      rootChecksum: FrameSurgery.checksum(ManifestSurgery.frame(in: entries)), lastComponents: head.lastComponents)
    Files.write(entries, to: directory("index") + "/" + forged.fileName.text)
    Files.write(
      try ManifestSurgery.replacingChain(
        12, of: manifest, by: ZstdFrame.quick(forged.content, with: Compressor()),
        behind: try ManifestSurgery.lastChain(14, of: manifest).count),
      to: directory("index") + "/manifest")
    let index = try ShardedIndex(opening: directory("index"))
    #expect(try #require(try index.generation.entries()).manifest.hasNumbers)
    for (query, answer) in zip(Self.byNumbers, answers) {
      #expect(try index.search(query, limit: 20).map(\.record.key) == answer, "\(query.text)")
    }
  }
}
