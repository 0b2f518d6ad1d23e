import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

import CLibrary

/// The programs report any other thing in the place of an index's file, in little memory, and touch nothing else.
@Suite(
  "Other things in the place of files", .serialized, .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct HostileFilesTests {
  /// Runs `shardq` with its memory limited: a query's address space to 32 MiB above that of its start, and a
  /// subcommand's writable memory to 32 MiB in all.
  ///
  /// Peak resident memory is below the mapped memory. Subcommands start threads: each thread's heap sets aside address
  /// space that it never uses, and each thread's stack is as large as the limit of the main stack.
  private static func run(_ arguments: [String], isQuery: Bool) -> Program.Result {
    let limit = isQuery ? "ulimit -v \((10 + 32) << 10)" : "ulimit -s 1024; ulimit -d \(32 << 10)"
    return Program.run(
      ["-c", limit + "; exec \"$0\" \"$@\"", Program.directory! + "/shardq"] + arguments, program: "/bin/sh")
  }

  /// Frames of blocks of one repeated byte: a gigabyte of content in 32 KiB.
  private static func bomb(_ size: Int, declared: Int? = nil, window: UInt8? = nil) -> [UInt8] {
    let declared = declared ?? size
    var frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0b1100_0100 | (window == nil ? 0b10_0000 : 0)]
    if let window { frame.append(window) }
    frame += (0..<8).map { UInt8(truncatingIfNeeded: declared >> (8 * $0)) }
    var left = size
    while left > 0 {
      let block = min(left, 128 << 10)
      left -= block
      let header = block << 3 | 0b010 | (left == 0 ? 1 : 0)
      frame += [UInt8(header & 255), UInt8(header >> 8 & 255), UInt8(header >> 16), 0]
    }
    return frame + [0, 0, 0, 0]
  }

  private struct Case {
    var name: String
    /// Puts something in the place of the file, which was removed.
    var plant: (String) -> Bool
  }

  private static func cases(_ outside: TemporaryDirectory, _ bytes: [UInt8]) -> [Case] {
    func file(_ name: String, _ content: [UInt8]) -> Case {
      Case(name: name) { path in
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(file) }
        return content.isEmpty || write(file, content, content.count) == content.count
      }
    }
    let skippable: [UInt8] = [0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]
    return [
      Case(name: "a link to a file") { symlink(outside.path + "/secret", $0) == 0 },
      Case(name: "a link to a device") { symlink("/dev/zero", $0) == 0 },
      Case(name: "a link to nothing") { symlink("nothing", $0) == 0 },
      Case(name: "a link to itself") { symlink($0, $0) == 0 },
      Case(name: "a pipe") { mkfifo($0, 0o600) == 0 },
      Case(name: "a directory") { mkdir($0, 0o700) == 0 },
      Case(name: "a device") { mknod($0, S_IFCHR | 0o600, 1 << 8 | 5) == 0 },
      Case(name: "a terabyte of nothing") { path in
        let file = open(path, O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        return ftruncate(file, 1 << 40) == 0
      },
      Case(name: "the file and a terabyte of nothing") { path in
        let file = open(path, O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        return write(file, bytes, bytes.count) == bytes.count && ftruncate(file, 1 << 40) == 0
      },
      file("nothing", []), file("noise", (0..<65536).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }),
      file("a gigabyte in 32 KiB", bomb(1 << 30)), file("a gigabyte that says 1 KiB", bomb(1 << 30, declared: 1024)),
      file("16 MiB in 500 bytes", bomb(1 << 24)), file("16 MiB and a byte", bomb(1 << 24 + 1)),
      file("1 KiB that says 16 MiB", bomb(1024, declared: 1 << 24)),
      file("1 KiB that says 2^63", bomb(1024, declared: .min)),
      file("a window of 3.75 TiB", bomb(1 << 20, window: 0xff)),
      file("a window of 2 GiB", bomb(1 << 20, window: 21 << 3)),
      file("a skippable frame", skippable), file("a skippable frame and the file", skippable + bytes),
      file("the file and a skippable frame", bytes + skippable), file("the file twice", bytes + bytes),
    ]
  }

  @Test("every command refuses each at once, as the manifest and as a shard, in 32 MiB")
  func planted() throws {
    let index = try SmallIndex()
    let outside = TemporaryDirectory()
    outside.write("{\"name\":\"secret\"}", to: "secret")
    let shard = try #require(Files.names(in: index.path).first { $0.hasSuffix(".zst") })
    let directory = TemporaryDirectory()
    let files = Files.names(in: index.path)
    var slowest = 0.0
    var count = 0
    for name in ["manifest", shard] {
      let source = open(index.path + "/" + name, O_RDONLY)
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      bytes.removeLast(bytes.count - read(source, &bytes, bytes.count))
      close(source)
      for planted in Self.cases(outside, bytes) {
        let copy = "\(directory.path)/\(count)"
        #expect(mkdir(copy, 0o700) == 0)
        for file in files where file != name && file != ".lock" {
          #expect(symlink(index.path + "/" + file, copy + "/" + file) == 0 && unlink(copy + "/" + file) == 0)
          #expect(link(index.path + "/" + file, copy + "/" + file) == 0)
        }
        guard planted.plant(copy + "/" + name) else {
          print("\(planted.name): cannot be made here")
          continue
        }
        for arguments in [
          ["--index", copy, "a"], ["--index", copy, ""], ["verify", "--index", copy], ["export", "--index", copy],
        ] {
          let isQuery = arguments[0] == "--index"
          let start = ContinuousClock.now
          let result = Self.run(arguments, isQuery: isQuery)
          let took = (ContinuousClock.now - start) / .milliseconds(1)
          slowest = max(slowest, took)
          count += 1
          let what: Comment = "\(planted.name) as \(name), \(arguments): \(result)"
          #expect([1, 65, 66, 74].contains(result.status), what)
          #expect(
            arguments[0] == "verify"
              ? result.output.contains(name) || result.error.contains(name) : result.error.contains(name), what)
          #expect(!result.output.contains("secret") && !result.error.contains("secret"), what)
          #expect(result.error.utf8.filter { $0 == 10 }.count <= 3, what)
        }
      }
    }
    print("\(count) runs, the slowest \(Int(slowest)) ms")
    #expect(Files.names(in: outside.path) == ["secret"])
    #expect(outside.read("secret") == "{\"name\":\"secret\"}")
    // A sound index can be read under the limits.
    for arguments in [
      ["--index", index.path, "a"], ["verify", "--index", index.path], ["export", "--index", index.path],
    ] {
      let result = Self.run(arguments, isQuery: arguments[0] == "--index")
      #expect(result.status == 0, "\(result)")
    }
  }
}
