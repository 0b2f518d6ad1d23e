import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

import CLibrary

@Suite("Repairing an index from a copy") struct RepairTests {
  /// An index of several pages, a copy of it, and one of another generation.
  private final class Copies {
    let directory = TemporaryDirectory()
    var path: String { directory("index") }
    var copy: String { directory("copy") }
    var next: String { directory("next") }
    let shards: [String]
    /// The ranges of the manifest's frames.
    let frames: [Range<Int>]

    init() throws {
      func build(_ changed: Int?) throws -> String {
        let records = (0..<150).map {
          ModelRecord([
            ("name", .string("k\(100 + $0)")), ("note", .string($0 == changed ? "x" : "n\($0 * 37 % 100)")),
            ("lat", .number("\($0 % 5)")), ("lon", .number("\($0 % 9)")),
          ])
        }
        return try SmallIndex(records, key: "{name}", shardLimitBytes: 1).path
      }
      let built = try build(nil)
      shards = try SmallIndex.shardNames(built)
      var frames: [Range<Int>] = []
      let manifest = Files.read(built + "/manifest")!
      while (frames.last?.upperBound ?? 0) < manifest.count {
        let start = frames.last?.upperBound ?? 0
        let size = manifest[start...].withUnsafeBufferPointer { ZstdFrame.size(of: $0)! }
        frames.append(start..<start + size)
      }
      self.frames = frames
      Files.copy(built, to: directory("copy"))
      Files.copy(try build(75), to: directory("next"))
      renew()
    }

    func renew() {
      Files.remove(path)
      Files.copy(copy, to: path)
    }

    func flip(_ name: String, at offset: Int, in directory: String? = nil) {
      let file = "\(directory ?? path)/\(name)"
      Files.overwrite(file, at: offset, with: [Files.read(file)![offset] ^ 0x10])
    }

    /// Repairs, and checks that the index is the copy, with nothing else.
    func repaired(
      _ names: [String], from other: String? = nil, expecting: ManifestDigest? = nil, takesUnproven: Bool = false
    ) throws {
      let summary = try ShardBuilder.repair(
        path, from: other ?? copy, expecting: expecting, takesUnproven: takesUnproven)
      #expect(summary.isSound && summary.repaired == names, "\(summary)")
      #expect(Files.contents(of: path) == Files.contents(of: other ?? copy))
    }

    func refused(
      takesUnproven: Bool = false, from other: String? = nil, expecting: ManifestDigest? = nil
    ) -> RepairError? {
      let before = Files.contents(of: path)
      defer { #expect(Files.contents(of: path) == before) }
      do throws(RepairError) {
        let summary = try ShardBuilder.repair(
          path, from: other ?? copy, expecting: expecting, takesUnproven: takesUnproven)
        Issue.record("repaired: \(summary)")
        return nil
      } catch {
        #expect(!error.description.isEmpty)
        return error
      }
    }
  }

  private static func isUnproven(_ error: RepairError?) -> Bool {
    if case .unprovenManifest = error { true } else { false }
  }

  @Test("a sound index is left alone") func sound() throws {
    let copies = try Copies()
    #expect(copies.shards.count == 150 && copies.frames.count == 11, "\(copies.frames.count)")
    let before = Files.names(in: copies.path)
    try copies.repaired([])
    #expect(Files.names(in: copies.path) == (before + [".lock"]).sorted())
  }

  @Test("damage of any kind is repaired, and only damaged files are read from the copy") func shards() throws {
    let copies = try Copies()
    let damaged = [3, 64, 80, 100, 149].map { copies.shards[$0] }
    Files.remove("\(copies.path)/\(damaged[0])")
    Files.setSize(of: "\(copies.path)/\(damaged[1])", to: 10)
    copies.flip(damaged[2], at: 40)
    Files.remove("\(copies.path)/\(damaged[3])")
    symlink("/dev/zero", "\(copies.path)/\(damaged[3])")
    Files.write([], to: "\(copies.path)/\(damaged[4])")
    // The copy has no other shards and no manifest.
    let part = copies.directory("part")
    mkdir(part, 0o755)
    for name in damaged { Files.write(Files.read("\(copies.copy)/\(name)")!, to: "\(part)/\(name)") }
    let summary = try ShardBuilder.repair(copies.path, from: part)
    #expect(summary.isSound && summary.repaired == damaged)
    #expect(summary.bytes == damaged.reduce(0) { $0 + Files.read("\(part)/\($1)")!.count })
    #expect(Files.contents(of: copies.path) == Files.contents(of: copies.copy))
  }

