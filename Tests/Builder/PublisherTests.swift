import ShardBuilder
import TestSupport
import Testing

import CLibrary

@Suite("Publishing a generation") struct PublisherTests {
  private static func name(_ number: Int) -> String { shardName("a\(number)", content(number)) }

  private static func content(_ number: Int, _ size: Int = 5000) -> [UInt8] {
    (0..<size).map { UInt8(($0 * number) & 255) }
  }
  private func content(_ number: Int, _ size: Int = 5000) -> [UInt8] { Self.content(number, size) }

  @Test("names of shards and of temporary files") func names() {
    for name in ["al-5f0c5f0c5f0c5f0c.zst", "%e6%bc%a2_.-0123456789abcdef.zst", Self.name(3)] {
      #expect(Publisher.isShardName(name), "\(name)")
    }
    for name in [
      "manifest", ".lock", "-5f0c5f0c5f0c5f0c.zst", "AL-5f0c5f0c5f0c5f0c.zst", "al-5f0c5f0c5f0c5f0C.zst",
      "al-5f0c5f0c5f0c5f0.zst", "al5f0c5f0c5f0c5f0c1.zst", "al-5f0c5f0c5f0c5f0c.zst ", "a/b-5f0c5f0c5f0c5f0c.zst",
      "al-5f0c5f0c5f0c5f0c.zst\n", "é-5f0c5f0c5f0c5f0c.zst",
    ] { #expect(!Publisher.isShardName(name), "\(name)") }
    #expect(Publisher.isTemporaryName(".shardq-0123456789abcdef.tmp"))
    #expect(!Publisher.isTemporaryName(".shardq-0123456789abcdeg.tmp"))
    #expect(!Publisher.isTemporaryName(".shardq-0123456789abcdef.tmp2"))
    #expect(Publisher.isTemporaryName(".shardq-sort-123-0"))
    for name in [".shardq-sort-", ".shardq-sort-1", ".shardq-sort-1-", ".shardq-sort--1", ".shardq-sort-1-2-3"] {
      #expect(!Publisher.isTemporaryName(name), "\(name)")
    }
  }

  @Test("a publisher adds and removes generations, and touches no other file") func generations() throws {
    let root = BuilderSupport.directory()
    let directory = root + "/index"
    defer {
      BuilderSupport.remove(directory)
      BuilderSupport.remove(root)
    }
    func build(_ numbers: [Int], previous: [Int], _ manifest: String) throws -> Publisher.PublishSummary {
      let publisher = try Publisher(directory: directory)
      for number in numbers { try publisher.add(Self.name(number), content(number)) }
      return try publisher.publish(manifest: Array(manifest.utf8), previous: previous.map(Self.name))
    }
    #expect(try build([1, 2, 2], previous: [], "one") == .init(written: 2))
    // Only the content tells whose a file is.
    let others = [
      "notes.txt", "x-123.zst", ".shardq-note.tmp", ".shardq-00000000000000fe.tmp", ".shardq-sort-4711-1",
      "backup-2024010112345678.zst",
    ]
    for name in others { BuilderSupport.write([1], "\(directory)/\(name)") }
    BuilderSupport.write([0x28, 0xB5, 0x2F], "\(directory)/.shardq-00000000000000ff.tmp")
    BuilderSupport.write([], "\(directory)/.shardq-sort-4711-0")
    #expect(try build([2, 3], previous: [1, 2], "two") == .init(written: 1, kept: 1))
    #expect(
      BuilderSupport.entries(directory)
        == ([".lock", "manifest"] + [1, 2, 3].map(Self.name) + others).sorted())
    #expect(try build([3, 4], previous: [2, 3], "three") == .init(written: 1, kept: 1, removed: 1))
    #expect(BuilderSupport.read("\(directory)/manifest") == Array("three".utf8))
    #expect(BuilderSupport.read("\(directory)/\(Self.name(4))") == content(4))
    #expect(
      BuilderSupport.entries(directory)
        == ([".lock", "manifest"] + [2, 3, 4].map(Self.name) + others).sorted())
    // Damage of any kind under a shard's name is replaced.
    BuilderSupport.write(content(5), "\(directory)/\(Self.name(3))")
    unlink("\(directory)/\(Self.name(4))")
    symlink("notes.txt", "\(directory)/\(Self.name(4))")
    #expect(try build([3, 4], previous: [3, 4], "four") == .init(repaired: 2, removed: 1))
    #expect(BuilderSupport.read("\(directory)/\(Self.name(3))") == content(3))
    #expect(BuilderSupport.read("\(directory)/\(Self.name(4))") == content(4))
    #expect(BuilderSupport.read("\(directory)/notes.txt") == [1])
  }

  @Test("a build that ends before its manifest leaves no trace", arguments: [3, 200]) func abandoned(count: Int) throws
  {
    let directory = BuilderSupport.directory()
    defer { BuilderSupport.remove(directory) }
    do {
      let publisher = try Publisher(directory: directory)
      try publisher.add(Self.name(0), content(0))
      _ = try publisher.publish(manifest: [1], previous: [])
    }
    do {
      let publisher = try Publisher(directory: directory)
      for number in 0..<count { try publisher.add(Self.name(number), content(number)) }
    }
    #expect(BuilderSupport.entries(directory) == [".lock", Self.name(0), "manifest"])
  }

  @Test("a failed rename of the manifest leaves the shards that it needs") func renameFails() throws {
    let directory = BuilderSupport.directory()
    defer { BuilderSupport.remove(directory) }
    for _ in 0..<2 {
      let publisher = try Publisher(directory: directory)
      mkdir("\(directory)/manifest", 0o755)
      for number in 0..<3 { try publisher.add(Self.name(number), content(number)) }
      #expect(throws: BuildError.self) { try publisher.publish(manifest: [2], previous: []) }
    }
    #expect(BuilderSupport.entries(directory) == [".lock", Self.name(0), Self.name(1), Self.name(2), "manifest"])
    rmdir("\(directory)/manifest")
    // A build that does not need these shards finds them as strays.
    let publisher = try Publisher(directory: directory)
    try publisher.add(Self.name(1), content(1))
    #expect(try publisher.publish(manifest: [3], previous: []) == .init(kept: 1, removed: 2))
    #expect(BuilderSupport.entries(directory) == [".lock", Self.name(1), "manifest"])
  }

  @Test("no shard is removed if the old manifest's shards are unknown") func unknownPrevious() throws {
    let directory = BuilderSupport.directory()
    defer { BuilderSupport.remove(directory) }
    func build(_ number: Int, previous: [Int]?) throws -> Publisher.PublishSummary {
      let publisher = try Publisher(directory: directory)
      try publisher.add(Self.name(number), content(number))
      return try publisher.publish(manifest: [1], previous: previous?.map(Self.name))
    }
    #expect(try build(1, previous: []) == .init(written: 1))
    #expect(try build(2, previous: nil) == .init(written: 1))
    #expect(BuilderSupport.entries(directory) == [".lock", Self.name(1), Self.name(2), "manifest"])
    #expect(try build(3, previous: [2]) == .init(written: 1, removed: 1))
  }

  @Test("a second builder is refused until the first one ends") func locked() throws {
    let directory = BuilderSupport.directory()
    defer { BuilderSupport.remove(directory) }
    var first: Publisher? = try Publisher(directory: directory)
    #expect(throws: BuildError.locked(path: "\(directory)/.lock")) { try Publisher(directory: directory) }
    withExtendedLifetime(first) {}
    first = nil
    _ = try Publisher(directory: directory)
  }

  @Test("the error for a path in the way names it") func errors() throws {
    #expect(throws: BuildError.io(operation: "create directory", path: "/nonexistent/a", errno: ENOENT)) {
      try Publisher(directory: "/nonexistent/a")
    }
    let directory = BuilderSupport.directory()
    defer { BuilderSupport.remove(directory) }
    symlink("/tmp/shardq-elsewhere", "\(directory)/.lock")
    #expect(throws: BuildError.io(operation: "open", path: "\(directory)/.lock", errno: ELOOP)) {
      try Publisher(directory: directory)
    }
    #expect(access("/tmp/shardq-elsewhere", F_OK) != 0)
  }

  @Test("several threads may add shards, and the times are printed") func threads() throws {
    let directory = BuilderSupport.directory()
    defer { BuilderSupport.remove(directory) }
    let publisher = try Publisher(directory: directory)
    let start = BuilderSupport.seconds()
    WorkerPool.forEach(130, threads: 4) { number in
      do {
        try publisher.add(Self.name(number), content(number, 24_000))
      } catch {
        Issue.record(error)
      }
    }
    let written = BuilderSupport.seconds()
    #expect(try publisher.publish(manifest: [1], previous: []).written == 130)
    let times = [written - start, BuilderSupport.seconds() - written].map { ($0 * 10_000).rounded() / 10 }
    print("130 shards of 24 KB: added, published in ms: \(times)")
    #expect(BuilderSupport.entries(directory).count == 132)
  }
}

