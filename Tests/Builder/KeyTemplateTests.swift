import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Key templates") struct KeyTemplateTests {
  @Test("a template has literals, fields and escapes") func parts() throws {
    let template = try KeyTemplate(checking: "{name}, {coord.lon} {{x}} {name}")
    #expect(template.fields == ["name", "coord.lon"])
    #expect(
      template.parts == [
        .field(0), .literal(Array(", ".utf8)), .field(1), .literal(Array(" {x} ".utf8)), .field(0),
      ])
  }

  @Test("names are the same if their bytes are") func names() throws {
    // A letter with its mark, as one scalar and as two.
    let template = try KeyTemplate(checking: "{\u{e9}}{e\u{301}}{\u{e9}}")
    #expect(template.parts == [.field(0), .field(1), .field(0)])
    #expect(template.fields.map { Array($0.utf8) } == [[0xc3, 0xa9], [0x65, 0xcc, 0x81]])
  }

  @Test(
    "the error for a wrong template has its place",
    arguments: [
      ("", TemplateFlaw.empty, 1), ("abc", .noField, 1), ("é{name", .unclosed, 2), ("{name}}", .unopened, 7),
      ("ab{}", .emptyField, 3), ("{{}", .unopened, 3),
    ])
  func flaws(text: String, flaw: TemplateFlaw, position: Int) {
    #expect(throws: BuildError.template(flaw, template: text, position: position)) { try KeyTemplate(checking: text) }
  }

  @Test("the error for a missing field names the fields of the dataset") func unknown() throws {
    var check = FieldCheck()
    check.add(try KeyTemplate(checking: "{name}, {land}"), .key)
    check.add("at", .keep)
    try check.check(["land", "name", "at.x"], of: ["a.csv"])
    #expect(throws: BuildError.unknownField("land", setting: .key, inputs: ["a.csv"], fields: ["name", "at"])) {
      try check.check(["name", "at"], of: ["a.csv"])
    }
    #expect(throws: BuildError.unknownField("at", setting: .keep, inputs: ["a.csv"], fields: ["land", "name", "atx"])) {
      try check.check(["land", "name", "atx"], of: ["a.csv"])
    }
  }

  @Test(
    "the error for a misspelt field suggests the right name",
    arguments: [
      ("nmae", "name"), ("NAME", "name"), ("name", " Name"), ("county", "country"), ("x", "url"), ("nom", "name"),
      ("", ""),
    ]) func nearest(word: String, meant: String)
  {
    let names = meant == " Name" ? ["url", " Name", "country"] : ["url", "name", "country"]
    let expected = ["x": nil, "nom": nil, "": nil][word] ?? meant
    #expect(EditDistance.nearest(to: word, of: names) == expected)
  }

  private func encode(
    _ records: [[BuilderSupport.Field]], _ template: String = "{name}, {country}", keep: [String]? = nil
  ) throws -> (chunk: RecordArena, bad: [UnindexableRecord]) {
    var names = FieldNames()
    let batch = BuilderSupport.batch(records, &names)
    var encoder = RecordEncoder(template: try KeyTemplate(checking: template), keep: keep)
    let chunk = RecordArena(capacity: 1)
    return (chunk, encoder.encode(batch, names: names, into: chunk))
  }

  @Test("records get keys, suffix fields and fields") func records() throws {
    let (chunk, bad) = try encode([
      [("country", .string, "US"), ("name", .string, "San Jose"), ("id", .number, "12")],
      [("name", .string, "Alone")], [("id", .number, "7")],
      [("name", .literal, "null"), ("country", .string, "A, B")],
    ])
    #expect(bad == [UnindexableRecord(index: 2, flaw: .noKeyField)])
    #expect(chunk.count == 3)
    let first = chunk.record(0)
    #expect(Array(first.folded) == Array("san jose\u{1}us".utf8))
    #expect(Array(first.key) == Array("San Jose, US".utf8))
    #expect(first.foldedSuffixCount == 2)
    #expect(first.fieldCount == 3 && first.fieldKind(2) == .number && first.fieldName(1) == 1)
    var offset = first.textsOffset
    #expect(Array(first.text(0, &offset)) == Array("US".utf8) && offset == first.textsOffset)
    #expect(Array(first.text(1, &offset)) == Array("San Jose".utf8) && offset == first.textsOffset)
    #expect(Array(first.text(2, &offset)) == Array("12".utf8) && offset == first.size)
    #expect(chunk.record(1).foldedSuffixCount == 0)
    #expect(Array(chunk.record(2).key) == Array(", A, B".utf8))
    #expect(chunk.record(2).foldedSuffixCount == 3)
  }

  @Test("only kept fields and the fields nested in them are stored") func keep() throws {
    let (chunk, _) = try encode(
      [[("name", .string, "A"), ("country", .string, "B"), ("coord.lon", .number, "1"), ("coordinate", .number, "2")]],
      keep: ["coord", "country"])
    let record = chunk.record(0)
    #expect(record.fieldCount == 2 && record.fieldName(0) == 1 && record.fieldName(1) == 2)
    #expect(Array(record.key) == Array("A, B".utf8))
  }

  @Test("a key beyond the limit is bad") func long() throws {
    let text = String(repeating: "x", count: RecordEncoder.foldedKeyLimit)
    let (chunk, bad) = try encode([[("name", .string, text)], [("name", .string, text + "x")]], "{name}")
    #expect(chunk.count == 1)
    #expect(bad == [UnindexableRecord(index: 1, flaw: .keyTooLong(RecordEncoder.foldedKeyLimit + 1))])
  }
}
