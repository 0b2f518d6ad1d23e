import ShardBuilder
import TestSupport
import Testing

@Suite("The order of records") struct OrderTests {
  static let texts = [
    "", "1", "1.0", "1.00", "01", "1e3", "1E+3", "1000", "10e2", "9", "10", "1a", "-0", "0", "0.0", "-1", "-1.5", "-10",
    "-2e-5", "1e-400", "1e400", "-1e400", "1e99999999999999999999999", "10e99999999999999999999998",
    "1e100000000000000000000000", "1e-99999999999999999999999", "0.1e-99999999999999999999998", "0e5", "00", "+1", "1.",
    ".5", "0.5", "5e-1", "a", "a\0", "a\0b", "\0", "ab", "1e", "12345678901234567890", "12345678901234567891",
    "99999999999999999999e99999999999999999999", "-", "1 ",
  ]

  static func chunk(_ records: [[BuilderSupport.Field]]) throws -> (RecordArena, RecordOrder) {
    var names = FieldNames()
    let chunk = try BuilderSupport.chunk(records, template: "{k}", names: &names)
    return (chunk, RecordOrder(names: names))
  }

  /// Checks every pair and triple, and the serialised form against the comparison.
  private func check(_ chunk: RecordArena, _ order: RecordOrder) {
    let count = chunk.count
    var signs = [[Int]](repeating: [], count: count)
    var serialised: [[UInt8]] = []
    for a in 0..<count {
      var bytes: [UInt8] = []
      order.serializeRest(chunk.record(a), into: &bytes)
      serialised.append(bytes)
      signs[a] = (0..<count).map { order.compare(chunk.record(a), chunk.record($0)).signum() }
    }
    for a in 0..<count {
      for b in 0..<count {
        #expect(signs[a][b] == -signs[b][a])
        let isSame = BuilderSupport.bytes(chunk.record(a)) == BuilderSupport.bytes(chunk.record(b))
        #expect((signs[a][b] == 0) == isSame, "\(a) \(b)")
        if chunk.record(a).folded.elementsEqual(chunk.record(b).folded) {
          let sign =
            serialised[a] == serialised[b] ? 0 : serialised[a].lexicographicallyPrecedes(serialised[b]) ? -1 : 1
          #expect(sign == signs[a][b], "serialised \(a) \(b)")
        }
        var (first, second): ([UInt8], [UInt8]) = ([], [])
        let shared = order.serializeDifference(chunk.record(a), chunk.record(b), &first, &second)
        first = second[..<shared] + first
        let depth = zip(serialised[a], serialised[b]).prefix { $0 == $1 }.count
        // Up to the first difference, and with it.
        #expect(first.starts(with: serialised[a].prefix(depth + 1)), "\(a) \(b)")
        #expect(second.starts(with: serialised[b].prefix(depth + 1)), "\(a) \(b)")
        guard signs[a][b] < 0 else { continue }
        let broken = (0..<count).filter { signs[b][$0] < 0 && signs[a][$0] >= 0 }
        #expect(broken.isEmpty, "\(a) \(b) \(broken)")
      }
    }
  }

  @Test("texts and numbers are in one strict order") func texts() throws {
    let (chunk, order) = try Self.chunk(Self.texts.map { [("k", .string, "x"), ("v", .string, $0)] })
    check(chunk, order)
  }

  @Test("values of any length compare exactly") func values() throws {
    let ascending = [
      "-1e400", "-10", "-1.5", "-1", "-2e-5", "0", "1e-99999999999999999999999", "1e-400", "0.5", "1", "9", "10", "1e3",
      "12345678901234567890", "12345678901234567891", "1e400", "1e99999999999999999999999",
      "1e100000000000000000000000", "", "01", "1a", "a",
    ]
    let (chunk, order) = try Self.chunk(ascending.map { [("k", .string, "x"), ("v", .string, $0)] })
    for a in 0..<chunk.count {
      for b in 0..<chunk.count {
        #expect(order.compare(chunk.record(a), chunk.record(b)).signum() == (a - b).signum(), "\(a) \(b)")
      }
    }
  }

  @Test("random records are in one strict order", arguments: UInt64(1)...6) func random(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let few = ["1", "1.0", "01", "1e3", "9", "10", "1a", "", "x"]
    var records: [[BuilderSupport.Field]] = []
    for _ in 0..<70 {
      var record: [BuilderSupport.Field] = [("k", .string, ["a", "A", "b"].randomElement(using: &random)!)]
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        record.append(
          (
            ["p", "q", "p2"].randomElement(using: &random)!,
            [.string, .number, .literal].randomElement(using: &random)!,
            few.randomElement(using: &random)!
          ))
      }
      records.append(record)
    }
    let (chunk, order) = try Self.chunk(records)
    check(chunk, order)
  }

  @Test("names compare by their text, not by their first appearance") func names() throws {
    for swapped in [false, true] {
      var names = FieldNames()
      if swapped { _ = names.number(of: "z") }
      let chunk = try BuilderSupport.chunk(
        [[("k", .string, "x"), ("a", .string, "1")], [("k", .string, "x"), ("z", .string, "1")]], template: "{k}",
        names: &names)
      #expect(RecordOrder(names: names).compare(chunk.record(0), chunk.record(1)) < 0)
    }
  }
}
