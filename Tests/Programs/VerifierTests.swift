import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Proving an index") struct VerifierTests {
  private func verify(_ path: String, against source: String? = nil) throws -> (
    Verifier.Summary, [Verifier.Finding]
  ) {
    var findings: [Verifier.Finding] = []
    let summary = try Verifier.verify(
      index: path, source: source.map { Verifier.Source([$0], options: DatasetOptions()) }
    ) { findings.append($0) }
    return (summary, findings)
  }

  @Test func sound() throws {
    let index = try SmallIndex()
    let (summary, findings) = try verify(index.path, against: index.source)
    #expect(summary.isSound && findings.isEmpty)
    #expect(summary.records == 9 && summary.sourceRecords == 9 && summary.prefixes > 50)
  }

  @Test("Made-up cities are found by every prefix of every key")
  func cities() throws {
    let scratch = TemporaryDirectory()
    scratch.write(GeneratedList.bytes(count: 20_000, seed: 7, format: .json), to: "c.json")
    _ = try ShardBuilder.build([scratch.path + "/c.json"], into: scratch.path + "/i")
    let (summary, findings) = try verify(scratch.path + "/i", against: scratch.path + "/c.json")
    #expect(summary.isSound, "\(findings.prefix(3))")
    #expect(summary.sourceRecords == 20_000 && summary.prefixes > 100_000)
  }

  @Test("An index of any three keys with spaces and commas is sound")
  func spacesAndCommas() throws {
    let keys = [
      "a", "ab", "a b", "a,b", "a b,c", "a,b,c", "a,b c", "a b c", "a,,b", ",a", "a b,", "a,b,", "ab,c", "ab c", "a bc",
      "a b,,c", "b a", "b,a", "a,bc,", "a b c,d",
    ]
    let scratch = TemporaryDirectory()
    let source = scratch.path + "/list.jsonl"
    for first in keys.indices {
      for second in keys.indices where second > first {
        for third in keys.indices where third > second {
          let list = [keys[first], keys[second], keys[third]]
          scratch.write(list.map { "{\"name\":\"\($0)\"}\n" }.joined(), to: "list.jsonl")
          var options = BuildOptions()
          options.key = "{name}"
          _ = try ShardBuilder.build([source], into: scratch.path + "/i", options: options)
          let (summary, findings) = try verify(scratch.path + "/i", against: source)
          // The shards of the list before stay for readers that still have it open.
          #expect(summary.isSound && summary.wrongAnswers == 0, "\(list): \(findings)")
        }
      }
    }
  }

  @Test("Verification finds a changed byte anywhere")
  func everyByte() throws {
    let index = try SmallIndex()
    for name in Files.names(in: index.path) where name != ".lock" {
      let whole = index.directory.bytes("index/" + name)
      for at in stride(from: 0, to: whole.count, by: 3) {
        var bytes = whole
        bytes[at] ^= 1 << UInt8(at & 7)
        index.directory.write(bytes, to: "index/" + name)
        let (summary, findings) = try verify(index.path)
        // zstd has a few bits without meaning. A shard has a digest of every byte; a manifest counts by its content.
        if name == "manifest", summary.isSound, Self.contents(bytes) == Self.contents(whole) { continue }
        #expect(!summary.isSound && findings.contains { $0.isDamage }, "\(name), byte \(at)")
      }
      for size in [0, 1, whole.count - 1] {
        index.directory.write(Array(whole[..<size]), to: "index/" + name)
        #expect(try !verify(index.path).0.isSound)
      }
      index.directory.write(whole, to: "index/" + name)
    }
    #expect(try verify(index.path).0.isSound)
  }

  /// The contents of a file's frames, one after the other; nil if they are damaged.
  private static func contents(_ bytes: [UInt8]) -> [[UInt8]]? {
    bytes.withUnsafeBufferPointer { bytes in
      var (contents, rest) = ([[UInt8]](), bytes)
      while !rest.isEmpty {
        guard let size = ZstdFrame.contentSize(of: rest), let end = ZstdFrame.size(of: rest) else { return nil }
        var content = [UInt8](repeating: 0, count: size)
        let frame = UnsafeBufferPointer(rebasing: rest[..<end])
        do {
          try content.withUnsafeMutableBytes { try ZstdFrame.decompress(frame, into: $0, with: Decompressor()) }
        } catch {
          return nil
        }
        contents.append(content)
        rest = UnsafeBufferPointer(rebasing: rest[end...])
      }
      return contents
    }
  }

  @Test func straysAreNamed() throws {
    let index = try SmallIndex()
    // Its name is a shard's, and its content is not.
    index.directory.write("x", to: "index/old-0123456789abcdef.zst")
    let (summary, findings) = try verify(index.path)
    #expect(summary.isSound && findings == [.stray(file: index.path + "/old-0123456789abcdef.zst", isShard: false)])
  }

  @Test("Verification names the records that differ, and counts them")
  func differences() throws {
    let index = try SmallIndex()
    var lines = SmallIndex.records.split(separator: "\n").map(String.init)
    lines.removeAll { $0.contains("Alab Town") }
    lines.append(#"{"name":"Dup","country":"FR","_id":5,"coord":{"lon":2,"lat":48}}"#)
    lines.append(#"{"name":"New","country":"FR","_id":9}"#)
    index.directory.write(lines.joined(separator: "\n"), to: "other.jsonl")
    let (summary, findings) = try verify(index.path, against: index.directory.path + "/other.jsonl")
    #expect(!summary.isSound && summary.differences == 3)
    #expect(findings.count == 3)
    #expect(findings.contains(.missing(record: #"{"name":"New","country":"FR","_id":9}"#, count: 1)))
    #expect(
      findings.contains(
        .missing(
          record: #"{"name":"Dup","country":"FR","_id":5,"coord.lon":2,"coord.lat":48}"#, count: 1)))
    #expect(
      findings.contains(
        .unexpected(
          record: #"{"name":"Alab Town","country":"US","_id":2,"coord.lon":1e1,"coord.lat":-0.50}"#, count: 1)))
    // A value in another spelling makes another record.
    index.directory.write(
      SmallIndex.records.split(separator: "\n").joined(separator: "\n").replacing("32.75", with: "32.750"),
      to: "digits.jsonl")
    #expect(try verify(index.path, against: index.directory.path + "/digits.jsonl").0.differences == 2)
  }
}

@Suite("Made-up datasets") struct GeneratorTests {
  @Test("The same seed gives the same bytes on every platform")
  func golden() {
    let bytes = GeneratedList.bytes(count: 5000, seed: 1, format: .json)
    let digest = Digest.sha256(bytes).prefix(8).map { String($0, radix: 16) }
      .joined(separator: " ")
    #expect(digest == "e9 1 1 59 e3 50 89 a7")
    #expect(bytes == GeneratedList.bytes(count: 5000, seed: 1, format: .json, chunk: 1024))
    #expect(bytes != GeneratedList.bytes(count: 5000, seed: 2, format: .json))
  }

  @Test("A longer list begins with the shorter one")
  func prefixes() {
    let long = GeneratedList.bytes(count: 3000, seed: 3, format: .jsonl)
    #expect(long.starts(with: GeneratedList.bytes(count: 1000, seed: 3, format: .jsonl)))
    #expect(GeneratedList.bytes(count: 0, seed: 3, format: .json) == Array("[]\n".utf8))
  }

  @Test("Shared names, accents and ids have their documented frequencies")
  func rates() {
    let lines = String(decoding: GeneratedList.bytes(count: 50_000, seed: 1, format: .tsv), as: UTF8.self).split(
      separator: "\n"
    ).dropFirst()
    #expect(lines.count == 50_000)
    var names: [Substring: Int] = [:]
    var ids: Set<Substring> = []
    var accented = 0
    for line in lines {
      let fields = line.split(separator: "\t")
      #expect(fields.count == 5)
      names[line[..<fields[1].endIndex], default: 0] += 1
      ids.insert(fields[2])
      if fields[1].utf8.contains(where: { $0 >= 0x80 }) { accented += 1 }
    }
    let shared = names.values.filter { $0 > 1 }.reduce(0, +)
    #expect((15_000...20_000).contains(shared), "\(shared)")
    #expect((3_000...4_000).contains(accented), "\(accented)")
    #expect(ids.count == 50_000)
  }
}
