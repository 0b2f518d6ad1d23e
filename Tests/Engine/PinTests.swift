import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("A pinned index") struct PinTests {
  private static func digest(_ path: String) throws -> ManifestDigest {
    try ShardedIndex(opening: path).manifestDigest()
  }

  private static func pinned(_ live: LiveIndex, _ digest: ManifestDigest) throws -> ShardedIndex {
    try ShardedIndex(opening: live.path, options: .init(reloadInterval: .zero, expectedDigest: digest))
  }

  private static func generation(_ index: ShardedIndex, _ live: LiveIndex) throws -> Int {
    try LiveIndex.generation(of: index.matches(forPrefix: ""), count: live.recordCount)
  }

  @Test("the digest is that of the manifest's bytes, and an index with it answers")
  func right() throws {
    let live = LiveIndex()
    try live.build(0)
    let expected = Digest.sha256(Files.read(live.path + "/manifest")!)
    let digest = try Self.digest(live.path)
    #expect(digest.bytes == expected)
    let index = try Self.pinned(live, digest)
    #expect(try Self.generation(index, live) == 0 && index.manifestDigest() == digest)
    let open = try live.open()
    for prefix in ["", "s", "sa-1", "zu-", "q"] {
      let (mine, theirs) = (try index.matches(forPrefix: prefix), try open.matches(forPrefix: prefix))
      #expect(try mine.records(in: 0..<99).map(\.fields) == theirs.records(in: 0..<99).map(\.fields))
    }
    let counts = try Verifier.verify(index: live.path, options: .init(expectedDigest: digest)) { _ in }
    #expect(counts.isSound && counts.records == live.recordCount)
  }

  @Test("every bit of the manifest counts")
  func otherManifest() throws {
    let live = LiveIndex()
    try live.build(0)
    let digest = try Self.digest(live.path)
    let manifest = live.path + "/manifest"
    let bytes = Files.read(manifest)!
    for at in 0..<bytes.count {
      var other = bytes
      other[at] ^= UInt8(1) << UInt8(at % 8)
      Files.write(other, to: manifest)
      let found = ManifestDigest(Digest.sha256(other).hexadecimal)!
      #expect(throws: IndexError.wrongDigest(path: manifest, found: found, expected: digest), "byte \(at)") {
        try Self.pinned(live, digest)
      }
    }
    Files.write(bytes + [0], to: manifest)
    #expect(throws: IndexError.self) { try Self.pinned(live, digest) }
    Files.write(bytes, to: manifest)
    #expect(try Self.generation(Self.pinned(live, digest), live) == 0)
    // A manifest above the limit of pinned ones is refused before any byte is read.
    Files.setSize(of: manifest, to: 1 << 40)
    let tooLarge = FormatError.wrongSize(found: 1 << 40, expected: Manifest.sizeLimit)
    #expect(throws: IndexError.corrupt(path: manifest, cause: tooLarge)) { try Self.pinned(live, digest) }
  }

  @Test("opening refuses another generation, and reloading never moves to one")
  func otherGeneration() throws {
    let live = LiveIndex()
    try live.build(0)
    let digest = try Self.digest(live.path)
    let index = try Self.pinned(live, digest)
    try live.build(1)
    let other = try Self.digest(live.path)
    let error = IndexError.wrongDigest(path: live.path + "/manifest", found: other, expected: digest)
    #expect(throws: error) { try Self.pinned(live, digest) }
    #expect(error.description.contains(digest.description) && error.description.contains(other.description))
    #expect(throws: Verifier.VerifyError.self) {
      try Verifier.verify(index: live.path, options: .init(expectedDigest: digest)) { _ in }
    }
    #expect(try !index.reload())
    #expect(try Self.generation(index, live) == 0, "its shards stay for one more generation")
    try live.build(2)
    index.removeResidentShards()
    let third = try Self.digest(live.path)
    let gone = IndexError.wrongDigest(path: live.path + "/manifest", found: third, expected: digest)
    #expect(throws: gone) { try Self.generation(index, live) }
    #expect(try !index.reload() && index.statistics.reloads == 0)
    // The index answers again when its generation comes back.
    try live.build(0)
    #expect(try Self.generation(index, live) == 0)
  }

  @Test("every byte of a shard's file counts, also bytes that the query does not need")
  func forgedShard() throws {
    let live = LiveIndex()
    try live.build(0)
    let digest = try Self.digest(live.path)
    let open = try live.open()
    let manifest = open.generation.manifest
    let shards = try withExtendedLifetime(manifest) {
      try manifest.shards().dropFirst().prefix(3).map { ($0.fileName, String(decoding: $0.bound, as: UTF8.self)) }
    }
    let refused = FormatError.wrongDigest
    for (name, prefix) in shards {
      let path = live.path + "/" + name
      let bytes = Files.read(path)!
      let count = try open.count(ofPrefix: prefix)
      var believed = 0
      for at in 0..<bytes.count {
        Files.overwrite(path, at: at, with: [bytes[at] ^ UInt8(1) << UInt8(at % 8)])
        let index = try Self.pinned(live, digest)
        #expect(throws: IndexError.corrupt(path: path, cause: refused), "\(name) byte \(at)") {
          try index.count(ofPrefix: prefix)
        }
        open.removeResidentShards()
        if (try? open.count(ofPrefix: prefix)) == count { believed += 1 }
        Files.overwrite(path, at: at, with: [bytes[at]])
      }
      #expect(believed > 0, "counting reads no fields, so their bytes do not matter to an index that is not pinned")
    }
    #expect(try Self.generation(Self.pinned(live, digest), live) == 0)
  }

  @Test("a pinned index answers from the manifest that it checked at opening, even if the file changes")
  func manifestWrittenOver() throws {
    let live = LiveIndex()
    try live.build(0)
    let digest = try Self.digest(live.path)
    let index = try Self.pinned(live, digest)
    let manifest = live.path + "/manifest"
    let bytes = Files.read(manifest)!
    // Changed in place: an index that is not pinned reads its pages from this file.
    let unpinned = try live.open()
    Files.overwrite(manifest, at: 0, with: [UInt8](repeating: 0, count: bytes.count))
    #expect(throws: IndexError.self) { try Self.generation(unpinned, live) }
    #expect(try Self.generation(index, live) == 0)
    #expect(try index.manifestDigest() == digest)
  }
}

extension [UInt8] {
  fileprivate var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