  @Test("progress is reported for each shard as it is compared and verified") func progress() throws {
    let copies = try Copies()
    copies.flip(copies.shards[3], at: 40)
    var told: [FileProgress] = []
    _ = try ShardBuilder.repair(copies.path, from: copies.copy) { told.append($0) }
    let phases: [FileProgress.Phase] = [.comparing, .verifying]
    #expect(told == phases.flatMap { phase in (1...150).map { FileProgress(phase: phase, done: $0, total: 150) } })
  }

  @Test("a copy of another generation has most shards") func otherGeneration() throws {
    let copies = try Copies()
    let own = try #require(copies.shards.first { Files.read("\(copies.next)/\($0)") == nil })
    let shared = try #require(copies.shards.first { $0 != own })
    copies.flip(own, at: 30)
    copies.flip(shared, at: 30)
    let summary = try ShardBuilder.repair(copies.path, from: copies.next)
    #expect(summary.repaired == [shared])
    #expect(summary.damage.map(\.file) == ["\(copies.path)/\(own)"])
    #expect(summary.damage.map(\.reason) == ["has another SHA-256 than the manifest says"])
    try copies.repaired([own])
  }

  @Test("a shard that is damaged in the copy too stays, and is named") func damagedCopy() throws {
    let copies = try Copies()
    for number in [10, 20, 30, 40] {
      copies.flip(copies.shards[number], at: 35)
      if number > 20 { copies.flip(copies.shards[number], at: 36, in: copies.copy) }
    }
    Files.remove("\(copies.copy)/\(copies.shards[40])")
    // A repair does not remove a directory with the name of a shard.
    Files.remove("\(copies.path)/\(copies.shards[50])")
    mkdir("\(copies.path)/\(copies.shards[50])", 0o755)
    let summary = try ShardBuilder.repair(copies.path, from: copies.copy)
    #expect(summary.repaired == [10, 20].map { copies.shards[$0] })
    #expect(summary.damage.map(\.file) == [30, 40, 50].map { "\(copies.path)/\(copies.shards[$0])" })
    #expect(!Files.names(in: copies.path).contains { $0.hasSuffix(".tmp") })
  }

  @Test("a damaged page is repaired, because the root proves the manifest") func page() throws {
    let copies = try Copies()
    for frame in copies.frames.dropFirst() {
      copies.renew()
      copies.flip("manifest", at: frame.lowerBound + 30)
      #expect(
        copies.refused(from: copies.next)
          == .unprovenManifest(path: copies.path + "/manifest", reason: "the copy is of another generation"))
      copies.flip(copies.shards[5], at: 33)
      try copies.repaired(["manifest", copies.shards[5]])
    }
  }

