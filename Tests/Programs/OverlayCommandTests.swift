import TestSupport
import Testing

/// `shardq` may hand an update on to `shardq-commands`; the result is the same.
@Suite(
  "shardq update --overlay, by either executable", .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct OverlayCommandTests {
  private let directory = TemporaryDirectory()
  private var commands: String { Program.directory! + "/shardq-commands" }

  private typealias Record = (id: Int, name: String, country: String, extra: String)

  private static func json(_ record: Record) -> String {
    #"{"name":"\#(record.name)","_id":\#(record.id),"nested":{"lat":\#(record.extra),"lon":8.25},"country":"\#(record.country)"}"#
  }

  private func build(_ name: String, _ records: [Record]) {
    directory.write(records.map { Self.json($0) + "\n" }.joined(), to: "list.jsonl")
    let built = Program.run([
      "build", "-i", directory.path + "/" + name, "--id", "_id", "--key", "{name}, {country}",
      directory.path + "/list.jsonl",
    ])
    #expect(built.status == 0, "\(built)")
  }

  private static func records(_ random: inout SplitMix64) -> [Record] {
    (0..<700).map { id in
      let names = ["ab", "Ab", "a\u{301}b", "abc", "é\\u00e9", "zürich", "x\\\\y", "q\\n"]
      return (
        id, names.randomElement(using: &random)!, ["CH", "DE", ""].randomElement(using: &random)!, "\(id % 40).5"
      )
    }
  }

  @Test("either executable makes the same overlay, output and status", arguments: ["jsonl", "json"])
  func same(format: String) {
    var random = SplitMix64(seed: 42)
    var records = Self.records(&random)
    build("a", records)
    build("b", records)
    let file = directory.path + "/change." + format
    for round in 0..<60 {
      let count = [1, 1, 2, 3, 20][round % 5]
      var changed: [Record] = []
      for _ in 0..<count {
        let place = Int.random(in: 0..<records.count, using: &random)
        guard !changed.contains(where: { $0.id == records[place].id }) else { continue }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: records[place].name += "z"
        case 1: records.append((records.count + 1000, "neu", "CH", "1"))
        default: records[place].extra = "\(Int.random(in: -90...90, using: &random)).25"
        }
        changed.append(records[place])
      }
      var texts = changed.map(Self.json)
      // Changes that both executables refuse.
      switch round {
      case 31: texts.append(texts[0])
      case 32: texts[0] = #"{"name":"no id","country":"CH"}"#
      case 33: texts[0] = "{"
      case 34: texts[0] = #"{"_id":5}"#
      case 35: texts[0] = #"{"_id":5,"_id":6,"name":"x"}"#
      case 36: texts[0] = #"{"_id":5,"name":"x","other":1}"#
      case 37: texts[0] = ""
      default: break
      }
      let text = format == "json" ? "[ " + texts.joined(separator: " ,\n") + "]\n" : texts.joined(separator: "\n")
      directory.write(text, to: "change." + format)
      func update(_ index: String, _ program: String?) -> Program.Result {
        var result = Program.run(
          ["update", "--overlay", "--upsert", file, "-i", directory.path + "/" + index], program: program)
        result.error = result.error.replacing(directory.path + "/" + index, with: "INDEX")
        return result
      }
      let (first, second) = (update("a", nil), update("b", commands))
      // An update that writes shards prints its time.
      let isOverlay = first.error.contains("beside them")
      #expect(
        first.status == second.status && (first.error == second.error || !isOverlay), "\(round) \(first) \(second)")
      #expect(directory.bytes("a/overlay") == directory.bytes("b/overlay"), "round \(round)")
      if round == 40 {
        for index in ["a", "b"] {
          #expect(Program.run(["update", "--merge", "-i", directory.path + "/" + index]).status == 0)
        }
      }
    }
    #expect(Files.names(in: directory.path + "/a") == Files.names(in: directory.path + "/b"))
    #expect(Program.run(["verify", "-i", directory.path + "/a"]).status == 0)
  }
}
