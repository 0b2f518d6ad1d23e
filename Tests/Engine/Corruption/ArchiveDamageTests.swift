import CLibrary
import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Damaged and forged archives") struct ArchiveDamageTests {
  private let archived: ArchivedIndex
  private let bytes: [UInt8]
  private let scratch = TemporaryDirectory()
  private let expected: [[String]]
  private static let texts = ["", "n1", "san", "n3 son", "zz"]

  init() throws {
    let archived = try ArchivedIndex.few.get()
    (self.archived, bytes) = (archived, archived.bytes)
    expected = try Self.texts.map { try ArchivedIndex.answers(archived.small.open, $0) }
  }

  private func set(_ offset: Int, _ value: UInt64, size: Int, in bytes: inout [UInt8]) {
    for byte in 0..<size { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(byte))) }
  }

  /// Returns whether all queries are answered. An answer must be right, and a missing one must be an error.
  private func isAnswered(_ path: String, _ what: String) -> Bool {
    guard let index = try? ShardedIndex(opening: path, options: .init(cacheLimitBytes: 0)) else { return false }
    var isWhole = true
    for (text, answers) in zip(Self.texts, expected) {
      guard let found = try? ArchivedIndex.answers(index, text) else {
        isWhole = false
        continue
      }
      #expect(found == answers, "\(what), \(text)")
    }
    return isWhole
  }

  private func damage(_ path: String) throws -> [Verifier.Finding] {
    var findings: [Verifier.Finding] = []
    do throws(Verifier.VerifyError) {
      _ = try Verifier.verify(index: path) { findings.append($0) }
    } catch {
      guard case .index(.notFound) = error else { throw error }
      findings.append(.damage(file: path, reason: "is none"))
    }
    return findings.filter(\.isDamage)
  }

  @Test("no flipped byte of headers, places and central directory makes an answer wrong, and verify finds each")
  func flippedBytes() throws {
    let path = scratch.write(bytes, to: "archive")
    let others = ZIPEntries(bytes).others
    var harmless = 0
    let step = max(1, others.count / TestData.count(250, 20_000))
    for (number, position) in others.enumerated() where number % step == 0 || position < 70 {
      let flipped = bytes[position] ^ (1 << UInt8(number % 8))
      Files.overwrite(path, at: position, with: [flipped])
      if isAnswered(path, "byte \(position)") { harmless += 1 }
      #expect(try !damage(path).isEmpty, "byte \(position)")
      Files.overwrite(path, at: position, with: [bytes[position]])
    }
    #expect(harmless > 0)
    #expect(try damage(path) == [])
  }

  @Test("an archive with a wrong size is refused, or answers right and is damaged") func sizes() throws {
    let path = scratch.write(bytes, to: "archive")
    let centralStart = ZIPEntries(bytes).centralStart
    let step = TestData.isDebug ? 37 : 1
    for size in stride(from: bytes.count - 1, through: 0, by: -1)
    where size % step == 0 || size < 80 || bytes.count - size < 30 {
      Files.setSize(of: path, to: size)
      let isWhole = isAnswered(path, "\(size) bytes")
      #expect(isWhole == (size >= centralStart), "\(size) bytes")
      if size % 16 == 0 || size < 80 { #expect(try !damage(path).isEmpty, "\(size) bytes") }
    }
    Files.write(bytes + [0], to: path)
    #expect(isAnswered(path, "one more"))
    #expect(try damage(path).count == 1)
  }

  @Test("forged sizes and places of an archive are refused") func forgedNumbers() throws {
    let entries = ZIPEntries(bytes)
    let places = try #require(entries.local.last).content
    let numbers: [UInt64] = [
      0, 1, UInt64(bytes.count) - 1, UInt64(bytes.count), 1 << 31, 1 << 32, 1 << 62, 1 << 63, .max, .max - 7, .max >> 1,
    ]
    for number in numbers {
      let aligned = places.filter { $0 % 8 == places.lowerBound % 8 }.map { ($0, 8) }
      for (offset, size) in [(46, 8), (54, 8), (18, 4), (22, 4), (28, 2)] + aligned {
        var forged = bytes
        set(offset, number, size: size, in: &forged)
        if forged != bytes { _ = isAnswered(scratch.write(forged, to: "archive"), "\(number) at \(offset)") }
      }
      // Both sizes of the header, and the size behind them.
      var forged = bytes
      for (offset, size) in [(18, 4), (22, 4), (54, 8)] { set(offset, number & 0xffff_ffff, size: size, in: &forged) }
      #expect(!isAnswered(scratch.write(forged, to: "archive"), "\(number)"))
    }
    var newer = bytes
    set(42, 2, size: 4, in: &newer)
    let path = scratch.write(newer, to: "newer")
    #expect(throws: IndexError.corrupt(path: path, cause: .unsupportedVersion(found: 2, supported: 1))) {
      try ShardedIndex(opening: path)
    }
  }

  @Test("files behind 4 GiB are found, in an archive without holes") func far() throws {
    let entries = ZIPEntries(bytes)
    let places = try #require(entries.local.last).content
    // All files behind the manifest move by that much.
    let gap: UInt64 = 5 << 30
    var moved = bytes
    set(46, UInt64(entries.number(46, 8)) + gap, size: 8, in: &moved)
    for offset in stride(from: places.lowerBound, to: places.upperBound, by: 8) where entries.number(offset, 8) > 0 {
      set(offset, UInt64(entries.number(offset, 8)) + gap, size: 8, in: &moved)
    }
    let manifestEnd = entries.local[0].content.upperBound
    let path = scratch.write(Array(moved[..<manifestEnd]), to: "far")
    Files.overwrite(path, at: manifestEnd + Int(gap), with: Array(moved[manifestEnd...]))
    #expect(isAnswered(path, "far"))
    // The command archive does not write such a file.
    #expect(try !damage(path).isEmpty)
  }

  @Test("an archive with records of ZIP64 answers the same") func zip64() throws {
    _ = try ShardBuilder.archive(archived.small.path, to: scratch("wide"), usesZIP64: true)
    let (usual, wide) = (ZIPEntries(bytes), ZIPEntries(Files.read(scratch("wide"))!))
    #expect(wide.isWide && !usual.isWide)
    #expect(usual.central == usual.local && wide.central == usual.local && wide.local == usual.local)
    #expect(wide.count == usual.local.count && usual.count == usual.local.count)
    #expect(isAnswered(scratch("wide"), "ZIP64"))
  }

  @Test("names in the ZIP are never used") func names() throws {
    let entries = ZIPEntries(bytes)
    var forged = bytes
    let evil = Array("../../../../../../../../tmp/x".utf8)
    for entry in entries.local.dropFirst() {
      let name = Array(entry.name.utf8)
      let replaced = name.indices.map { $0 < evil.count ? evil[$0] : UInt8(ascii: "x") }
      for start in [entry.header + 30] + centralNames(of: name) {
        forged.replaceSubrange(start..<start + name.count, with: replaced)
      }
    }
    let path = scratch.write(forged, to: "archive")
    #expect(isAnswered(path, "names"))
    #expect(try damage(path).count == 1)
    _ = try ShardBuilder.unarchive(path, into: scratch("made"))
    #expect(Files.contents(of: scratch("made")) == Files.contents(of: archived.small.path))
    #expect(Files.names(in: scratch.path) == ["archive", "made"])
  }

  private func centralNames(of name: [UInt8]) -> [Int] {
    let start = ZIPEntries(bytes).centralStart
    return (start..<bytes.count - name.count).filter { bytes[$0..<$0 + name.count].elementsEqual(name) }
  }

  @Test("damaged content is refused, and unarchive leaves no index of it") func damagedContent() throws {
    for entry in ZIPEntries(bytes).local.dropLast() {
      var damaged = bytes
      damaged[entry.content.upperBound - 1] ^= 0x10
      let path = scratch.write(damaged, to: "archive")
      _ = isAnswered(path, entry.name)
      #expect(try !damage(path).isEmpty, "\(entry.name)")
      if entry.name != "manifest" {
        #expect(throws: PackError.self, "\(entry.name)") { try ShardBuilder.unarchive(path, into: scratch("made")) }
        #expect(Files.read(scratch("made/manifest")) == nil)
        Files.remove(scratch("made"))
      }
    }
  }

  @Test("a file that is no archive is no index") func otherFiles() throws {
    var other = bytes
    other[30] = UInt8(ascii: "M")
    var foreign = bytes
    foreign[38] ^= 0xff
    for content in [[], Array("PK".utf8), Array("{\"name\":1}".utf8), other, foreign, Array(bytes[..<61])] {
      let path = scratch.write(content, to: "file")
      #expect(throws: IndexError.notFound(path: path)) { try ShardedIndex(opening: path) }
    }
    mkfifo(scratch("pipe"), 0o644)
    Files.link(scratch("nowhere"), to: "none")
    Files.link(scratch("link"), to: archived.path)
    mkdir(scratch("empty"), 0o755)
    for name in ["pipe", "nowhere", "empty", "none", "file/x"] {
      #expect(throws: IndexError.notFound(path: scratch(name))) { try ShardedIndex(opening: scratch(name)) }
    }
    #expect(throws: IndexError.notFound(path: "/dev/null")) { try ShardedIndex(opening: "/dev/null") }
    #expect(isAnswered(scratch("link"), "a link"))
  }
}
