import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

/// The ranks of a manifest, which tests change and write back with right checksums.
private struct RankSurgery {
  private let file: [UInt8]
  private var root: [UInt8]
  private let frames: [Range<Int>]
  private let firstFrame: Int
  /// The greatest weight of each part of each shard, by page.
  var pages: [[[UInt64]]] = []
  /// The greatest weight, by page.
  var maxima: [UInt64] = []
  private let compressor = Compressor()

  init(_ file: [UInt8]) throws {
    self.file = file
    var frames: [Range<Int>] = []
    while (frames.last?.upperBound ?? 0) < file.count {
      let start = frames.last?.upperBound ?? 0
      frames.append(start..<start + file[start...].withUnsafeBufferPointer { ZstdFrame.size(of: $0)! })
    }
    self.frames = frames
    root = try FrameSurgery.content(of: Array(file[frames[0]]))
    let entry = Self.entry(of: root)
    let start = file.count - ManifestSurgery.Frame.number(root, entry, 4)
    firstFrame = try #require(frames.firstIndex { $0.lowerBound == start })
    let head = try FrameSurgery.content(of: Array(file[frames[firstFrame]]))
    let count = ManifestSurgery.Frame.number(head, 4, 4)
    maxima = (0..<count).map { UInt64(ManifestSurgery.Frame.number(head, 8 + 8 * count + 8 * $0, 8)) }
    let shards = ManifestSurgery.Frame.number(root, 32, 4)
    for page in 0..<count {
      let content = try FrameSurgery.content(of: Array(file[frames[firstFrame + 1 + page]]))
      var offset = 0
      func varint() -> UInt64 {
        var (value, shift) = (UInt64(0), UInt64(0))
        repeat {
          value |= UInt64(content[offset] & 0x7f) << shift
          shift += 7
          offset += 1
        } while content[offset - 1] >= 0x80
        return value
      }
      let counts = (0..<min(64, shards - 64 * page)).map { _ in Int(varint()) }
      pages.append(counts.map { count in (0..<count).map { _ in varint() } })
      #expect(offset == content.count)
    }
  }

  /// The offset of the ranks' entry in the root.
  private static func entry(of root: [UInt8]) -> Int {
    let sections = ManifestSurgery.Frame.number(root, 12, 4)
    let number = (0..<sections).first { ManifestSurgery.Frame.number(root, 48 + 24 * $0, 4) == 10 }!
    return ManifestSurgery.Frame.number(root, 48 + 24 * number + 8, 8)
  }

  /// Returns the file.
  func bytes() -> [UInt8] {
    func varint(_ value: UInt64) -> [UInt8] {
      value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7f) | 0x80] + varint(value >> 7)
    }
    let bodies = pages.map { page in
      ZstdFrame.quick(
        page.flatMap { varint(UInt64($0.count)) } + page.flatMap { $0.flatMap(varint) }, with: compressor)
    }
    var head = ByteWriter()
    head.write(MaximaForm.ranks.magic)
    head.write(UInt32(pages.count))
    var end = 0
    for body in bodies {
      end += body.count
      head.write(UInt32(end))
    }
    for body in bodies { head.write(FrameSurgery.checksum(body)) }
    for maximum in maxima { head.write(maximum) }
    let first = ZstdFrame.quick(head.bytes, with: compressor)
    var root = root
    let entry = Self.entry(of: root)
    ManifestSurgery.Frame.set(&root, entry, first.count + end, size: 4)
    ManifestSurgery.Frame.set(&root, entry + 4, head.bytes.count, size: 4)
    ManifestSurgery.Frame.set(&root, entry + 8, Int(FrameSurgery.checksum(first)), size: 4)
    return ZstdFrame.quick(root, with: compressor) + file[frames[0].upperBound..<frames[firstFrame].lowerBound]
      + first + bodies.joined()
  }
}

@Suite("Damaged ranks") struct RankDamageTests {
  /// An index of several pages with ranks, and a copy of it.
  private struct Copies {
    let directory = TemporaryDirectory()
    var path: String { directory("index") }
    var copy: String { directory("copy") }
    let shards: [String]

    init(count: Int = 2000) throws {
      let list = ChangingList(count: count, seed: 21, ChangingList.weighted)
      let input = directory.write(ChangingList.text(list.records), to: "list.jsonl")
      _ = try ShardBuilder.build([input], into: directory("index"), options: ChangingList.weightedOptions())
      shards = try SmallIndex.shardNames(directory("index"))
      Files.copy(directory("index"), to: directory("copy"))
    }

    func set(_ manifest: [UInt8]) { Files.write(manifest, to: path + "/manifest") }

    func verified() throws -> [Verifier.Finding] {
      var findings: [Verifier.Finding] = []
      _ = try Verifier.verify(index: path) { findings.append($0) }
      return findings.filter(\.isDamage)
    }
  }

