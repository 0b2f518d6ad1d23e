import ShardBuilder
import ShardedIndex
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite("Repairing an index from a copy") struct RepairTests {
  /// An index of several pages, a copy of it, and one of another generation.
  private final class Copies {
    let directory = TemporaryDirectory()
    var path: String { directory("index") }
    var copy: String { directory("copy") }
    var next: String { directory("next") }
    let shards: [String]
    /// Where the frames of the manifest lie.
    let frames: [Range<Int>]

    init() throws {
      func build(_ changed: Int?) throws -> String {
        let records = (0..<150).map {
          ModelRecord([("name", .string("k\(100 + $0)")), ("note", .string($0 == changed ? "x" : "n\($0 * 37 % 100)"))])
        }
        return try SmallIndex(records, key: "{name}", shardLimitBytes: 1).path
      }
      let built = try build(nil)
      shards = try PackTests.shardNames(built)
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
    func repaired(_ names: [String], from other: String? = nil, takesUnproven: Bool = false) throws {
      let summary = try ShardBuilder.repair(path, from: other ?? copy, takesUnproven: takesUnproven)
      #expect(summary.isSound && summary.repaired == names, "\(summary)")
      #expect(Files.contents(of: path) == Files.contents(of: other ?? copy))
    }

    func refused(_ file: String = #fileID, takesUnproven: Bool = false, from other: String? = nil) -> RepairError? {
      let before = Files.contents(of: path)
      defer { #expect(Files.contents(of: path) == before) }
      do throws(RepairError) {
        let summary = try ShardBuilder.repair(path, from: other ?? copy, takesUnproven: takesUnproven)
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
    #expect(copies.shards.count == 150 && copies.frames.count == 8)
    let before = Files.names(in: copies.path)
    try copies.repaired([])
    #expect(Files.names(in: copies.path) == (before + [".lock"]).sorted())
  }

  @Test("damage of any kind, and only what is damaged is read from the copy") func shards() throws {
    let copies = try Copies()
    let damaged = [3, 64, 80, 100, 149].map { copies.shards[$0] }
    Files.remove("\(copies.path)/\(damaged[0])")
    Files.setSize(of: "\(copies.path)/\(damaged[1])", to: 10)
    copies.flip(damaged[2], at: 40)
    Files.remove("\(copies.path)/\(damaged[3])")
    symlink("/dev/zero", "\(copies.path)/\(damaged[3])")
    Files.write([], to: "\(copies.path)/\(damaged[4])")
    // The rest of the copy is not there, nor is its manifest.
    let part = copies.directory("part")
    mkdir(part, 0o755)
    for name in damaged { Files.write(Files.read("\(copies.copy)/\(name)")!, to: "\(part)/\(name)") }
    let summary = try ShardBuilder.repair(copies.path, from: part)
    #expect(summary.isSound && summary.repaired == damaged)
    #expect(summary.bytes == damaged.reduce(0) { $0 + Files.read("\(part)/\($1)")!.count })
    #expect(Files.contents(of: copies.path) == Files.contents(of: copies.copy))
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

  @Test("what is damaged in the copy too stays, and is named") func damagedCopy() throws {
    let copies = try Copies()
    for number in [10, 20, 30, 40] {
      copies.flip(copies.shards[number], at: 35)
      if number > 20 { copies.flip(copies.shards[number], at: 36, in: copies.copy) }
    }
    Files.remove("\(copies.copy)/\(copies.shards[40])")
    // A directory that has the name of a shard is nobody's to remove.
    Files.remove("\(copies.path)/\(copies.shards[50])")
    mkdir("\(copies.path)/\(copies.shards[50])", 0o755)
    let summary = try ShardBuilder.repair(copies.path, from: copies.copy)
    #expect(summary.repaired == [10, 20].map { copies.shards[$0] })
    #expect(summary.damage.map(\.file) == [30, 40, 50].map { "\(copies.path)/\(copies.shards[$0])" })
    #expect(!Files.names(in: copies.path).contains { $0.hasSuffix(".tmp") })
  }

  @Test("a damaged page: the root proves which manifest it was") func page() throws {
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

  @Test("a damaged root: its pages prove it, whatever else lies there") func root() throws {
    let copies = try Copies()
    Files.write([1, 2], to: copies.copy + "/aa-0123456789abcdef.zst")
    copies.renew()
    copies.flip("manifest", at: 60)
    #expect(Self.isUnproven(copies.refused(from: copies.next)))
    try copies.repaired(["manifest"])
  }

  @Test(
    "no manifest, or nothing of one: the shards prove it, if no other is there",
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
    try copies.repaired(["manifest", copies.shards[7]])
    // The other generation lacks one of the shards that are here.
    damage()
    #expect(Self.isUnproven(copies.refused(from: copies.next)))
    // It may be taken all the same; the shard that it has not stays.
    let own = try #require(copies.shards.first { Files.read("\(copies.next)/\($0)") == nil })
    let summary = try ShardBuilder.repair(copies.path, from: copies.next, takesUnproven: true)
    #expect(summary.isSound && summary.repaired.count == 2 && summary.repaired[0] == "manifest")
    #expect(Files.read("\(copies.path)/\(own)") != nil)
    // No shard at all, or none that is sound, proves nothing.
    damage()
    for name in copies.shards { Files.setSize(of: "\(copies.path)/\(name)", to: 5) }
    #expect(Self.isUnproven(copies.refused()))
    for name in copies.shards { Files.remove("\(copies.path)/\(name)") }
    #expect(Self.isUnproven(copies.refused()))
    try copies.repaired(["manifest"] + copies.shards, takesUnproven: true)
  }

  @Test("a pipe in the place of the manifest is not waited for") func pipe() throws {
    let copies = try Copies()
    Files.remove(copies.path + "/manifest")
    mkfifo(copies.path + "/manifest", 0o600)
    try copies.repaired(["manifest"])
  }

  @Test("what cannot be a repair is refused") func refusals() throws {
    let copies = try Copies()
    #expect(copies.refused(from: copies.path) == .sameDirectory(path: copies.path))
    symlink("index", copies.directory("link"))
    #expect(copies.refused(from: copies.directory("link")) == .sameDirectory(path: copies.directory("link")))
    let nowhere = copies.directory("nowhere")
    #expect(copies.refused(from: nowhere) == .index(.notFound(path: nowhere)))
    #expect(throws: RepairError.index(.notFound(path: nowhere))) { try ShardBuilder.repair(nowhere, from: copies.copy) }
    #expect(Files.names(in: copies.directory.path) == ["copy", "index", "link", "next"])
    // Both manifests damaged.
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
