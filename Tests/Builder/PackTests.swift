import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

import CLibrary

/// The fields of a pack, which tests change. Layout: docs/pack.md §2 and §3.
private struct PackSurgery {
  struct Piece {
    var source = 0
    var offset = 0
    var copied = 0
    var literal: [UInt8] = []
    /// The claimed number of literal bytes, if it is not the true one.
    var claimed: Int?
  }

  /// Magic, version, digests, sizes, count.
  var header: [UInt8]
  /// The pieces of the manifest, then of each shard.
  var files: [[Piece]] = []
  /// The claimed number of the manifest's pieces, if it is not the true one.
  var claimedPieces: Int?

  private static func number(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> Int {
    (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }

  init(_ bytes: [UInt8]) {
    header = Array(bytes[..<96])
    var at = 128
    while at < bytes.count {
      let count = Self.number(bytes, at, 4)
      at += 4
      var pieces: [Piece] = []
      for _ in 0..<count {
        let size = Self.number(bytes, at + 20, 8)
        pieces.append(
          Piece(
            source: Self.number(bytes, at, 4), offset: Self.number(bytes, at + 4, 8),
            copied: Self.number(bytes, at + 12, 8), literal: Array(bytes[at + 28..<at + 28 + size])))
        at += 28 + size
      }
      files.append(pieces)
    }
  }

  mutating func set(_ offset: Int, _ value: Int) { FrameSurgery.set(&header, offset, value, size: 8) }

  /// Gives the pack another new manifest, which it holds whole.
  mutating func setManifest(_ manifest: [UInt8]) {
    header.replaceSubrange(40..<72, with: Digest.sha256(manifest))
    set(80, manifest.count)
    files[0] = [Piece(literal: manifest)]
  }

  /// The pack's bytes, with the right digest of the header.
  var bytes: [UInt8] {
    var bytes = header + Digest.sha256(header)
    func append(_ value: Int, _ size: Int) {
      for byte in 0..<size { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
    }
    for (number, pieces) in files.enumerated() {
      append(number == 0 ? claimedPieces ?? pieces.count : pieces.count, 4)
      for piece in pieces {
        append(piece.source, 4)
        append(piece.offset, 8)
        append(piece.copied, 8)
        append(piece.claimed ?? piece.literal.count, 8)
        bytes += piece.literal
      }
    }
    return bytes
  }
}

@Suite("Packs") struct PackTests {
  /// Two indexes of about 200 records each, in a handful of shards, and the pack from one to the other.
  private final class Pair {
    let directory = TemporaryDirectory()
    let summary: PackSummary
    var old: String { directory("old") }
    var new: String { directory("new") }
    var pack: String { directory("pack") }
    var copy: String { directory("copy") }

    init(shardLimitBytes: Int = 2500, _ change: (inout [ModelRecord]) -> Void) throws {
      var records = ModelRecord.small()
      try Self.build(records, directory("old"), shardLimitBytes)
      change(&records)
      try Self.build(records, directory("new"), shardLimitBytes)
      summary = try ShardBuilder.diff(old: directory("old"), new: directory("new"), to: directory("pack"))
      renew()
    }

    /// Makes the copy equal to the old index.
    func renew() {
      Files.remove(copy)
      Files.copy(old, to: copy)
    }

    private static func build(_ records: [ModelRecord], _ path: String, _ limit: Int) throws {
      let built = try SmallIndex(records, key: "{name}, {country}", shardLimitBytes: limit)
      Files.copy(built.path, to: path)
    }

    /// Expects all files of the new generation in `directory`.
    func checkNew(_ directory: String) throws {
      let (wanted, found) = (Files.contents(of: new), Files.contents(of: directory))
      for (name, bytes) in wanted { #expect(found[name] == bytes, "\(name)") }
      #expect(try Verifier.verify(index: directory) { _ in }.isSound)
      // Other files are those that readers of the old generation need, and no more.
      #expect(found.keys.allSatisfy { wanted[$0] != nil || Files.read("\(old)/\($0)") != nil })
    }
  }

  private static func touch(_ records: inout [ModelRecord], _ number: Int) {
    records[number].fields[4].text = "town"
    records[number].fields[3].text = "1.25"
  }

  @Test("progress is reported for each file of a pack") func progress() throws {
    let pair = try Pair { records in for row in records.indices { records[row].fields[2].text = "\(row)" } }
    var told: [FileProgress] = []
    let made = try ShardBuilder.diff(old: pair.old, new: pair.new, to: pair.pack) { told.append($0) }
    let count = made.shardsShipped
    #expect(count > 5 && told == (1...count).map { FileProgress(phase: .packing, done: $0, total: count) })
    told = []
    _ = try ShardBuilder.apply(pack: pair.pack, to: pair.copy) { told.append($0) }
    #expect(told == (1...count).map { FileProgress(phase: .applying, done: $0, total: count) })
  }

  @Test(
    "a pack makes the new index from a copy of the old one",
    arguments: ["changed", "added", "removed", "renamed", "all", "none", "emptied", "filled", "same"])
  func roundTrip(kind: String) throws {
    let pair = try Pair { records in
      switch kind {
      case "changed": Self.touch(&records, 77)
      case "added": records.append(contentsOf: records[20..<22])
      case "removed": records.removeSubrange(50..<90)
      case "renamed": for row in 0..<40 { records[row].fields[0].text = "Zz\(row)" }
      case "all": for row in records.indices { records[row].fields[2].text = "\(row)" }
      case "emptied": records.removeAll()
      case "filled": records += records.map { $0 }
      default: break
      }
    }
    #expect(pair.summary.bytes == Files.read(pair.pack)?.count)
    let before = Files.contents(of: pair.copy)
    let summary = try ShardBuilder.apply(pack: pair.pack, to: pair.copy)
    let isSame = kind == "none" || kind == "same"
    #expect(summary.wasThere == isSame && summary.digest == pair.summary.newDigest)
    #expect(summary.shardsWritten == pair.summary.shardsShipped && summary.shardsKept == 0)
    #expect(summary.shardsWritten == Files.contents(of: pair.new).keys.count { before[$0] == nil })
    try pair.checkNew(pair.copy)
    // Once more: the new index is there, and apply touches nothing, not even the lock.
    let after = Files.contents(of: pair.copy)
    Files.remove(pair.copy + "/.lock")
    #expect(try ShardBuilder.apply(pack: pair.pack, to: pair.copy).wasThere)
    #expect(Files.contents(of: pair.copy) == after && !Files.names(in: pair.copy).contains(".lock"))
    // And back.
    try ShardBuilder.diff(old: pair.new, new: pair.old, to: pair.directory("back"))
    #expect(try ShardBuilder.apply(pack: pair.directory("back"), to: pair.copy).wasThere == isSame)
    #expect(Files.read(pair.copy + "/manifest") == Files.read(pair.old + "/manifest"))
    #expect(try Verifier.verify(index: pair.copy) { _ in }.isSound)
  }

  @Test("a pack does not ship unchanged pages of a manifest")
  func manyPages() throws {
    let directory = TemporaryDirectory()
    func build(_ name: String, _ change: (Int) -> String) throws -> [UInt8] {
      let records = (0..<1000).map {
        ModelRecord([("name", .string("k\(1000 + $0)")), ("note", .string(change($0)))])
      }
      let built = try SmallIndex(records, key: "{name}", shardLimitBytes: 1)
      #expect(built.open.shardCount == 1000)
      Files.copy(built.path, to: directory(name))
      return Files.read(directory(name) + "/manifest")!
    }
    let old = try build("old") { "n\($0 * 7919 % 1000)" }
    _ = try build("new") { $0 == 500 ? "other" : "n\($0 * 7919 % 1000)" }
    let summary = try ShardBuilder.diff(old: directory("old"), new: directory("new"), to: directory("pack"))
    #expect(summary.shardsShipped == 1)
    // One page of sixteen, the root, and one shard of about a hundred bytes.
    #expect(summary.bytes < old.count / 8, "\(summary.bytes) of \(old.count)")
    #expect(try ShardBuilder.apply(pack: directory("pack"), to: directory("old")).shardsWritten == 1)
    #expect(Files.read(directory("old") + "/manifest") == Files.read(directory("new") + "/manifest"))
    // The pack has the root, a page, and the notes' head and frame of the page's pieces; all bytes between are copied.
    let pieces = PackSurgery(Files.read(directory("pack"))!).files[0]
    #expect(pieces.count == 5 && pieces.map(\.copied).reduce(0, +) > old.count * 7 / 8)
  }

  @Test("a pack does not ship an unchanged frame")
  func frames() throws {
    // One shard has many parts; a number changes in one of them.
    let pair = try Pair(shardLimitBytes: 1 << 20) { Self.touch(&$0, 77) }
    let shard = PackSurgery(Files.read(pair.pack)!).files[1]
    #expect(pair.summary.shardsShipped == 1 && shard.contains { $0.copied > 0 && $0.source == 1 })
  }

  // MARK: Packs that do not fit

  /// Applies a pack that must be refused; the copy must stay as it was.
  private func refused(_ pair: Pair, _ pack: [UInt8], _ what: String) -> PackError? {
    let before = Files.contents(of: pair.copy)
    Files.write(pack, to: pair.directory("other"))
    var found: PackError?
    do throws(PackError) {
      _ = try ShardBuilder.apply(pack: pair.directory("other"), to: pair.copy)
      Issue.record("\(what): applied")
    } catch {
      found = error
      #expect(!error.description.isEmpty)
    }
    #expect(Files.contents(of: pair.copy) == before, "\(what)")
    return found
  }

  private func isDamaged(_ error: PackError?) -> Bool { if case .damagedPack = error { true } else { false } }

  @Test("a pack cut to any length, or with bytes behind its end, is refused") func truncations() throws {
    let pair = try Pair { Self.touch(&$0, 77) }
    let bytes = try #require(Files.read(pair.pack))
    for size in 0..<bytes.count {
      #expect(isDamaged(refused(pair, Array(bytes[..<size]), "cut to \(size)")), "cut to \(size)")
    }
    for more in [[0], [0xff], bytes, [UInt8](repeating: 0, count: 300_000)] {
      #expect(isDamaged(refused(pair, bytes + more, "\(more.count) more")))
    }
    _ = try ShardBuilder.apply(pack: pair.pack, to: pair.copy)
    try pair.checkNew(pair.copy)
  }

  @Test("a pack with any flipped byte is refused, also under a right digest of the header")
  func flips() throws {
    let pair = try Pair { Self.touch(&$0, 77) }
    let bytes = try #require(Files.read(pair.pack))
    var random = SplitMix64(seed: 3)
    for at in bytes.indices {
      for mask in [0xff, 1 << UInt8.random(in: 0..<8, using: &random)] as [UInt8] {
        var flipped = bytes
        flipped[at] ^= mask
        let error = refused(pair, flipped, "byte \(at) ^ \(mask)")
        switch error {
        case .damagedPack: break
        case .unsupportedVersion: #expect((4..<8).contains(at))
        default: Issue.record("byte \(at): \(String(describing: error))")
        }
        guard (8..<96).contains(at) else { continue }
        flipped.replaceSubrange(96..<128, with: Digest.sha256(Array(flipped[..<96])))
        switch refused(pair, flipped, "byte \(at) ^ \(mask), digest made right") {
        case .damagedPack: #expect(at >= 40)
        case .doesNotFit: #expect(at < 40 || (72..<80).contains(at))
        case let error: Issue.record("byte \(at): \(String(describing: error))")
        }
      }
    }
  }

  @Test("false sizes, counts and places are refused") func lies() throws {
    let pair = try Pair { Self.touch(&$0, 77) }
    let pack = PackSurgery(try #require(Files.read(pair.pack)))
    let old = try #require(Files.read(pair.old + "/manifest"))
    #expect(pack.bytes == Files.read(pair.pack))
    func refuse(_ what: String, _ change: (inout PackSurgery) -> Void) {
      var changed = pack
      change(&changed)
      let error = refused(pair, changed.bytes, what)
      #expect(isDamaged(error), "\(what): \(String(describing: error))")
    }
    for size in [0, 1, 1 << 40, Int.max, -1] {
      refuse("a manifest of \(size) bytes") { $0.set(80, size) }
      refuse("\(size) shards") { $0.set(88, size == 1 ? 2 : size) }
      refuse("a literal of \(size) bytes") { $0.files[0][0].claimed = size }
      if size != 0 { refuse("an offset of \(size)") { $0.files[0][0].offset = size } }
      refuse("a copy of \(size) bytes") { $0.files[0][0].copied = size == 0 ? 3 : size }
      refuse("a shard's literal of \(size) bytes") { $0.files[1][$0.files[1].count - 1].claimed = size }
      refuse("a shard's copy of \(size) bytes from nowhere") {
        $0.files[1].insert(.init(source: 4_000_000_000, copied: size), at: 0)
      }
      refuse("a shard's copy of \(size) bytes of the manifest") { $0.files[1].insert(.init(copied: size), at: 0) }
      refuse("a shard's copy of \(size) bytes of a shard") {
        $0.files[1].insert(.init(source: 1, offset: 1, copied: size), at: 0)
      }
    }
    for count in [0, 2, 0xffff_ffff] { refuse("\(count) pieces") { $0.claimedPieces = count } }
    refuse("pieces of nothing") { $0.files[0].append(.init()) }
    refuse("nothing of somewhere") { $0.files[0][0].source = 1 }
    refuse("no shard") { $0.files.removeLast() }
    refuse("a shard twice") { $0.files.append($0.files[1]) }
    refuse("a manifest that is none") { $0.setManifest(Array("no manifest".utf8)) }
    refuse("a manifest that is the beginning of one") { $0.setManifest(Array(old.dropLast())) }
    refuse("a manifest with a byte behind its end") { $0.setManifest(old + [0]) }
    refuse("the old manifest over and over") { pack in
      pack.setManifest((0..<1000).flatMap { _ in old })
      pack.files[0] = (0..<1000).map { _ in .init(copied: old.count) }
    }
    refuse("copies that go back") { pack in
      pack.setManifest(Array(old[10...]) + old[..<10])
      pack.files[0] = [.init(offset: 10, copied: old.count - 10), .init(copied: 10)]
    }
  }

  @Test("a shard is made of four old ones at most") func sources() throws {
    let pair = try Pair(shardLimitBytes: 1200) { Self.touch(&$0, 77) }
    #expect(try SmallIndex.shardNames(pair.old).count >= 5)
    let name = try #require(Files.names(in: pair.new).first { Files.read("\(pair.old)/\($0)") == nil })
    let shard = try #require(Files.read("\(pair.new)/\(name)"))
    let header = try #require(shard.withUnsafeBufferPointer { ZstdFrame.size(of: $0) })
    var pack = PackSurgery(try #require(Files.read(pair.pack)))
    // All shards begin with a frame's four bytes, and the second frame with the first of them.
    pack.files[1] = (0..<4).map { .init(source: $0 + 1, offset: $0, copied: 1) }
    pack.files[1][3].literal = Array(shard[4..<header])
    pack.files[1].append(.init(source: 5, copied: 1, literal: Array(shard[(header + 1)...])))
    #expect(isDamaged(refused(pair, pack.bytes, "of five")))
    pack.files[1][4].source = 1
    Files.write(pack.bytes, to: pair.directory("other"))
    _ = try ShardBuilder.apply(pack: pair.directory("other"), to: pair.copy)
    try pair.checkNew(pair.copy)
  }

  /// The pack of an index whose manifest was changed by hand.
  private func pack(_ pair: Pair, manifest: [UInt8], shards: [[UInt8]]) -> [UInt8] {
    var pack = PackSurgery(Files.read(pair.pack)!)
    pack.setManifest(manifest)
    pack.set(88, shards.count)
    pack.files = [pack.files[0]] + shards.map { [.init(literal: $0)] }
    return pack.bytes
  }

  @Test("a pack's manifest names no file outside of the directory") func names() throws {
    let pair = try Pair { Self.touch(&$0, 77) }
    Files.copy(pair.old, to: pair.directory("forged"))
    let surgery = try FrameSurgery(pair.directory("forged"))
    let (bytes, file) = surgery.shardFile(0, [1: surgery.shards[0].contents[1]])
    let digest = Array(Digest.sha256(bytes).prefix(16))
    func manifest(_ file: Manifest.File, _ label: String, _ digest: [UInt8]) -> [UInt8] {
      let label = Array(label.utf8) + [UInt8](repeating: 0, count: 8 - label.utf8.count)
      return surgery.manifestFile(0, file, digest: digest, label: label)
    }
    // Names that labels make stay in the directory.
    for label in ["../../x", "/etc/x", ".", "..", "a\nb\u{1b}[3", "manifest", ".lock", ""] {
      pair.renew()
      let before = Files.names(in: pair.directory.path)
      let changed = manifest(file, label, digest)
      Files.write(pack(pair, manifest: changed, shards: [bytes]), to: pair.directory("other"))
      #expect(try ShardBuilder.apply(pack: pair.directory("other"), to: pair.copy).shardsWritten == 1)
      let added = Set(Files.names(in: pair.copy)).subtracting(Files.names(in: pair.old) + [".lock"])
      #expect(added.count == 1 && added.allSatisfy { $0.hasSuffix(".zst") && !$0.contains("/") }, "\(label): \(added)")
      #expect(Files.names(in: pair.directory.path) == (before + ["other"]).sorted().reduced())
      #expect(Files.read(pair.copy + "/manifest") == changed)
    }
    pair.renew()
    // A size that no pack ships; the size of another file; the name of a shard of the old generation.
    var large = file
    large.size = 1 << 27
    #expect(isDamaged(refused(pair, pack(pair, manifest: manifest(large, "al", digest), shards: [bytes]), "large")))
    large.size = bytes.count + 1
    #expect(
      isDamaged(refused(pair, pack(pair, manifest: manifest(large, "al", digest), shards: [bytes + [0]]), "longer")))
    let index = try ShardedIndex(opening: pair.old)
    let shard = try index.generation.manifest.shard(0)
    let (label, own) = (Array(shard.label), Array(shard.digest))
    withExtendedLifetime(index) {}
    let twin = surgery.manifestFile(0, file, digest: own[..<8] + [UInt8](repeating: 7, count: 8), label: label)
    #expect(isDamaged(refused(pair, pack(pair, manifest: twin, shards: [bytes]), "the same name")))
    #expect(isDamaged(refused(pair, pack(pair, manifest: twin, shards: []), "the same name")))
  }

  @Test("a pack for another index is refused, and so is a directory without an index") func otherIndex() throws {
    let pair = try Pair { Self.touch(&$0, 77) }
    let third = try Pair { $0.removeLast() }
    let pack = try #require(Files.read(third.directory("pack")))
    // The pack begins with the same index.
    Files.write(pack, to: pair.directory("third"))
    _ = try ShardBuilder.apply(pack: pair.directory("third"), to: pair.copy)
    try third.checkNew(pair.copy)
    let error = refused(pair, try #require(Files.read(pair.pack)), "another index")
    #expect(
      error
        == .doesNotFit(
          directory: pair.copy, found: third.summary.newDigest, from: pair.summary.oldDigest,
          to: pair.summary.newDigest))
    // The pack leads to another index than the expected one.
    pair.renew()
    let expected = ManifestDigest(pair.summary.oldDigest)
    #expect(
      throws: PackError.unexpected(
        path: pair.pack, found: pair.summary.newDigest, expected: pair.summary.oldDigest)
    ) { try ShardBuilder.apply(pack: pair.pack, to: pair.copy, expecting: expected) }
    #expect(Files.contents(of: pair.copy) == Files.contents(of: pair.old))
    _ = try ShardBuilder.apply(pack: pair.pack, to: pair.copy, expecting: ManifestDigest(pair.summary.newDigest))
    try pair.checkNew(pair.copy)
    let empty = TemporaryDirectory()
    #expect(throws: PackError.index(.notFound(path: empty.path))) {
      try ShardBuilder.apply(pack: pair.pack, to: empty.path)
    }
    #expect(Files.names(in: empty.path).isEmpty)
    #expect(throws: PackError.self) { try ShardBuilder.apply(pack: empty("nothing"), to: pair.copy) }
    #expect(throws: PackError.self) { try ShardBuilder.apply(pack: empty.path, to: pair.copy) }
    #expect(throws: PackError.index(.notFound(path: empty.path))) {
      try ShardBuilder.diff(old: empty.path, new: pair.new, to: empty("pack"))
    }
    #expect(Files.names(in: empty.path).isEmpty)
  }

  @Test("a damaged copy, and one with a running build, are not updated") func damagedCopy() throws {
    let pair = try Pair { Self.touch(&$0, 77) }
    let bytes = try #require(Files.read(pair.pack))
    let shards = try SmallIndex.shardNames(pair.old)
    #expect(shards.count > 3)
    for name in shards {
      let isReplaced = Files.read("\(pair.new)/\(name)") == nil
      let path = "\(pair.copy)/\(name)"
      for damage in ["missing", "short", "other", "link"] {
        pair.renew()
        switch damage {
        case "missing": Files.remove(path)
        case "short": Files.setSize(of: path, to: 100)
        case "other": Files.overwrite(path, at: 50, with: [Files.read(path)![50] ^ 1])
        default:
          Files.remove(path)
          symlink("\(pair.old)/\(name)", path)
        }
        // Verify finds damage in unshipped files of the right size; apply reads only the files that it needs.
        let isNeeded = isReplaced ? PackSurgery(bytes).files[1].contains { $0.copied > 0 } : damage != "other"
        guard isNeeded else { continue }
        let error = refused(pair, bytes, "\(name) \(damage)")
        if case .damagedShard(let found, _) = error {
          #expect(found == path)
        } else {
          Issue.record("\(name) \(damage): \(String(describing: error))")
        }
      }
    }
    pair.renew()
    let publisher = try Publisher(directory: pair.copy)
    #expect(refused(pair, bytes, "locked") == .build(.locked(path: pair.copy + "/.lock")))
    withExtendedLifetime(publisher) {}
    Files.write([1, 2, 3], to: pair.copy + "/manifest")
    if case .index(.corrupt(let path, _)) = refused(pair, bytes, "manifest") {
      #expect(path == pair.copy + "/manifest")
    } else {
      Issue.record("applied to a damaged manifest")
    }
  }

  @Test("files of a killed apply are used, not written again") func resumed() throws {
    let pair = try Pair { records in for row in records.indices { records[row].fields[2].text = "\(row)" } }
    let (old, new) = (Files.contents(of: pair.old), Files.contents(of: pair.new))
    let added = new.keys.filter { $0 != "manifest" && old[$0] == nil }.sorted()
    #expect(added.count > 3 && added.count == pair.summary.shardsShipped)
    for count in 0...added.count {
      pair.renew()
      for name in added[..<count] { Files.write(new[name]!, to: "\(pair.copy)/\(name)") }
      // A shard that a power cut left half written, and a shard that had no name yet.
      if count < added.count { Files.write(Array(new[added[count]]!.dropLast(9)), to: "\(pair.copy)/\(added[count])") }
      Files.write(Array(new[added[0]]!.prefix(3)), to: pair.copy + "/.shardq-0000000000000001.tmp")
      let summary = try ShardBuilder.apply(pack: pair.pack, to: pair.copy)
      #expect(summary.shardsKept == count && summary.shardsWritten == added.count - count)
      try pair.checkNew(pair.copy)
    }
  }

  @Test("a diff that fails writes no pack, and leaves an older one") func failedDiff() throws {
    let pair = try Pair { records in for row in records.indices { records[row].fields[2].text = "\(row)" } }
    let before = Files.read(pair.pack)
    let name = try #require(
      try SmallIndex.shardNames(pair.new).last {
        Files.read("\(pair.old)/\($0)") == nil
      }
    )
    let path = "\(pair.new)/\(name)"
    Files.overwrite(path, at: 20, with: [Files.read(path)![20] ^ 1])
    #expect(throws: PackError.damagedShard(path: path, reason: "has another SHA-256 than the manifest says")) {
      try ShardBuilder.diff(old: pair.old, new: pair.new, to: pair.pack)
    }
    #expect(Files.read(pair.pack) == before)
    #expect(!Files.names(in: pair.directory.path).contains { $0.hasSuffix(".tmp") })
  }

