import ShardBuilder
import TestSupport
import Testing

import CLibrary

@Suite("diff, apply and repair", .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct PackCommandTests {
  /// Two generations of a small index, made by the command.
  private final class Pair {
    let directory = TemporaryDirectory()
    var old: String { directory.path + "/old" }
    var new: String { directory.path + "/new" }
    var copy: String { directory.path + "/copy" }
    var pack: String { directory.path + "/pack" }

    init() {
      for (name, town) in [("old", "Alab Town"), ("new", "Alab City")] {
        directory.write(SmallIndex.records.replacing("Alab Town", with: town) + "\n", to: "records.jsonl")
        let built = Program.run([
          "build", "-i", directory.path + "/" + name, "--key", "{name}, {country}", directory.path + "/records.jsonl",
        ])
        #expect(built.status == 0, "\(built)")
      }
      copyOld()
    }

    func copyOld() {
      mkdir(copy, 0o755)
      for name in Files.names(in: copy) { unlink(copy + "/" + name) }
      for name in Files.names(in: old) where name != ".lock" {
        directory.write(directory.bytes("old/" + name), to: "copy/" + name)
      }
    }

    func run(_ arguments: String...) -> Program.Result { Program.run(arguments, index: copy) }
  }

  private func count(_ prefix: String, in index: String) -> String {
    Program.run([prefix, "--count", "-i", index]).output
  }

  @Test func diffAndApply() {
    let pair = Pair()
    let diff = pair.run("diff", pair.old, pair.new, "-o", pair.pack)
    #expect(diff.status == 0 && diff.output == "" && diff.error.contains("1 of 1 shard in the pack"), "\(diff)")
    let apply = pair.run("apply", pair.pack)
    #expect(apply.status == 0 && apply.output == "" && apply.error.contains("1 of them written"), "\(apply)")
    #expect(pair.directory.bytes("copy/manifest") == pair.directory.bytes("new/manifest"))
    #expect(count("alab city", in: pair.copy) == "1\n" && pair.run("verify").status == 0)
    let again = pair.run("apply", pair.pack)
    #expect(again.status == 0 && again.error.contains("already"), "\(again)")
    // The pack now begins with another index.
    let back = pair.run("diff", pair.old, pair.old, "--output", pair.pack)
    #expect(back.status == 0 && back.error.contains("the same"))
    let refused = pair.run("apply", pair.pack)
    #expect(refused.status == 65 && refused.output == "" && refused.error.contains("does not fit"), "\(refused)")
  }

  @Test("No pack changes an archive: the message says how to change it") func archives() {
    let pair = Pair()
    let archive = pair.directory.path + "/old.shardq"
    #expect(pair.run("archive", "-i", pair.old, "-o", archive).status == 0)
    #expect(pair.run("diff", pair.old, pair.new, "-o", pair.pack).status == 0)
    let bytes = pair.directory.bytes("old.shardq")
    let result = Program.run(["apply", "-i", archive, pair.pack])
    #expect(result.status == 74 && result.error.contains("unarchive it, change the directory"), "\(result)")
    #expect(pair.directory.bytes("old.shardq") == bytes)
  }

  @Test("A pack goes through a pipe from diff to apply") func pipe() {
    let pair = Pair()
    let command = #"""
      set -eo pipefail; PATH="$1:$PATH"; cd "$2"; shardq diff old new -o - | shardq -i copy apply -
      shardq diff old new -o plain; cmp plain <(shardq diff old new -o -); mkfifo fifo
      shardq diff new old -o fifo & shardq apply -i copy fifo; wait; test -p fifo; cmp copy/manifest old/manifest
      """#
    let result = Program.run(["-c", command, "shell", Program.directory!, pair.directory.path], program: "/bin/bash")
    #expect(result.status == 0 && result.output == "", "\(result)")
    #expect(result.error.contains("1 of them written"))
    #if os(Linux)
      let full = Program.run(["diff", pair.old, pair.new, "-o", "-"], output: "/dev/full")
      #expect(full.status == 74 && full.error.contains("cannot write to standard output"), "\(full)")
    #endif
  }

  @Test("A failed command says why, and ends with its status") func failures() {
    let pair = Pair()
    let nowhere = pair.directory.path + "/nowhere"
    #expect(pair.run("diff", pair.old, nowhere, "-o", pair.pack).status == 66)
    #expect(pair.run("diff", nowhere, pair.new, "-o", pair.pack).status == 66)
    #expect(pair.run("diff", pair.old, pair.new, "-o", nowhere + "/pack").status == 74)
    #expect(pair.run("diff", pair.old, pair.new, "-o", "").status == 64)
    #expect(pair.run("apply", nowhere).status == 66)
    #expect(pair.run("apply", pair.old).status == 66)
    #expect(pair.run("diff", pair.old, pair.new, "-o", pair.pack).status == 0)
    #expect(pair.run("apply", pair.pack, "-i", nowhere).status == 66)
    #expect(Files.names(in: pair.directory.path) == ["copy", "new", "old", "pack", "records.jsonl"])
    let pack = pair.directory.bytes("pack")
    pair.directory.write(Array(pack.dropLast()), to: "pack")
    let short = pair.run("apply", pair.pack)
    #expect(short.status == 65 && short.error.contains("too early"), "\(short)")
    pair.directory.write(
      "something else entirely, and longer than a header would have been, which takes 128 bytes of a pack: there they are, more or less.",
      to: "pack")
    let other = pair.run("apply", pair.pack)
    #expect(other.status == 65 && other.error.contains("is not a pack"), "\(other)")
    #if os(Linux)
      pair.directory.write(pack, to: "pack")
      let lock = open(pair.copy + "/.lock", O_RDWR | O_CREAT, 0o600)
      #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
      #expect(pair.run("apply", pair.pack).status == 75)
      #expect(pair.run("repair", "--from", pair.old).status == 75)
      close(lock)
    #endif
    #expect(pair.directory.bytes("copy/manifest") == pair.directory.bytes("old/manifest"))
  }

  @Test("A command's name can be a prefix") func prefixes() {
    let scratch = TemporaryDirectory()
    let records = ["diff", "apply", "repair"].map { #"{"name":"\#($0)ing"}"# }.joined(separator: "\n")
    scratch.write(records + "\n", to: "r.jsonl")
    #expect(
      Program.run(["build", "-i", scratch.path + "/i", "--key", "{name}", scratch.path + "/r.jsonl"]).status == 0)
    let index = scratch.path + "/i"
    for name in ["diff", "apply", "repair"] {
      for arguments in [
        ["-i", index, "--count", "--", name], ["query", name, "-i", index, "--count"],
      ] {
        #expect(Program.run(arguments) == .init(status: 0, output: "1\n", error: ""), "\(arguments)")
      }
      let near = Program.run([name + "i", "-i", index, "--count"])
      let note = "shardq: searched for \(name)i; did you mean shardq \(name)?\n"
      #expect(near == .init(status: 0, output: "1\n", error: note))
      #expect(Program.run([name, "-i", index]).status == 64)
    }
  }

  @Test func repair() {
    let pair = Pair()
    let names = Files.names(in: pair.copy).filter { $0.hasSuffix(".zst") }
    #expect(names.count == 1)
    var bytes = pair.directory.bytes("copy/" + names[0])
    bytes[bytes.count / 2] ^= 4
    pair.directory.write(bytes, to: "copy/" + names[0])
    let damaged = pair.run("verify")
    #expect(damaged.status == 1 && damaged.output.contains(names[0]))
    // The other index has none of the damaged shards.
    let useless = pair.run("repair", "--from", pair.new)
    #expect(useless.status == 1 && useless.output == damaged.output && useless.error.contains("nothing repaired"))
    let repaired = pair.run("repair", "--from", pair.old)
    #expect(repaired.status == 0 && repaired.output == "", "\(repaired)")
    #expect(repaired.error.contains(names[0] + ": repaired\n") && repaired.error.contains("every byte is sound"))
    #expect(pair.run("verify").status == 0)
    let idle = pair.run("repair", "--from", pair.old)
    #expect(idle.status == 0 && idle.error == "nothing repaired; every byte is sound\n", "\(idle)")
    unlink(pair.copy + "/manifest")
    let unproven = pair.run("repair", "--from", pair.new)
    #expect(unproven.status == 65 && unproven.error.contains("--force"), "\(unproven)")
    let forced = pair.run("repair", "--from", pair.new, "--force")
    #expect(forced.status == 0 && count("alab city", in: pair.copy) == "1\n", "\(forced)")
    #expect(pair.run("repair", "--from", pair.copy).status == 64)
    #expect(pair.run("repair", "--from", pair.directory.path + "/nowhere").status == 66)
  }
}
