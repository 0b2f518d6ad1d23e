import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

import CLibrary

@Suite("The directory that a builder opened") struct HeldDirectoryTests {
  private static let shard = "a1-0000000000000001.zst"
  private static let kinds = ["moved", "removed and made anew", "another", "a link", "lock removed", "lock replaced"]

  /// An index's directory with a manifest and a shard, and the changes to the directory.
  private final class Place {
    let root = TemporaryDirectory()
    let manifest: [UInt8]
    var path: String { root("index") }

    init() throws {
      Files.write(Array("name\na1\n".utf8), to: root("list.csv"))
      var options = BuildOptions()
      options.key = "{name}"
      _ = try ShardBuilder.build([root("list.csv")], into: root("index"), options: options)
      manifest = try #require(Files.contents(of: root("index"))["manifest"])
      mkdir(root("other"), 0o755)
      Files.write([9], to: root("other/manifest"))
    }

    /// The files under the names of the index, of its moved directory, and of another directory.
    var contents: [[String: [UInt8]]] {
      ["index", "moved", "other"].map { Files.contents(of: root($0)).filter { !$0.key.hasSuffix(".tmp") } }
    }

    /// - Returns: The path that the refusal names.
    func change(_ kind: String) -> String {
      switch kind {
      case "lock removed", "lock replaced":
        Files.remove(path + "/.lock")
        if kind == "lock replaced" { Files.write([], to: path + "/.lock") }
        return path + "/.lock"
      default:
        rename(path, root("moved"))
        if kind == "removed and made anew" {
          Files.remove(root("moved"))
          mkdir(path, 0o755)
        }
        if kind == "another" { rename(root("other"), path) }
        if kind == "a link" { symlink("other", path) }
        return path
      }
    }
  }

  @Test("a build publishes nothing once its directory or lock was replaced", arguments: kinds)
  func build(kind: String) throws {
    for isPresent in [false, true] {  // Another generation, and the present one.
      let place = try Place()
      var publisher: Publisher? = try Publisher(directory: place.path)
      try publisher!.add(Self.shard, [1])
      let manifest = place.manifest + (isPresent ? [] : [2])
      let named = place.change(kind)
      let before = place.contents
      #expect(throws: BuildError.replaced(path: named)) {
        try publisher!.publish(manifest: manifest, previous: [Self.shard])
      }
      publisher = nil
      #expect(place.contents == before, "\(kind), \(isPresent)")
    }
  }

  @Test("an overlay and a repair publish nothing then either", arguments: kinds)
  func others(kind: String) throws {
    for isRepair in [false, true] {
      let place = try Place()
      var publisher: Publisher? = try Publisher(directory: place.path)
      if isRepair { try publisher!.add("b-0000000000000002.zst", [2]) }
      let named = place.change(kind)
      let before = place.contents
      #expect(throws: BuildError.replaced(path: named)) {
        if isRepair {
          try publisher!.finish()
        } else {
          _ = try publisher!.publish(overlay: [1, 2, 3], isOverStale: false)
        }
      }
      publisher = nil
      #expect(place.contents == before, "\(kind), \(isRepair)")
    }
  }

  @Test("while a builder runs no second one begins, even if the lock file is removed") func second() throws {
    let place = try Place()
    let publisher = try Publisher(directory: place.path)
    Files.remove(place.path + "/.lock")
    #expect(throws: BuildError.locked(path: place.path)) { try Publisher(directory: place.path) }
    Files.remove(place.path + "/.lock")
    Files.write([], to: place.path + "/.lock")
    #expect(throws: BuildError.locked(path: place.path)) { try Publisher(directory: place.path) }
    withExtendedLifetime(publisher) {}
  }

  @Test("two builders and a lock file that is removed over and over give readers no error")
  func removals() throws {
    let root = TemporaryDirectory()
    let path = root("index")
    let inputs = (0..<3).map { root("\($0).csv") }
    for (number, input) in inputs.enumerated() {
      let lines = (0..<60).map { "k\(100 + $0),\($0 % 3 == number ? "x\(number)" : "n")\n" }
      Files.write(Array(("name,note\n" + lines.joined()).utf8), to: input)
    }
    var options = BuildOptions()
    (options.key, options.shardLimitBytes, options.jobs) = ("{name}", 1, 1)
    _ = try ShardBuilder.build([inputs[0]], into: path, options: options)
    let counts = Counts()
    let builders = (0..<2).map { number in
      Worker { [options] in
        var (built, round) = (0, 0)
        while built < 4, round < 3000 {
          round += 1
          do throws(BuildError) {
            _ = try ShardBuilder.build([inputs[(round + number) % 3]], into: path, options: options)
            counts.add(\.built)
            built += 1
          } catch {
            switch error {
            case .locked, .replaced: counts.add(\.refused)
            default: counts.fail("\(error)")
            }
            usleep(20_000)
          }
        }
        counts.add(\.ended)
      }
    }
    let remover = Worker {
      var random = SplitMix64(seed: 31)
      var last = -1
      while counts.with({ $0.ended }) < 2 {
        // The lock file is removed once for each build that succeeds, because on a slow machine none would otherwise.
        let built = counts.with { $0.built }
        if built != last, unlink(path + "/.lock") == 0 {
          last = built
          counts.add(\.removed)
        }
        usleep(UInt32.random(in: 1000..<60_000, using: &random))
      }
    }
    while counts.with({ $0.ended }) < 2 {
      do {
        let index = try ShardedIndex(opening: path)
        let matches = try index.matches(forPrefix: "k")
        let records = try matches.records(in: 0..<matches.count)
        if records.count != 60 { counts.fail("\(records.count) records") }
        counts.add(\.read)
      } catch IndexError.superseded {  // Builds went faster than the reader.
      } catch {
        counts.fail("\(error)")
      }
    }
    for worker in builders + [remover] { worker!.join() }
    #expect(counts.with { $0.failures } == [])
    #expect(counts.with { $0.built > 3 && $0.read > 2 && $0.removed > 2 }, "\(counts.with { $0 })")
    let verified = try Verifier.verify(index: path) { _ in }
    #expect(verified.isSound && verified.records == 60)
  }

  private final class Counts: @unchecked Sendable {
    struct Values {
      var (built, refused, removed, read, ended) = (0, 0, 0, 0, 0)
      var failures: [String] = []
    }
    private var mutex = pthread_mutex_t()
    private var values = Values()

    init() { pthread_mutex_init(&mutex, nil) }

    func with<Value>(_ body: (inout Values) -> Value) -> Value {
      pthread_mutex_lock(&mutex)
      defer { pthread_mutex_unlock(&mutex) }
      return body(&values)
    }
    func add(_ count: WritableKeyPath<Values, Int>) { with { $0[keyPath: count] += 1 } }
    func fail(_ text: String) { with { $0.failures.append(text) } }
  }
}