/// The name of a shard, which follows from its content.
private func shardName(_ label: String, _ content: [UInt8]) -> String {
  "\(label)-\(Digest.hexadecimal(Digest.sha256(content)).prefix(16)).zst"
}

/// The steps of publishers, and the faults: steps before the steps that they need are on the medium.
private final class Steps: @unchecked Sendable {  // One thread each.
  private(set) var all: [Publisher.Step] = []
  private var synced: Set<String> = []
  /// Names that were added or removed since the last sync of the directory.
  private(set) var unsynced: [Publisher.Step] = []
  private(set) var faults: [String] = []

  func take(_ step: Publisher.Step) {
    all.append(step)
    switch step {
    case .syncFile(let name): synced.insert(name)
    case .syncNames: unsynced = []
    case .rename(let temporary, let name):
      if !synced.contains(temporary) { faults.append("\(name) gets its name before its content is on the medium") }
      let shards = unsynced.filter {
        if case .rename(_, let name) = $0 { Publisher.isShardName(name) } else { false }
      }
      if name == Publisher.manifestName, !shards.isEmpty {
        faults.append("the manifest gets its name before those of \(shards.count) shards are on the medium")
      }
      unsynced.append(step)
    case .remove(let name):
      if Publisher.isShardName(name), !unsynced.isEmpty {
        faults.append("\(name) is removed before the manifest without it is on the medium")
      }
    }
  }
}