  @Test("fields of a damaged root that follow from its pages are repaired, others are refused") func root() throws {
    let copies = try Copies()
    Files.write([1, 2], to: copies.copy + "/aa-0123456789abcdef.zst")
    let root = Files.read(copies.copy + "/manifest")![copies.frames[0]]
    // The records' and the shards' counts, and a page's checksum, follow; the settings do not.
    let start = try #require(root.firstRange(of: Array("SQM1".utf8))?.lowerBound)
    let key = try #require(root.firstRange(of: Array("{name}".utf8))?.lowerBound)
    for (place, isProven) in [(start + 24, true), (start + 32, true), (start + 36, false), (key + 2, false)] {
      copies.renew()
      copies.flip("manifest", at: place)
      #expect(Self.isUnproven(copies.refused(from: copies.next)))
      if isProven { try copies.repaired(["manifest"]) } else { #expect(Self.isUnproven(copies.refused())) }
    }
    // For each byte the repair gives the same index, or is refused.
    var repaired = 0
    for place in stride(from: 0, to: root.count, by: 7) {
      copies.renew()
      copies.flip("manifest", at: place)
      let before = Files.contents(of: copies.path)
      do throws(RepairError) {
        _ = try ShardBuilder.repair(copies.path, from: copies.copy)
        repaired += 1
        #expect(Files.contents(of: copies.path) == Files.contents(of: copies.copy), "byte \(place)")
      } catch {
        #expect(Self.isUnproven(error) && Files.contents(of: copies.path) == before, "byte \(place): \(error)")
      }
    }
    #expect(repaired > 5 && repaired < root.count / 7)
  }

  @Test(
    "without a readable manifest only its digest proves the copy's",
    arguments: ["missing", "empty", "short", "noise", "link"])
  func noManifest(kind: String) throws {
    let copies = try Copies()
    func damage() {
      copies.renew()
      let path = copies.path + "/manifest"
      switch kind {
      case "empty": Files.setSize(of: path, to: 0)
      case "short": Files.setSize(of: path, to: copies.frames[0].upperBound - 1)
      case "noise": Files.write([UInt8](repeating: 0x5a, count: Files.read(path)!.count), to: path)
      default:
        Files.remove(path)
        if kind == "link" { symlink("../copy/manifest", path) }
      }
    }
    damage()
    Files.remove("\(copies.path)/\(copies.shards[7])")
    #expect(Self.isUnproven(copies.refused()))
    let digest = Digest.sha256(Files.read(copies.copy + "/manifest")!)
    let expected = ManifestDigest(digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    #expect(Self.isUnproven(copies.refused(from: copies.next, expecting: expected)))
    try copies.repaired(["manifest", copies.shards[7]], expecting: expected)
    // Another manifest can be taken on request; a shard that it does not list stays.
    damage()
    let own = try #require(copies.shards.first { Files.read("\(copies.next)/\($0)") == nil })
    let summary = try ShardBuilder.repair(copies.path, from: copies.next, takesUnproven: true)
    #expect(summary.isSound && summary.repaired.count == 2 && summary.repaired[0] == "manifest")
    #expect(Files.read("\(copies.path)/\(own)") != nil)
    damage()
    for name in copies.shards { Files.remove("\(copies.path)/\(name)") }
    #expect(Self.isUnproven(copies.refused()))
    try copies.repaired(["manifest"] + copies.shards, takesUnproven: true)
  }

  @Test("a repair does not wait for a pipe in the place of the manifest") func pipe() throws {
    let copies = try Copies()
    Files.remove(copies.path + "/manifest")
    mkfifo(copies.path + "/manifest", 0o600)
    #expect(throws: RepairError.self) { try ShardBuilder.repair(copies.path, from: copies.copy) }
    try copies.repaired(["manifest"], takesUnproven: true)
  }

  /// Changes the content of a copy's manifest, with right checksums.
  private static func forge(_ what: String, in directory: String, _ frames: [Range<Int>]) throws {
    let file = Files.read(directory + "/manifest")!
    let compressor = Compressor()
    func content(_ frame: Range<Int>) throws -> [UInt8] {
      try file[frame].withUnsafeBufferPointer { frame in
        let size = try #require(ZstdFrame.contentSize(of: frame))
        let decompressor = Decompressor()
        return Array(try decompressor.unpack(frame, size: size))
      }
    }
    var root = try content(frames[0])
    var rest = frames.dropFirst().map { Array(file[$0]) }
    func replace(_ old: String, _ new: String) throws {
      let range = try #require(root.firstRange(of: Array(old.utf8)))
      root.replaceSubrange(range, with: Array(new.utf8))
    }
    switch what {
    case "settings": try replace("{name}", "{note}")
    case "names": try replace("\u{4}note", "\u{4}mote")
    case "limit": root[36] ^= 1
    default:
      // Notes and density grid each have an entry: size of the frames, size of the first frame's content, its checksum.
      let magic = Array((what == "notes" ? "SQN1" : "SQD1").utf8)
      let number = try #require(
        frames.indices.dropFirst().first { try content(frames[$0]).starts(with: magic) })
      var altered = try content(frames[number])
      altered[what == "notes" ? 12 : altered.count - 1] ^= 1
      let made = ZstdFrame.quick(altered, with: compressor)
      let table = 48 + 24 * (what == "notes" ? 7 : 8)
      let entry = Int(root[table + 8]) | Int(root[table + 9]) << 8
      func put(_ value: UInt32, at place: Int) {
        for byte in 0..<4 { root[entry + place + byte] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(byte))) }
      }
      var size = made.count - rest[number - 1].count
      for byte in 0..<4 { size += Int(root[entry + byte]) << (8 * byte) }
      put(UInt32(size), at: 0)
      put(UInt32(altered.count), at: 4)
      put(made.withUnsafeBufferPointer { ZstdFrame.checksum(of: $0)! }, at: 8)
      rest[number - 1] = made
    }
    Files.write(ZstdFrame.quick(root, with: compressor) + rest.joined(), to: directory + "/manifest")
    _ = try ShardedIndex(opening: directory)
  }

  @Test(
    "a repair trusts nothing in a forged copy with right checksums",
    arguments: ["settings", "names", "limit", "notes", "density grid"])
  func forged(what: String) throws {
    let copies = try Copies()
    try Self.forge(what, in: copies.copy, copies.frames)
    let honest = copies.next + "-own"
    Files.copy(copies.path, to: honest)
    let size = Files.read(honest + "/manifest")!.count
    let middle = copies.frames[0].lowerBound + 100
    for place in [20, 33, 44, 60, middle, copies.frames[0].upperBound - 2, copies.frames[1].lowerBound + 30]
      + copies.frames.suffix(4).map({ $0.lowerBound + 12 }) + [size, -1]
    {
      Files.remove(copies.path)
      Files.copy(honest, to: copies.path)
      switch place {
      case size: Files.setSize(of: copies.path + "/manifest", to: size - 3)
      case -1: Files.remove(copies.path + "/manifest")
      default: copies.flip("manifest", at: place)
      }
      let refused = copies.refused()
      #expect(refused != nil, "\(what), byte \(place)")
    }
    // The shards of the forged copy are sound and can be used.
    Files.remove(copies.path)
    Files.copy(honest, to: copies.path)
    copies.flip(copies.shards[5], at: 33)
    #expect(try ShardBuilder.repair(copies.path, from: copies.copy).isSound)
    #expect(Files.contents(of: copies.path) == Files.contents(of: honest))
  }

  @Test("repairs between wrong directories are refused") func refusals() throws {
    let copies = try Copies()
    #expect(copies.refused(from: copies.path) == .sameDirectory(path: copies.path))
    symlink("index", copies.directory("link"))
    #expect(copies.refused(from: copies.directory("link")) == .sameDirectory(path: copies.directory("link")))
    let nowhere = copies.directory("nowhere")
    #expect(copies.refused(from: nowhere) == .index(.notFound(path: nowhere)))
    #expect(throws: RepairError.index(.notFound(path: nowhere))) { try ShardBuilder.repair(nowhere, from: copies.copy) }
    #expect(Files.names(in: copies.directory.path) == ["copy", "index", "link", "next"])
    // Both manifests are damaged.
    copies.flip("manifest", at: 60)
    copies.flip("manifest", at: 60, in: copies.copy)
    if case .index(.corrupt(let path, _)) = copies.refused(takesUnproven: true) {
      #expect(path == copies.copy + "/manifest")
    } else {
      Issue.record("repaired from a damaged manifest")
    }
    let publisher = try Publisher(directory: copies.path)
    #expect(copies.refused() == .build(.locked(path: copies.path + "/.lock")))
    withExtendedLifetime(publisher) {}
  }
}
