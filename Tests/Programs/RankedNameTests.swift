import ShardedIndex
import ShardqCommands
import TestSupport
import Testing

@Suite("Ranked answers by words and other names") struct RankedNameTests {
  static let records = """
    {"name":"New York","country":"US","people":8000000,"names":["NYC","Gotham"]}
    {"name":"York","country":"GB","people":150000,"names":["Eboracum"]}
    {"name":"East York","country":"CA","people":100000,"names":"E. York, Torontos Osten ,X"}
    {"name":"Yorkton","country":"CA","people":15000}

    """

  private func index(_ options: [String], in directory: TemporaryDirectory) -> String {
    let path = directory.path + "/index"
    directory.write(Self.records, to: "records.jsonl")
    let arguments = ["build", "-i", path, "--key", "{name}, {country}"] + options + [directory.path + "/records.jsonl"]
    #expect(Program.run(arguments).status == 0)
    return path
  }

  private static let all = ["--weight", "people", "--words", "--alias", "names"]

  @Test("text output shows the other name that matched, and says when matches are left out")
  func text() {
    let directory = TemporaryDirectory()
    let path = index(Self.all, in: directory)
    func shown(_ arguments: String...) -> Program.Result {
      Program.run(["query", "-i", path, "--format", "text"] + arguments)
    }
    #expect(shown("nyc").output == "New York, US (NYC)\n")
    #expect(shown("york").output == "York, GB\nNew York, US\nYorkton, CA\nEast York, CA\n")
    #expect(shown("york").error == "")
    #expect(shown("torontos o").output == "East York, CA (Torontos Osten)\n")
    #expect(shown("york", "-n", "1").error == "the best 1 of 2+ shown; --limit shows more, --all lists all\n")
    let none = shown("zz")
    #expect(none.status == 1 && none.output == "" && none.error == "nothing matches \"zz\"\n", "\(none)")
    #expect(shown("yorkxyz").error == "nothing matches \"yorkxyz\"; nearest: \"york\"\n")
    #expect(shown("york  xyz").error == "no match for \"york  xyz\"; showing results without \"xyz\"\n")
    #expect(shown("york  xyz", "--words", "all").error == "nothing matches \"york  xyz\"; nearest: \"york\"\n")
    let inOrder = shown("yorkt ony", "--sort", "key")
    #expect(inOrder.error == "no key begins with \"yorkt ony\"; nearest: \"yorkt\"\n", "\(inOrder)")
  }

  @Test("each front names the reading that the results are for") func reading() throws {
    let directory = TemporaryDirectory()
    let names = directory.write("GB\tGreat Britain\n", to: "names")
    let path = index(Self.all + ["--filter", "country", "--names", "country=" + names], in: directory)
    func shown(_ arguments: String...) -> Program.Result {
      Program.run(["query", "-i", path, "york great britain"] + arguments)
    }
    let text = shown("--format", "text")
    #expect(text.output == "York, GB\n")
    #expect(
      text.error == "no match for \"york great britain\"; showing results for \"york\" with country=GB\n", "\(text)")
    let json = shown("--format", "json").output
    #expect(json.contains(#","interpretation":{"text":"york","filter":{"country":"GB"}}"#), "\(json)")
    #expect(shown("--format", "text", "--words", "all").output == "")
    var model = ListModel(try ShardedIndex(opening: path))
    model.resize(height: 2)
    model.search("york great britain")
    #expect(model.results == "results for \"york\" with country=GB")
    model.search("york")
    #expect(model.results == nil)
  }

  @Test("JSON names the text that matched a hit, and the ranges in it")
  func json() {
    let directory = TemporaryDirectory()
    let path = index(Self.all, in: directory)
    func hits(_ text: String) -> String {
      let output = Program.run(["query", "-i", path, "--format", "json", text]).output
      return output.ranges(of: #""hits":["#).first.map { String(output[$0.upperBound...]) } ?? output
    }
    #expect(
      hits("nyc").contains(#""via":"name","name":"NYC","highlights":[[0,3]]}],"count":1,"total":1"#))
    #expect(hits("york n").hasPrefix(#"{"key":"New York, US","score":"#))
    #expect(hits("york n").contains(#""via":"words","highlights":[[0,1],[4,8]]}]"#), "\(hits("york n"))")
    #expect(hits("toronto").contains(#""name":"Torontos Osten","highlights":[[0,7]]}]"#), "\(hits("toronto"))")
    #expect(
      hits("nycx").hasPrefix(
        #"],"count":0,"total":0,"totalIsExact":true,"keys":0,"sort":"rank","complete":true,"nearest":"nyc"}"#),
      "\(hits("nycx"))")
    #expect(hits("york, u").contains(#""via":"word","highlights":[[4,11]]}]"#), "\(hits("york, u"))")
  }

  @Test("an index of words alone is ranked where no order is named")
  func unweighted() {
    let directory = TemporaryDirectory()
    let path = index(["--words"], in: directory)
    let output = Program.run(["query", "-i", path, "york", "--fields", "name"]).output
    #expect(output == "York\nYorkton\nEast York\nNew York\n")
    #expect(
      Program.run(["query", "-i", path, "york", "--fields", "name", "--sort", "key"]).output == "York\nYorkton\n")
    #expect(Program.run(["york", "-i", path, "--explain"]).output.contains("parts opened"))
  }

  @Test("the list finds rows as it reaches them, and marks the texts that matched")
  func list() throws {
    let directory = TemporaryDirectory()
    var model = ListModel(try ShardedIndex(opening: index(Self.all, in: directory)))
    func marked(_ row: ListRow) -> [String] { row.marks.map { String(row.title[$0]) } }
    model.resize(height: 2)
    model.search("york")
    #expect(model.rows.map(\.title) == ["York, GB", "New York, US"])
    #expect(model.rows.map(marked) == [["York"], ["York"]])
    // Two keys begin with the text.
    #expect(model.total == ShardedIndex.Total(2, isExact: false))
    model.move(by: 2)
    #expect((model.selection, model.top, model.selectedRow?.key) == (2, 1, "Yorkton, CA"))
    model.select(9)
    #expect((model.selection, model.selectedRow?.key) == (3, "East York, CA"))
    #expect(model.total == ShardedIndex.Total(4))
    #expect(model.chosenRecord()?.first?["name"] == "East York")
    model.search("nyc")
    #expect(model.rows.map(\.title) == ["New York, US (NYC)"] && model.rows.map(\.key) == ["New York, US"])
    #expect(model.rows.map(marked) == [["NYC"]])
    model.search("yorkus")
    #expect(model.rows.isEmpty && model.total == ShardedIndex.Total(0) && model.nearest == "york")
    model.search("york xyz")
    #expect(model.dropped == ["xyz"] && model.rows.first?.key == "York, GB" && model.nearest == nil)
    model.search("york n")
    #expect(model.rows.map(marked) == [["N", "York"]])
  }
}
