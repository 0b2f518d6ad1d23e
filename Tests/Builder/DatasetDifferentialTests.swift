import Foundation
import TestSupport
import Testing

import ShardBuilder

/// Random JSON, right and spoiled, compared with Foundation's JSONDecoder.
///
/// Foundation is no strict reader. The documents here avoid its differences (a NUL, a name twice, deep nesting, a byte
/// order mark), or a test names the difference.
@Suite("Dataset: JSON against JSONDecoder") struct DatasetDifferentialTests {
  indirect enum Value: Decodable, Equatable {
    case object([String: Value])
    case array([Value])
    case string(String)
    case number(Double)
    case bool(Bool)
    case null

    struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      if let container = try? decoder.container(keyedBy: Key.self) {
        self = .object(
          try Dictionary(
            uniqueKeysWithValues: container.allKeys.map {
              ($0.stringValue, try container.decode(Value.self, forKey: $0))
            }))
      } else if var container = try? decoder.unkeyedContainer() {
        var values: [Value] = []
        while !container.isAtEnd { values.append(try container.decode(Value.self)) }
        self = .array(values)
      } else {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
          self = .null
        } else if let bool = try? container.decode(Bool.self) {
          self = .bool(bool)
        } else if let number = try? container.decode(Double.self) {
          self = .number(number)
        } else {
          self = .string(try container.decode(String.self))
        }
      }
    }

    /// The fields that a record of this object has, by path.
    func flattened(_ path: String? = nil) -> [String: Value] {
      guard case .object(let members) = self, !members.isEmpty || path == nil else { return [path!: self] }
      return members.reduce(into: [:]) { fields, member in
        let step = FieldPath.step(member.key)
        fields.merge(member.value.flattened(path.map { "\($0).\(step)" } ?? step)) { _, _ in
          preconditionFailure()
        }
      }
    }
  }

  struct Generator {
    var random: DatasetRandom
    static let names = [
      "a", "b", "name", "é", "a.b", "\\\\", "\\\"", "\\u0041", "a name of over sixteen bytes", "x",
    ]
    static let texts = [
      "", "a", "plain text", "é東京😀", "\\n\\t\\r\\b\\f\\/", "\\\\", "\\\"", "\\u00e9", "\\ud83d\\ude00",
      "{}[],:", "\u{7f}", "//",
      "12345678", "1234567é", "1234567\\\\",
    ]
    static let numbers = [
      "0", "-0", "1", "-17", "0.5", "3.25", "1e3", "1E-3", "-2.5e+2", "1234567890", "0.1", "9007199254740993",
    ]

    mutating func pick(_ options: [String]) -> String { options.randomElement(using: &random)! }
    mutating func space() -> String {
      Int.random(in: 0..<6, using: &random) == 0 ? pick([" ", "\n", "\t", "\r\n", "  "]) : ""
    }
    mutating func count() -> Int { Int.random(in: 0...5, using: &random) }

    mutating func object(_ depth: Int) -> String {
      var seen: Set<String> = []
      var members: [String] = []
      for _ in 0..<count() {
        let name = pick(Self.names) + (Bool.random(using: &random) ? "" : pick(["1", "2"]))
        guard seen.insert(name).inserted else { continue }
        members.append("\(space())\"\(name)\"\(space()):\(space())\(value(depth - 1))\(space())")
      }
      return "{" + members.joined(separator: ",") + (members.isEmpty ? space() : "") + "}"
    }

    mutating func value(_ depth: Int) -> String {
      switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &random) {
      case 0, 1, 2:
        let texts = (0..<Int.random(in: 1...3, using: &random)).map { _ in pick(Self.texts) }
        return "\"" + texts.joined() + "\""
      case 3, 4, 5: return pick(Self.numbers)
      case 6: return pick(["true", "false", "null"])
      case 7, 8: return object(depth)
      default:
        let elements = (0..<count()).map { _ in space() + value(depth - 1) + space() }
        return "[" + elements.joined(separator: ",") + "]"
      }
    }

    mutating func document() -> [UInt8] {
      let records = (0..<Int.random(in: 0...4, using: &random)).map { _ in space() + object(4) + space() }
      return Array((space() + "[" + records.joined(separator: ",") + "]" + space()).utf8)
    }

    /// A document with a byte or two changed, taken out, put in or moved.
    mutating func spoiled(_ document: [UInt8]) -> [UInt8] {
      var bytes = document
      let alphabet = Array("{}[]:,\"\\ \n0123456789.-+eEtrufalsn/x'\u{1}é".utf8) + [0x80, 0xC3, 0xFF, 0xED]
      for _ in 0..<Int.random(in: 1...2, using: &random) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = alphabet.randomElement(using: &random)!
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(alphabet.randomElement(using: &random)!, at: index)
        default: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &random))
        }
      }
      return bytes
    }
  }

  @Test("both readers find the same values in right documents", arguments: UInt64(1)...8)
  func values(seed: UInt64) throws {
    var generator = Generator(random: DatasetRandom(state: seed))
    for round in 0..<60 {
      let document = generator.document()
      let text = String(decoding: document, as: UTF8.self)
      let decoded = try JSONDecoder().decode([Value].self, from: Data(document))
      let file = try DatasetFile(document)
      var options = DatasetOptions(format: .json)
      options.blockSizeBytes = round % 3 == 0 ? Int.random(in: 1...40, using: &generator.random) : 1 << 16
      let answer = DatasetAnswer.reading(path: file.path, options)
      #expect(answer.error == nil, "seed \(seed): \(text)")
      let fields = try answer.records.map { record in
        try record.reduce(into: [String: Value]()) { fields, field in
          let text = Data(field.text)
          fields[field.name] =
            field.kind == .string
            ? .string(String(decoding: field.text, as: UTF8.self))
            : try JSONDecoder().decode(Value.self, from: text)
        }
      }
      #expect(fields == decoded.map { $0.flattened() }, "seed \(seed): \(text)")
    }
  }

  @Test("both readers agree whether a spoiled document is wrong", arguments: UInt64(1)...8)
  func verdicts(seed: UInt64) throws {
    var generator = Generator(random: DatasetRandom(state: seed &+ 1000))
    var refused = 0
    for _ in 0..<250 {
      let document = generator.spoiled(generator.document())
      let text = String(decoding: document, as: UTF8.self)
      let decoded: [[String: Value]]?
      do {
        decoded = try JSONDecoder().decode([Value].self, from: Data(document)).map {
          value -> [String: Value] in
          guard case .object = value else { throw CocoaError(.coderInvalidValue) }
          return value.flattened()
        }
      } catch {
        decoded = nil
      }
      let file = try DatasetFile(document)
      let answer = DatasetAnswer.reading(path: file.path, DatasetOptions(format: .json))
      if decoded == nil { refused += 1 }
      guard (answer.error == nil) != (decoded != nil) else { continue }
      // The library alone refuses a name twice and invalid UTF-8 in places that Foundation skips. Foundation alone
      // accepts a trailing comma.
      let reason = answer.fault?.reason ?? ""
      let known =
        reason.contains("stands twice") || reason.contains("not UTF-8") || reason.contains("surrogate")
        || reason.hasPrefix("expected a member's name in quotes, found '}'")
        || reason.hasPrefix("expected a value, found ']'")
      #expect(
        known, "seed \(seed): ours \(String(describing: answer.error)), Foundation \(decoded != nil): \(text)"
      )
    }
    #expect(refused > 50)
  }

  @Test("random bytes do no harm", arguments: UInt64(1)...6)
  func noise(seed: UInt64) throws {
    var random = DatasetRandom(state: seed)
    let alphabet =
      Array("{}[]:,\"\\ \n\r\t0123456789.-eEtrufalsn/x'abu".utf8) + [0, 1, 0x80, 0xC3, 0xE2, 0xF0, 0xFF]
    for _ in 0..<150 {
      let bytes = (0..<Int.random(in: 0...120, using: &random)).map { _ in
        alphabet.randomElement(using: &random)!
      }
      let file = try DatasetFile([0x5B] + bytes)
      for format in DatasetFormat.allCases {
        var answers: [DatasetAnswer] = []
        for block in [1, 9, 1 << 16] {
          var options = DatasetOptions(format: format, skipBad: true)
          options.blockSizeBytes = block
          var answer = DatasetAnswer.reading(path: file.path, options)
          // The number of records before an error depends on the blocks.
          if answer.error != nil { (answer.records, answer.names) = ([], []) }
          // So does the advice, which looks at the bytes read behind the fault.
          if case .malformed(var record) = answer.error {
            record.advice = ""
            answer.error = .malformed(record)
          }
          answers.append(answer)
        }
        #expect(answers[0] == answers[1] && answers[1] == answers[2], "\(format): \(bytes)")
      }
    }
  }
}
