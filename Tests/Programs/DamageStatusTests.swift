import TestSupport
import Testing

/// Every command over an index with one changed byte ends with 0 only if its output is that of the sound index.
@Suite("Damage and exit statuses", .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct DamageStatusTests {
  /// A sound index, its previous generation, a pack between the two, and the index with an overlay beside it.
  private final class Fixture: Sendable {
    let scratch = TemporaryDirectory()
    var sound: String { scratch.path + "/sound" }
    var older: String { scratch.path + "/older" }
    var overlaid: String { scratch.path + "/overlaid" }

    init() {
      let script = """
        cd '\(scratch.path)' || exit 1
        shardq generate --count 3000 --format jsonl --seed 5 > list.jsonl
        head -n 2000 list.jsonl > first.jsonl
        shardq build -i older first.jsonl && shardq build -i sound list.jsonl && shardq diff older sound -o pack || exit 1
        tail -n 20 list.jsonl | sed 's/"name":"/"name":"Sa/' > change.jsonl
        cp -r sound overlaid && shardq update -i overlaid --overlay --upsert change.jsonl
        """
      let made = Program.run(
        ["-c", script], program: "/bin/sh", variables: ["PATH=\(Program.directory!):/usr/bin:/bin"])
      #expect(made.status == 0, "\(made)")
    }

    /// A copy of an index with one byte changed.
    func damaged(_ name: String, of index: String, file: String, at: Int) -> String {
      let copy = scratch.path + "/" + name
      Self.copy(index, to: copy)
      var bytes = Files.bytes(copy + "/" + file)
      bytes[at] ^= 0x10
      scratch.write(bytes, to: name + "/" + file)
      return copy
    }

    static func copy(_ index: String, to copy: String) {
      _ = Program.run(["-c", "rm -rf '\(copy)'; cp -r '\(index)' '\(copy)'"], program: "/bin/sh")
    }
  }

  /// Parts of the files: places from the start, or from the end if they are negative.
  static func places(of index: String) -> [(file: String, at: Int, part: String)] {
    let names = Files.names(in: index)
    let manifest = Files.bytes(index + "/manifest").count
    var places = [
      ("manifest", 0, "magic"), ("manifest", 20, "root"), ("manifest", 200, "root's sections"),
      ("manifest", manifest - 6, "density grid"),
    ]
    if names.contains("overlay") { places += [("overlay", 16, "overlay"), ("overlay", 60, "overlay's content")] }
    // Pages and notes lie between the root and the density grid.
    for step in 1..<12 { places.append(("manifest", manifest * step / 12, "manifest at \(step)/12")) }
    let shards = names.filter { $0.hasSuffix(".zst") }
    for shard in [shards[0], shards[shards.count / 2]] {
      let size = Files.bytes(index + "/" + shard).count
      for (at, part) in [(10, "header"), (size / 3, "keys"), (size * 2 / 3, "fields"), (size - 2, "end")] {
        places.append((shard, at, "shard's \(part)"))
      }
    }
    return places
  }

  /// Commands that read: their arguments behind `-i INDEX`.
  private static let reading = [
    ["stats"], ["stats", "--format", "json"], ["export"], ["export", "--format", "geojson"],
    ["map", "sa"], ["map", "sa", "--format", "geojson"],
    ["query", "sa", "--all", "--format", "jsonl"],
    ["query", "", "-n", "3"], ["query", "--stdin"], ["generate", "--typing", "50"],
  ]

  @Test("a command that reads ends with 0 only if its output is that of the sound index")
  func reading() {
    let fixture = Fixture()
    func run(_ command: [String], _ index: String) -> Program.Result {
      Program.run(command + ["-i", index], input: "sa\nto\n", variables: ["SWIFT_BACKTRACE=enable=no"])
    }
    let copy = fixture.scratch.path + "/damaged"
    // The copy has the name of the damaged ones, because some commands print the name.
    Fixture.copy(fixture.overlaid, to: copy)
    let right = Self.reading.map { run($0, copy) }
    for (command, result) in zip(Self.reading, right) { #expect(result.status == 0, "\(command): \(result)") }
    var met = 0
    for (file, at, part) in Self.places(of: fixture.overlaid) {
      _ = fixture.damaged("damaged", of: fixture.overlaid, file: file, at: at)
      for (command, sound) in zip(Self.reading, right) {
        let result = run(command, copy)
        if result.status == 0 {
          // The sizes and digest that stats prints are of files, not of their content: they hold for damaged files too.
          let isDigest = command[0] == "stats" && file == "manifest"
          #expect(result.output == sound.output || isDigest, "\(command) over damage of \(part), \(file) at \(at)")
        } else {
          met += 1
          #expect([1, 65].contains(result.status), "\(command), \(part): \(result)")
          #expect(result.error.contains(copy), "\(command), \(part): \(result)")
        }
      }
      let verified = run(["verify"], copy)
      #expect(verified.status == 1 || verified.status == 65, "\(part), \(file) at \(at): \(verified)")
    }
    #expect(met > 60)
  }

  @Test("the map reports that its land cannot be read")
  func land() {
    let fixture = Fixture()
    let size = Files.bytes(fixture.older + "/manifest").count
    let copy = fixture.damaged("damaged", of: fixture.older, file: "manifest", at: size - 6)
    let result = Program.run(["map", "sa", "-i", copy])
    #expect(result.status == 65 && result.output == "", "\(result)")
    #expect(result.error.hasPrefix("shardq: \(copy)/manifest "), "\(result)")
    #expect(result.error.contains("repair"), "\(result)")
  }

  @Test("a command that writes ends with 0 only if its result is sound and right")
  func writing() {
    let fixture = Fixture()
    let (copy, pack) = (fixture.scratch.path + "/damaged", fixture.scratch.path + "/made")
    let all = ["query", "", "--all", "--format", "jsonl", "-i"]
    let right = Program.run(all + [fixture.sound]).output
    func expectRight(_ index: String, _ comment: String) {
      #expect(Program.run(["verify", "-i", index]).status == 0, "\(comment)")
      #expect(Program.run(all + [index]).output == right, "\(comment)")
    }
    var done = 0
    for (file, at, part) in Self.places(of: fixture.sound) {
      _ = fixture.damaged("damaged", of: fixture.sound, file: file, at: at)
      let comment = "\(part), \(file) at \(at)"
      if Program.run(["diff", fixture.older, copy, "-o", pack]).status == 0 {
        done += 1
        let target = fixture.scratch.path + "/target"
        Fixture.copy(fixture.older, to: target)
        #expect(Program.run(["apply", pack, "-i", target]).status == 0, "\(comment)")
        expectRight(target, "diff to the damaged one: " + comment)
      }
      if Program.run(["repair", "-i", copy, "--from", fixture.sound]).status == 0 {
        done += 1
        expectRight(copy, "repair: " + comment)
      }
    }
    for (file, at, part) in Self.places(of: fixture.older) {
      let comment = "\(part), \(file) at \(at)"
      _ = fixture.damaged("damaged", of: fixture.older, file: file, at: at)
      if Program.run(["diff", copy, fixture.sound, "-o", pack]).status == 0 {
        done += 1
        if Program.run(["apply", pack, "-i", copy]).status == 0 {
          expectRight(copy, "diff from the damaged one: " + comment)
        }
      }
      _ = fixture.damaged("damaged", of: fixture.older, file: file, at: at)
      if Program.run(["apply", fixture.scratch.path + "/pack", "-i", copy]).status == 0 {
        done += 1
        expectRight(copy, "apply: " + comment)
      }
    }
    #expect(done > 20)
  }

  @Test("measuring commands do not measure damage")
  func measuring() {
    let fixture = Fixture()
    let log = fixture.scratch.path + "/log"
    #expect(Program.run(["generate", "--typing", "300", "-i", fixture.older], output: log).status == 0)
    let shard = Files.names(in: fixture.older).first { $0.hasSuffix(".zst") }!
    let size = Files.bytes(fixture.older + "/" + shard).count
    for (file, at) in [("manifest", 40), (shard, size / 3), (shard, size - 2)] {
      let copy = fixture.damaged("damaged", of: fixture.older, file: file, at: at)
      for command in [
        [
          "plan", "-i", copy, "--log", log, "--shard-sizes", "80KiB", "--part-sizes", "1.5KiB",
        ],
        ["footprint", "-i", copy, "--typing", "300"],
      ] {
        let result = Program.run(command, variables: ["TMPDIR=" + fixture.scratch.path])
        #expect(result.status != 0, "\(command[0]) over \(file) at \(at): \(result)")
      }
    }
  }
}
