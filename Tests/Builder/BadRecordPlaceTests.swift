import TestSupport
import Testing

import ShardBuilder

/// A record that reads well but cannot be indexed is named as one that does not read: file, line, column.
@Suite("Places of records that cannot be indexed") struct BadRecordPlaceTests {
  private static let long = String(repeating: "k", count: 70_000)

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    /// Line, column and number of each bad record.
    var places: [(Int, Int, Int)]
    var key = "{name}"
    var columns: [String]?
    var testDescription: String { name }
  }

  private static let geonames = (0..<6).map { row in
    let name = row == 3 ? long : "n\(row)"
    return "\(row)\t\(name)\tascii\t\t47.\(row)\t8.5\tP\tPPL\t\tCH\t\t\t\t\t100\t\t5\tEurope/Zurich\t2020-01-01"
  }.joined(separator: "\n")

  static let cases = [
    Case(
      name: "a.json",
      text: "\u{FEFF}[{\"name\":1}, {\"x\":[\"\\n\"]},\n\n  {\"name\":{}},{}\n,{\"name\":\"\(long)\"}, {\"name\":2}]",
      places: [(1, 14, 2), (3, 3, 3), (3, 15, 4), (4, 2, 5)]),
    Case(
      name: "a.jsonl", text: "{\"x\":1}\n\n  {\"name\":1}\r\n  {\"y\":\"\\u00e9\"}\n{\"name\":\"\(long)\"}",
      places: [(1, 1, 1), (4, 3, 3), (5, 1, 4)]),
    Case(
      name: "a.csv",
      text: "name,note\r\n\"a\nb\",\"1\n2\n\"\r\n\n\"\(long)\",\"x\"\"\"\r\nc,d\r\n\"\(long)\n\",\n",
      places: [(7, 1, 2), (9, 1, 4)]),
    Case(name: "a.tsv", text: "name\tnote\na\tb\n\(long)\tc\n\nd\te\n\(long)\t", places: [(3, 1, 2), (6, 1, 4)]),
    Case(
      name: "b.tsv", text: "a\tb\n\(long)\tc\nd\te\n", places: [(2, 1, 2)], columns: ["name", "note"]),
    Case(
      name: "e.tsv", text: "\(DatasetReader.tsvEscapesLine)\nname\tnote\na\\nb\tb\n\(long)\\n\tc\n", places: [(4, 1, 2)]
    ),
    Case(name: "a.txt", text: geonames, places: [(4, 1, 4)]),
  ]

  private static func options(_ test: Case, jobs: Int = 2, memory: Int = 256 << 20) -> BuildOptions {
    var options = BuildOptions()
    (options.level, options.jobs, options.memoryBytes) = (1, jobs, memory)
    (options.key, options.columns) = (test.key, test.columns)
    return options
  }

  @Test("places are right in every format, compressed or not", arguments: cases) func formats(test: Case) throws {
    let directory = TemporaryDirectory()
    for (suffix, bytes) in [
      ("", Array(test.text.utf8)), (".gz", datasetGzip(Array(test.text.utf8))),
      (".zst", datasetZstd(Array(test.text.utf8))),
    ] {
      let input = directory.write(bytes, to: test.name + suffix)
      let expected = test.places.map { "\(input):\($0.0):\($0.1): record \($0.2): " }
      var options = Self.options(test)
      let error = #expect(throws: BuildError.self) {
        _ = try ShardBuilder.build([input], into: directory("strict"), options: options)
      }
      guard case .dataset(.bad, let message) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(message.description.hasPrefix(expected[0]), "\(message)")
      options.skipBad = true
      let summary = try ShardBuilder.build([input], into: directory("skipped"), options: options)
      #expect(summary.badRecords.count == expected.count)
      for (bad, place) in zip(summary.badRecords, expected) { #expect(bad.hasPrefix(place), "\(bad)") }
      #expect(summary.recordsIndexed == summary.recordsRead - summary.badRecordCount)
    }
  }

  @Test("places far into the dataset are right, with any memory and threads") func far() throws {
    let directory = TemporaryDirectory()
    var lines = (0..<30_000).map { "{\"name\":\"n\($0)\",\"v\":\"\(String(repeating: "v", count: $0 % 90))\"}" }
    lines[3] = "[]"
    lines[21_000] = "   {\"v\":1}"
    lines[21_001] = "{"
    lines[25_000] = " {}"
    for (name, text, column) in [
      ("a.jsonl", lines.joined(separator: "\n"), 4), ("a.json", "[\(lines.joined(separator: ",\n"))]", 4),
    ] {
      // In an array the open brace ends the reading.
      let isArray = name == "a.json"
      let input = directory.write(isArray ? text.replacing("\n{,\n", with: "\n5,\n") : text, to: name)
      for (jobs, memory) in [(1, 256 << 20), (4, 1 << 20), (3, 64 << 10)] {
        var options = Self.options(Case(name: name, text: "", places: []), jobs: jobs, memory: memory)
        options.skipBad = true
        let summary = try ShardBuilder.build([input], into: directory("\(name)\(jobs)"), options: options)
        let places = summary.badRecords.map { $0.dropFirst(input.count).prefix { $0 != " " } }
        if isArray {
          #expect(places == [":4:1:", ":21001:\(column):", ":21002:1:", ":25001:2:"], "\(places)")
          #expect(summary.badRecords.last!.contains(" record 25001: "))
        } else {
          #expect(places == [":4:1:", ":21001:\(column):", ":21002:2:", ":25001:2:"], "\(places)")
          #expect(summary.badRecords.last!.contains(" record 25001: "))
        }
      }
    }
  }

  @Test("the first fault in the file is reported, whichever thread finds it", arguments: [1, 2, 5])
  func first(jobs: Int) throws {
    let directory = TemporaryDirectory()
    func message(_ lines: [String], _ memory: Int) -> String {
      let input = directory.write(lines.joined(separator: "\n"), to: "a.jsonl")
      do throws(BuildError) {
        _ = try ShardBuilder.build(
          [input], into: directory("index"),
          options: Self.options(Case(name: "", text: "", places: []), jobs: jobs, memory: memory))
        return "built"
      } catch {
        return String("\(error)".dropFirst(input.count).prefix { $0 != " " })
      }
    }
    let good = (0..<20_000).map { "{\"name\":\"n\($0)\"}" }
    for memory in [64 << 10, 1 << 20, 256 << 20] {
      // Faults in one batch, in neighbouring batches, far apart.
      for (flaw, fault) in [(5, 6), (5, 15_000), (19_000, 19_999), (0, 1), (8000, 8001)] {
        var lines = good
        (lines[flaw], lines[fault]) = ("{\"x\":1}", "{\"name\":}")
        #expect(message(lines, memory) == ":\(flaw + 1):1:", "\(flaw), \(fault), \(memory)")
        (lines[flaw], lines[fault]) = (lines[fault], lines[flaw])
        #expect(message(lines, memory) == ":\(flaw + 1):9:", "\(flaw), \(fault), \(memory)")
      }
    }
  }

  @Test("the error for a record without a key names the template's fields and the record's") func missing() throws {
    let directory = TemporaryDirectory()
    let input = directory.write("[{\"name\":\"a\",\"at\":{\"x\":1}},{},{\"only\":1}]", to: "a.json")
    func message(_ key: String) -> String {
      let test = Case(name: "", text: "", places: [], key: key)
      do throws(BuildError) {
        _ = try ShardBuilder.build([input], into: directory("index"), options: Self.options(test))
        return "built"
      } catch {
        return String("\(error)".dropFirst(input.count))
      }
    }
    #expect(
      message("{nme}")
        == ":1:2: record 1: lacks the field \"nme\" of the key {nme}; it has \"name\" and \"at.x\"")
    #expect(
      message("{name}, {at.x}")
        == ":1:28: record 2: lacks the fields \"name\" and \"at.x\" of the key {name}, {at.x}; "
        + "it has no fields; leave such records out with BuildOptions.skipBad")
    // A template with a field that no record has is no fault of the records, and gives no empty index.
    var options = Self.options(Case(name: "", text: "", places: [], key: "{nme}"))
    options.skipBad = true
    #expect(throws: BuildError.unknownField("nme", setting: .key, inputs: [input], fields: ["name", "at.x", "only"])) {
      _ = try ShardBuilder.build([input], into: directory("index"), options: options)
    }
  }

  @Test("a reader knows the place of each record, wherever blocks end", arguments: [1, 7, 64, 4096])
  func places(block: Int) throws {
    var random = DatasetRandom(state: UInt64(block))
    for format in [DatasetFormat.jsonl, .csv, .json] {
      var text = format == .csv ? "k,v\r\n" : format == .json ? "[\n" : ""
      var expected: [String] = []
      var number = 0
      for row in 0..<300 {
        let isBad = Int.random(in: 0..<5, using: &random) == 0
        if format != .json, row % 9 == 4 { text += "\n" }
        if format == .json, row > 0 { text += row % 3 == 0 ? ",\n\n " : " , " }
        let column =
          text.utf8.count
          - (text.utf8.lastIndex(of: 0x0A).map { text.utf8.distance(from: text.startIndex, to: $0) } ?? -1)
        number += 1
        if !isBad {
          expected.append("\(text.utf8.count { $0 == 0x0A } + 1):\(column):\(number)")
        }
        let value = String(repeating: "é", count: Int.random(in: 0..<20, using: &random))
        switch format {
        case .csv: text += isBad ? "1,2,3\n" : row % 2 == 0 ? "\"\n\(value)\n\",\"\"\"\"\r\n" : "\(row),\(value)\n"
        case .json: text += isBad ? "[\(row)]" : "{\"k\":\"\\n\(value)\",\"v\":[1, 2]}"
        default: text += (isBad ? "{\"k\":\(row)" : "{\"k\":\"\\t\(value)\"}") + "\n"
        }
      }
      if format == .json { text += "]" }
      let file = try DatasetFile(text.utf8)
      var options = DatasetOptions(format: format, skipBad: true)
      options.blockSizeBytes = block
      let reader = try DatasetReader(path: file.path, options: options)
      var batch = RecordBatch()
      var found: [String] = []
      while try reader.read(into: &batch) {
        for index in batch.recordEnds.indices {
          let place = batch.place(of: index)
          found.append("\(place.line):\(place.column):\(place.record)")
        }
      }
      #expect(found == expected, "\(format)")
      #expect(reader.recordsRead + reader.badCount == 300)
    }
  }
}
