import TestSupport
import Testing

import ShardBuilder
import ShardedIndex

@Suite("Record blobs") struct RecordBlobTests {
  /// Records with texts, keys and fields of sizes around the limits of a narrow header and a short key.
  private static func records(_ seed: UInt64) -> [[BuilderSupport.Field]] {
    var random = SplitMix64(seed: seed)
    func text(_ limit: Int) -> String {
      let size = Bool.random(using: &random) ? Int.random(in: 0...12, using: &random) : limit
      // The last character has two bytes, and its fold has one.
      return String(repeating: ["x", "Q", "7", "É"].randomElement(using: &random)!, count: size)
    }
    return (0..<60).map { _ in
      var fields: [BuilderSupport.Field] = []
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let name = ["name", "country", "a", "b", "c"].randomElement(using: &random)!
        let kind: FieldKind = [.string, .number, .literal].randomElement(using: &random)!
        fields.append((name, kind, text([126, 127, 254, 255, 256, 70_000].randomElement(using: &random)!)))
      }
      if random.next() % 16 == 0 { for number in 0..<255 { fields.append(("c", .number, String(number))) } }
      return [("name", .string, text([120, 251, 255].randomElement(using: &random)!))] + fields
    }
  }

  private static func key(of record: [BuilderSupport.Field]) -> [UInt8] {
    func first(_ name: String) -> String { record.first { $0.name == name }?.text ?? "" }
    return Array("\(first("name")), \(first("country"))".utf8)
  }

  @Test(
    "a narrow and a wide blob have the content of their record", arguments: 1...UInt64(TestData.count(10, 40)),
    [0, 59, 62, 63, 64, 300])
  func contents(seed: UInt64, namesBefore: Int) throws {
    var names = FieldNames()
    for number in 0..<namesBefore { _ = names.number(of: "before \(number)") }
    let records = Self.records(seed).filter { Self.key(of: $0).count < RecordEncoder.foldedKeyLimit }
    let batch = BuilderSupport.batch(records, &names)
    var encoder = RecordEncoder(template: try KeyTemplate(checking: "{name}, {country}"))
    let chunk = RecordArena()
    try #require(encoder.encode(batch, names: names, into: chunk).isEmpty)
    for (number, record) in records.enumerated() {
      let blob = chunk.record(number)
      #expect(Array(blob.key) == Self.key(of: record))
      #expect(blob.fieldCount == record.count)
      var offset = blob.textsOffset
      for (index, field) in record.enumerated() {
        #expect(names.names[Int(blob.fieldName(index))] == field.name)
        #expect(blob.fieldKind(index) == field.kind)
        #expect(blob.fieldSize(index) == field.text.utf8.count)
        #expect(Array(blob.text(index, &offset)) == Array(field.text.utf8))
      }
      #expect(offset == blob.size)
      let last = record.last!
      let expected = record.first { $0.name == last.name }!.text
      #expect(blob.text(ofField: blob.fieldName(record.count - 1)).map { Array($0) } == Array(expected.utf8))
    }
  }

  @Test("a piece's digest does not depend on the numbers of names", arguments: 1...UInt64(TestData.count(10, 40)))
  func renumbered(seed: UInt64) throws {
    let records = Self.records(seed).filter { Self.key(of: $0).count < RecordEncoder.foldedKeyLimit }
    func digest(namesBefore: Int, reversed: Bool) throws -> PieceDigest {
      var names = FieldNames()
      for number in 0..<namesBefore { _ = names.number(of: "before \(number)") }
      if reversed { for name in ["c", "b", "a", "country", "name"] { _ = names.number(of: name) } }
      let chunk = try BuilderSupport.chunk(records, template: "{name}, {country}", names: &names)
      // The digest depends on the order of the records: they stay in their own order, not in that of an index.
      var cutter = Cutter(limit: 1 << 30, order: RecordOrder(names: names))
      for number in 0..<chunk.count { cutter.append(chunk.record(number)) }
      cutter.finish()
      return try #require(cutter.finished.first).digest(names: names.names).digest
    }
    let plain = try digest(namesBefore: 0, reversed: false)
    for (count, reversed) in [(0, true), (1, false), (60, true), (63, false), (64, true), (1000, false)] {
      #expect(try digest(namesBefore: count, reversed: reversed) == plain)
    }
  }
}
