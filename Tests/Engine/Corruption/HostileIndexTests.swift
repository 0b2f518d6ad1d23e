import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

/// Indexes made to exhaust memory, with right checksums. Each test has a process of its own, whose memory it measures.
@Suite("Indexes made to exhaust memory", .serialized) struct HostileIndexTests {
  private static func build() throws -> FrameSurgery { try FrameSurgery(CorruptionTests.build().path) }

  /// The outcome of opening an index and asking it.
  private static func outcome(_ path: String) -> IndexError? {
    do throws(IndexError) {
      let index = try ShardedIndex(opening: path)
      let matches = try index.matches(forPrefix: "")
      _ = try matches.records(in: 0..<20)
      _ = try matches.records(in: matches.count - 20..<matches.count)
      return nil
    } catch {
      return error
    }
  }

  private static func expectRefused(_ path: String, _ file: String, _ what: String, megabytes: Int = 24) {
    let growth = MemoryGrowth()
    let outcome = outcome(path)
    let grown = growth.bytes >> 20
    #expect(grown <= megabytes, "\(what): \(grown) MiB")
    guard case .corrupt(file, _) = outcome else {
      Issue.record("\(what): \(String(describing: outcome))")
      return
    }
    print("\(what): refused, \(grown) MiB more at the peak")
  }