@Suite("The order of writes to the medium") struct PublishingOrderTests {
  private static func content(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(number), count: 3000) }
  private static func name(_ number: Int) -> String { shardName("a", content(number)) }

  @Test("a name is added or removed only after the writes that it needs are on the medium")
  func order() throws {
    let directory = BuilderSupport.directory()
    defer { BuilderSupport.remove(directory) }
    let steps = Steps()
    func publish(_ numbers: [Int], previous: [Int], _ manifest: UInt8) throws {
      let publisher = try Publisher(directory: directory, observe: { steps.take($0) })
      for number in numbers { try publisher.add(Self.name(number), Self.content(number)) }
      _ = try publisher.publish(manifest: [manifest], previous: previous.map(Self.name))
      #expect(steps.unsynced.isEmpty, "published before the directory is on the medium")
    }
    func overlay(_ bytes: [UInt8]?) throws {
      let bytes = bytes.map { Array("SQO1".utf8) + $0 }
      let publisher = try Publisher(directory: directory, observe: { steps.take($0) })
      _ = try publisher.publish(overlay: bytes, isOverStale: false)
      #expect(steps.unsynced.isEmpty, "published before the directory is on the medium")
    }
    try publish([1, 2, 3], previous: [], 1)
    try publish([2, 4], previous: [1, 2, 3], 2)
    try publish([2, 4], previous: [2, 4], 2)
    try publish([5], previous: [2, 4], 3)
    try overlay([UInt8](repeating: 7, count: 900))
    try overlay([UInt8](repeating: 8, count: 900))
    try publish([5, 6], previous: [5], 4)
    try overlay([UInt8](repeating: 9, count: 900))
    try overlay(nil)
    #expect(steps.faults == [])
    func count(_ isMeant: (Publisher.Step) -> Bool) -> Int { steps.all.count(where: isMeant) }
    #expect(count { if case .rename(_, Publisher.manifestName) = $0 { true } else { false } } == 4)
    #expect(count { if case .rename(_, let name) = $0 { Publisher.isShardName(name) } else { false } } == 6)
    #expect(count { if case .remove(let name) = $0 { Publisher.isShardName(name) } else { false } } >= 4)
  }
}

@Suite("Work on several threads") struct WorkerPoolTests {
  @Test("results come in the order of the inputs", arguments: [1, 2, 5]) func order(threads: Int) throws {
    var (given, results): (Int, [Int]) = (0, [])
    try WorkerPool.orderedMap(
      threads: threads,
      next: { () throws(BuildError) -> Int? in
        given += 1
        return given <= 500 ? given : nil
      },
      transform: { (value) throws(BuildError) -> Int in
        if value % 7 == 0 { usleep(100) }
        return value * 2
      }, deliver: { (value) throws(BuildError) in results.append(value) })
    #expect(results == (1...500).map { $0 * 2 })
  }

  @Test("the first error in order ends the work", arguments: [1, 3]) func error(threads: Int) {
    var (given, results): (Int, [Int]) = (0, [])
    #expect(throws: BuildError.locked(path: "40")) {
      try WorkerPool.orderedMap(
        threads: threads,
        next: { () throws(BuildError) -> Int? in
          given += 1
          return given
        },
        transform: { (value) throws(BuildError) -> Int in
          if value >= 40 { throw .locked(path: String(value)) }
          return value
        }, deliver: { (value) throws(BuildError) in results.append(value) })
    }
    #expect(results == Array(1..<40))
  }
}