  @Test("verify finds a greatest weight that is one too small or too large, and a copy repairs it")
  func bounds() throws {
    let copies = try Copies()
    let sound = Files.read(copies.path + "/manifest")!
    let original = try RankSurgery(sound)
    #expect(original.pages.count > 1 && original.pages.joined().contains { $0.count > 1 })
    #expect(try copies.verified() == [])
    var random = SplitMix64(seed: 4)
    for round in 0..<(TestData.isDebug ? 12 : 60) {
      var surgery = original
      let page = Int.random(in: 0..<surgery.pages.count, using: &random)
      let shard = Int.random(in: 0..<surgery.pages[page].count, using: &random)
      let part = Int.random(in: 0..<surgery.pages[page][shard].count, using: &random)
      let weight = surgery.pages[page][shard][part]
      let changed = round % 2 == 0 && weight > 0 || weight == UInt64(Int64.max) ? weight - 1 : weight + 1
      surgery.pages[page][shard][part] = changed
      surgery.maxima[page] = surgery.pages[page].joined().max()!
      copies.set(surgery.bytes())
      var reasons = [
        "the ranks say \(changed) for part \(part) of shard \(64 * page + shard) (\(copies.shards[64 * page + shard]));"
          + " its greatest weight is \(weight)"
      ]
      if surgery.maxima[page] != original.maxima[page] {
        reasons.append(
          "the ranks say \(surgery.maxima[page]) for page \(page); its greatest weight is \(original.maxima[page])")
      }
      #expect(
        try copies.verified() == reasons.map { .damage(file: copies.path + "/manifest", reason: $0) }, "round \(round)")
      let summary = try ShardBuilder.repair(copies.path, from: copies.copy)
      #expect(summary.isSound && summary.repaired == ["manifest"], "round \(round), \(summary)")
      #expect(Files.read(copies.path + "/manifest") == sound)
    }
  }

  @Test("verify compares the greatest weight of a page too") func pages() throws {
    let copies = try Copies()
    let original = try RankSurgery(Files.read(copies.path + "/manifest")!)
    var surgery = original
    surgery.maxima[1] -= 1
    copies.set(surgery.bytes())
    #expect(
      try copies.verified() == [
        .damage(
          file: copies.path + "/manifest",
          reason: "the ranks say \(surgery.maxima[1]) for page 1; its greatest weight is \(original.maxima[1])")
      ])
    let summary = try ShardBuilder.repair(copies.path, from: copies.copy)
    #expect(summary.isSound && summary.repaired == ["manifest"])
  }

  @Test("verify finds ranks of too many parts, and a copy that is wrong or another one repairs nothing")
  func unproven() throws {
    let copies = try Copies()
    let sound = Files.read(copies.path + "/manifest")!
    var surgery = try RankSurgery(sound)
    surgery.pages[0][0].append(0)
    copies.set(surgery.bytes())
    #expect(
      try copies.verified() == [
        .damage(
          file: copies.path + "/manifest",
          reason: "the ranks have \(surgery.pages[0][0].count) parts of shard 0 (\(copies.shards[0])); it has "
            + "\(surgery.pages[0][0].count - 1)")
      ])
    Files.write(surgery.bytes(), to: copies.copy + "/manifest")
    #expect(throws: RepairError.self) { try ShardBuilder.repair(copies.path, from: copies.copy) }
    let other = try Copies(count: 2001)
    #expect(throws: RepairError.self) { try ShardBuilder.repair(copies.path, from: other.copy) }
    Files.write(sound, to: copies.copy + "/manifest")
    #expect(try ShardBuilder.repair(copies.path, from: copies.copy).repaired == ["manifest"])
  }

  @Test("verify finds any changed byte of the ranks, and a copy repairs it") func bytes() throws {
    let copies = try Copies(count: 200)
    let sound = Files.read(copies.path + "/manifest")!
    let start = try ShardedIndex(opening: copies.path).generation.manifest.ranksRange!.lowerBound
    var harmless = 0
    for offset in stride(from: start, to: sound.count, by: TestData.isDebug ? 7 : 1) {
      var bytes = sound
      bytes[offset] ^= 0x10
      copies.set(bytes)
      if try copies.verified().isEmpty {
        // One bit of each zstd frame has no meaning: then the content is the same.
        #expect(try RankSurgery(bytes).pages == RankSurgery(sound).pages, "byte \(offset)")
        harmless += 1
        continue
      }
      if offset % 5 == 0 {
        #expect(try ShardBuilder.repair(copies.path, from: copies.copy).repaired == ["manifest"], "byte \(offset)")
      }
    }
    #expect(harmless <= 2)
  }
}