  @Test("the largest frame of zeros is refused in the place of each kind of frame")
  func bombs() async {
    await #expect(processExitsWith: .success) {
      let surgery = try Self.build()
      let zeros = [UInt8](repeating: 0, count: ZstdFrame.contentLimit)
      let manifest = surgery.path + "/manifest"
      Files.write(surgery.manifestFile(changedRoot: zeros), to: manifest)
      Self.expectRefused(surgery.path, manifest, "a root of 16 MiB")
      Files.write(surgery.manifestFile(pages: [0: zeros]), to: manifest)
      Self.expectRefused(surgery.path, manifest, "a page of 16 MiB")
      for frame in 0..<3 {
        let file = surgery.store(0, [frame: zeros])
        Self.expectRefused(surgery.path, file, "frame \(frame) of 16 MiB")
      }
      // One more byte is refused by the size in its entry.
      let file = surgery.store(0, [1: zeros + [0]])
      Self.expectRefused(surgery.path, file, "keys of 16 MiB and a byte", megabytes: 2)
    }
  }

  @Test("frames in files with gigabytes of holes are refused in little memory")
  func holes() async {
    await #expect(processExitsWith: .success) {
      let surgery = try Self.build()
      let manifest = surgery.path + "/manifest"
      let shard = surgery.shards[0]
      let path = "\(surgery.path)/\(shard.name)"
      var (bytes, file) = surgery.shardFile(0, [:])
      // Sizes that fit a manifest: the file has them.
      for (what, size, headerSize) in [
        ("a header of 4 GiB", Int(UInt32.max), Int(UInt32.max)), ("a file of 4 GiB", Int(UInt32.max), file.headerSize),
        ("a header of 64 MiB", 1 << 26, 1 << 26),
      ] {
        (file.size, file.headerSize) = (size, headerSize)
        Files.write(bytes, to: path)
        Files.setSize(of: path, to: size)
        Files.write(surgery.manifestFile(0, file), to: manifest)
        Self.expectRefused(surgery.path, manifest, what, megabytes: 2)
      }
      // Sizes of parts that fit a header, in a file that is not too large for them.
      for areKeys in [true, false] {
        var header = try ShardHeaderLayout(shard.contents[0])
        let size = (1 << 26) - 4096
        if areKeys { header.parts[0].keys.size += size } else { header.parts[0].fields.size += size }
        (bytes, file) = surgery.shardFile(0, [0: header.content])
        file.size += size
        Files.write(bytes, to: path)
        Files.setSize(of: path, to: file.size)
        Files.write(surgery.manifestFile(0, file), to: manifest)
        Self.expectRefused(surgery.path, path, "a frame of 64 MiB", megabytes: 2)
      }
    }
  }

  @Test("skippable frames, frames of no content and old magics are refused")
  func skippable() throws {
    let surgery = try Self.build()
    let manifest = Files.read(surgery.path + "/manifest")!
    for magic in [0x50, 0x5f] as [UInt8] {
      // The byte in the descriptor's place has the bit of a checksum, and the size fits.
      let frame = [magic, 0x2a, 0x4d, 0x18, 12, 0, 0, 0] + [UInt8](repeating: 7, count: 12)
      frame.withUnsafeBufferPointer { bytes in
        #expect(ZstdFrame.contentSize(of: bytes) == nil)
        #expect(ZstdFrame.size(of: bytes) == nil)
        #expect(throws: FormatError.self) {
          try ZstdFrame.decompress(bytes, into: .init(start: nil, count: 0), with: Decompressor())
        }
      }
      Files.write(frame + manifest, to: surgery.path + "/manifest")
      guard case .corrupt = Self.outcome(surgery.path) else {
        Issue.record("a skippable frame before the root was passed over")
        continue
      }
    }
    // zstd wrote 0xFD2FB522 to 0xFD2FB527 before its first version.
    for old in 0x22...0x27 as ClosedRange<UInt8> {
      Files.write([old] + manifest.dropFirst(), to: surgery.path + "/manifest")
      #expect(Self.outcome(surgery.path) != nil)
    }
  }

  @Test("names that nest a million deep, and a template of thousands of them, take little memory")
  func names() async {
    await #expect(processExitsWith: .success) {
      let surgery = try Self.build()
      func root(names: [String], key: String) throws -> [UInt8] {
        let index = try ShardedIndex(opening: surgery.path)
        var encoder = ManifestEncoder(level: 1)
        for shard in try index.generation.manifest.shards() { encoder.add(ManifestEncoder.ListedShard(shard)) }
        return try encoder.file(shardLimit: 3000, fieldNames: index.fieldNames + names, settings: [("key", key)])
      }
      let field = String(repeating: "{f1}", count: 4000)
      let many = try root(names: (0..<65_000).map { "f\($0)" }, key: field)
      let deep = try root(names: [String(repeating: "a.", count: 1 << 20)], key: "{name}")
      for manifest in [many, deep] {
        Files.write(manifest, to: surgery.path + "/manifest")
        let growth = MemoryGrowth()
        #expect(Self.outcome(surgery.path) == nil)
        let index = try ShardedIndex(opening: surgery.path)
        #expect(!index.keyTemplate.isEmpty && index.storesKeys)
        #expect(growth.bytes >> 20 < 64)
      }
    }
  }

  @Test("labels that are paths or control characters name no file elsewhere")
  func labels() throws {
    let surgery = try Self.build()
    for label in [
      "../../..", "/etc/pas", "..\u{0}\u{0}../", "\u{1b}[31m\n\r\u{7f}", "a/b/c/d/", "%2e%2e%2f", "\u{0}\u{0}\u{0}x",
      "",
    ] {
      let bytes = Array((Array(label.utf8) + [UInt8](repeating: 0, count: 8)).prefix(8))
      let file = surgery.store(0, label: bytes)
      let name = String(file.dropFirst(surgery.path.count + 1))
      #expect(
        name.utf8.allSatisfy {
          $0 == 0x25 || $0 == 0x2d || $0 == 0x2e || $0 == 0x5f || $0 &- 0x30 < 10 || $0 &- 0x61 < 26
        })
      #expect(name.hasSuffix(".zst") && name.utf8.filter { $0 == 0x2e }.count == 1)
      // The name leads to the file in this directory; without the file it leads nowhere.
      #expect(Self.outcome(surgery.path) == nil, "\(name)")
      Files.remove(file)
      #expect(Self.outcome(surgery.path) == .vanished(path: file))
    }
  }

  @Test("records of megabytes, made of a few kilobytes, are decoded one at a time")
  func amplification() async {
    await #expect(processExitsWith: .success) {
      // Two texts of 2 MiB take turns in a dictionary.
      let long = String(repeating: "x", count: 2 << 20)
      let lines = (0..<8).map { row in
        "{\"name\":\"n\(row)\"" + (0..<3).map { ",\"t\($0)\":\"\(row % 2)\(long)\"" }.joined() + "}\n"
      }
      let index = try SmallIndex(json: lines.joined(), key: "{name}", suffix: ".jsonl") {
        $0.shardLimitBytes = 16 << 20
      }
      let matches = try index.open.matches(forPrefix: "")
      #expect(matches.count == 8)
      let growth = MemoryGrowth()
      let buffer = RecordBuffer()
      // A record is 6 MiB, and one is decoded at a time.
      for record in 0..<4 { try matches.read(record..<record + 1, into: buffer) }
      #expect(growth.bytes >> 20 < 40)
      let summary = try Verifier.verify(index: index.path) { Issue.record("\($0)") }
      #expect(summary.isSound)
    }
  }

  @Test("a record of 50 MB, made of columns that spell one long key each, is refused")
  func overlong() async {
    await #expect(processExitsWith: .success) {
      let lines = (0..<3).map { row in
        let name = "k\(row)" + String(repeating: "x", count: 3000)
        return "{\"name\":\"\(name)\"" + (0..<250).map { ",\"c\($0)\":\"\(name)\"" }.joined() + "}\n"
      }
      let index = try SmallIndex(json: lines.joined(), key: "{name}", suffix: ".jsonl") {
        $0.shardLimitBytes = 16 << 20
      }
      let surgery = try FrameSurgery(index.path)
      var keys = surgery.shards[0].contents[1]
      let more = 200_000
      #expect(surgery.shards.count == 1 && keys.count < 10_000, "three keys and spelled columns")
      // The first stem gets longer: its bytes, all bytes, and its size above 15, behind a byte of sizes for each
      // record.
      let (suffixes, flags, start) = try keys.withUnsafeBufferPointer { bytes in
        var reader = ByteReader(bytes)
        _ = (try reader.read(UInt32.self), try reader.readVarint())
        return (try reader.readVarint(), try reader.read(UInt8.self), reader.offset)
      }
      #expect(flags == 1, "wide keys")
      let excess = start + suffixes + 3
      let size = Int(keys[excess] & 0x7f) | Int(keys[excess + 1]) << 7
      #expect(size == 3002 - 15 && keys[excess - 3] == 0xf0, "the layout of keys is another one: see docs/format.md")
      keys.replaceSubrange(
        excess..<excess + 2,
        with: [
          UInt8((size + more) & 0x7f | 0x80), UInt8((size + more) >> 7 & 0x7f | 0x80), UInt8((size + more) >> 14),
        ])
      keys.insert(contentsOf: [UInt8](repeating: 0x78, count: more), at: start + 3002)
      var front = ByteWriter()
      front.write(KeyBlocks.magic)
      front.writeVarint(3)
      front.writeVarint(suffixes + more)
      front.write(1 as UInt8)
      keys.replaceSubrange(..<start, with: front.bytes)
      let file = surgery.store(0, [1: keys])

      let growth = MemoryGrowth()
      let open = try ShardedIndex(opening: index.path)
      let matches = try open.matches(forPrefix: "k")
      #expect(try matches.records(in: 1..<3).map(\.key.utf8.count) == [3002, 3002])
      let buffer = RecordBuffer()
      let error = #expect(throws: IndexError.self) { try matches.read(0..<3, into: buffer) }
      guard case .corrupt(file, .invalid(let reason, _)) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(reason.contains("a record of over") && buffer.count == 0)
      #expect(growth.bytes >> 20 < 120)
      var reasons: [String] = []
      let summary = try Verifier.verify(index: index.path) {
        if case .damage(_, let reason) = $0 { reasons.append(reason) }
      }
      #expect(!summary.isSound && reasons.count == 1, "\(reasons)")
    }
  }
}