  @Test(
    "the pack of a changed, added or removed city is under 64 KiB",
    .enabled(if: TestData.areListsTested, "\(TestData.skipReason)"))
  func cities() throws {
    let directory = TemporaryDirectory()
    let bytes = try #require(BuilderSupport.dataset("cities.json"))
    let text = String(decoding: bytes, as: UTF8.self)
    var records = text.dropFirst().split(separator: ",{").map { $0.hasPrefix("{") ? String($0) : "{" + $0 }
    records[records.count - 1] = String(records.last!.prefix { $0 != "]" })
    #expect(records.count == 209_556)
    let old = try RealList.cities.built.directory
    var random = SplitMix64(seed: 11)
    var sizes: [String: [Int]] = [:]
    for step in 0..<9 {
      var changed = records
      let place = Int.random(in: 0..<records.count, using: &random)
      let kind = ["removed", "added", "changed"][step % 3]
      switch kind {
      case "removed": changed.remove(at: place)
      case "added": changed.insert(changed[place].replacing("\"_id\":", with: "\"_id\":9"), at: place)
      default: changed[place] = changed[place].replacing("\"_id\":", with: "\"_id\":7")
      }
      let input = directory.write("[" + changed.joined(separator: ",") + "]", to: "list.json")
      _ = try ShardBuilder.build([input], into: directory("new"))
      let summary = try ShardBuilder.diff(old: old, new: directory("new"), to: directory("pack"))
      #expect((1...2).contains(summary.shardsShipped))
      #expect(summary.bytes < 64 << 10, "\(records[place]): \(summary.bytes)")
      sizes[kind, default: []].append(summary.bytes)
      Files.copy(old, to: directory("copy"))
      _ = try ShardBuilder.apply(pack: directory("pack"), to: directory("copy"))
      #expect(Files.read(directory("copy") + "/manifest") == Files.read(directory("new") + "/manifest"))
      #expect(try Verifier.verify(index: directory("copy")) { _ in }.isSound)
      Files.remove(directory("copy"))
      Files.remove(directory("new"))
    }
    print("packs of one city, in bytes: \(sizes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })")
  }
}

extension [String] {
  /// Each once; sorted before.
  fileprivate func reduced() -> [String] { indices.filter { $0 == 0 || self[$0] != self[$0 - 1] }.map { self[$0] } }
}
