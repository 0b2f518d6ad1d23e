import TestSupport
import Testing

import ShardBuilder

@Suite("Dataset: CSV, TSV and GeoNames dumps") struct DatasetDelimitedTests {
  /// Content, its records with bad ones skipped, and the places of the bad ones.
  static let csvFiles: [(String, String, [String])] = [
    ("a,b\n1,2\n", #"a="1" b="2""#, []),
    ("a,b\n1,2", #"a="1" b="2""#, []),
    ("a,b\r\n1,2\r\n3,4\r\n", #"a="1" b="2"; a="3" b="4""#, []),
    ("<ef><bb><bf>a,b\n1,2\n", #"a="1" b="2""#, []),
    ("<ef><bb><bf>\"a\",b\n1,2,3\n", "", ["2:1"]),
    ("a,b\n,\n", #"a="" b="""#, []),
    ("a,b\n\"\",\"\"\n", #"a="" b="""#, []),
    ("a,b\n\"1,2\",\"3\n4\"\n", "a=\"1,2\" b=\"3\n4\"", []),
    ("a,b\n\"1\r\n2\",3\r\n", "a=\"1\r\n2\" b=\"3\"", []),
    ("a,b\n\"1\r2\",3\r\n", "a=\"1\r2\" b=\"3\"", []),
    ("a,b\n\"say \"\"hi\"\"\",\"\"\"\"\n", #"a="say "hi"" b=""""#, []),
    ("a,b\n\"\"\"\",\"x\"\"\"\"y\"\n", #"a=""" b="x""y""#, []),
    ("a,b\n 1 , 2 \n", #"a=" 1 " b=" 2 ""#, []),
    ("a,b\n1;2,\\n\n", #"a="1;2" b="\n""#, []),
    ("a,b\nZürich,東京\n", #"a="Zürich" b="東京""#, []),
    ("\"a,x\",\"b\"\"y\"\n1,2\n", #"a,x="1" b"y="2""#, []),
    ("a,b\n\n1,2\n\n\r\n3,4\n\n", #"a="1" b="2"; a="3" b="4""#, []),
    ("\n\na,b\n1,2\n", #"a="1" b="2""#, []),
    ("a\n1\n\n2\n\"\"\n", #"a="1"; a=""; a="2"; a="""#, []),
    ("a,b\n", "", []),
    ("a,b", "", []),
    ("a,b\n1\n2,3\n", #"a="2" b="3""#, ["2:1"]),
    ("a,b\n1,2,3\n4,5\n", #"a="4" b="5""#, ["2:1"]),
    ("a,b\n1,\n", #"a="1" b="""#, []),
    ("a,b\n1,2,\n", "", ["2:1"]),
    ("a,b\n1,\"2\" \n3,4\n", #"a="3" b="4""#, ["2:6"]),
    ("a,b\n1,\"2\"x\"\n3,4\n", #"a="3" b="4""#, ["2:6"]),
    ("a,b\n1,2\"x\n3,4\n", #"a="3" b="4""#, ["2:4"]),
    ("a,b\n1, \"2\"\n3,4\n", #"a="3" b="4""#, ["2:4"]),
    ("a,b\n1,\"2\n3,4\n", #"a="3" b="4""#, ["2:3"]),
    ("a,b\n1,\"2\n3,4\n5,\"6\"\n", #"a="3" b="4"; a="5" b="6""#, ["4:4"]),
    ("a,b\n1,2\n3,\"", #"a="1" b="2""#, ["3:3"]),
    ("a,b\n1,\"x\ny\"\n3\n", "a=\"1\" b=\"x\ny\"", ["4:1"]),
    ("a,b\n1\r2,3\n4,5\n", #"a="4" b="5""#, ["2:2"]),
    ("a,b\n1,<ff>\n4,5\n", #"a="4" b="5""#, ["2:3"]),
    ("a,b\né,<c3>\n\"\n<80>\",1\n4,5\n", #"a="4" b="5""#, ["2:4", "4:1"]),
    ("a,b\n1,x<00>y\n", "a=\"1\" b=\"x\0y\"", []),
    ("a.b,a.c\n1,2\n", #"a.b="1" a.c="2""#, []),
    ("a,a.c\n1,2\n", #"a="1" a\.c="2""#, []),
    ("No.,..,x\\y,x\\.y\n1,2,3,4\n", #"No\.="1" \.\.="2" x\\y="3" x\.y="4""#, []),
    ("é,e\u{301}\n1,2\n", "é=\"1\" e\u{301}=\"2\"", []),
  ]

  @Test("CSV files give their records and the places of bad ones", arguments: csvFiles)
  func csv(content: String, text: String, places: [String]) throws {
    for block in Array(1...20) + [1 << 16] {
      let answer = try readingDataset(content, .csv, skipBad: true, block: block)
      #expect(answer.error == nil)
      #expect(answer.text == text, "block \(block)")
      #expect(answer.places == places, "block \(block)")
      let strict = try readingDataset(content, .csv, block: block)
      // A reader may find an open quote only some records later.
      #expect(strict.places == Array(places.prefix(1)))
      #expect(!strict.isMalformed)
    }
  }

  @Test(
    "a wrong header is refused with its place",
    arguments: [
      ("", "1:1"), ("\n\n", "3:1"), ("a,,b\n", "1:1"), ("a,b,\n", "1:1"), ("a,a\n", "1:1"),
      ("\"a\n1,2\n", "1:1"),
      ("a\r1\r2\r", "1:2"), ("a,<ff>\n1,2\n", "1:3"), ("a\"b\n", "1:2"), ("No.,No\\.\n1,2\n", "1:1"),
      (String(repeating: "x,", count: 100_000) + "\n", "1:1"),
    ])
  func header(content: String, place: String) throws {
    for block in content.count > 1000 ? [1 << 16] : [1, 2, 1 << 16] {
      let answer = try readingDataset(content, .csv, skipBad: true, block: block)
      #expect(answer.isMalformed && answer.places == [place])
    }
  }

  @Test("named columns replace a header")
  func columns() throws {
    let csv = try readingDataset("1,2\n3,4\n", .csv, columns: ["a", "b.c"])
    #expect(csv.text == #"a="1" b.c="2"; a="3" b.c="4""#)
    #expect(csv.names == ["a", "b.c"])
    #expect(
      try readingDataset("", .csv, columns: ["a"]) == readingDataset("", .csv, columns: ["a"], block: 1))
    #expect(try readingDataset("", .csv, columns: ["a"]).error == nil)
    for columns in [[], ["a", "a"], ["a", ""]] {
      guard case .unusable = try readingDataset("1,2\n", .csv, columns: columns).error else {
        Issue.record("\(columns) were accepted")
        continue
      }
    }
    guard case .unusable = try readingDataset("[]", .json, columns: ["a"]).error else {
      Issue.record("columns were accepted for JSON")
      return
    }
  }

  static let tsvFiles: [(String, Bool?, String, [String])] = [
    ("a\tb\n1\t2\n", nil, #"a="1" b="2""#, []),
    ("a\tb\n1\t2", nil, #"a="1" b="2""#, []),
    ("a\tb\r\n1\t2\r\n\t\r\n", nil, #"a="1" b="2"; a="" b="""#, []),
    ("a\tb\n\n1\t2\n\n", nil, #"a="1" b="2""#, []),
    ("a\n1\n\n2\n", nil, #"a="1"; a=""; a="2""#, []),
    ("a\tb\n\"1\t2\"\n", nil, #"a=""1" b="2"""#, []),
    ("a\tb\n1,2\t x \n", nil, #"a="1,2" b=" x ""#, []),
    ("a\tb\nx\\\ty\\ukundapuram\n", nil, #"a="x\" b="y\ukundapuram""#, []),
    ("a\tb\nC:\\temp\\new\t\\\\\n", nil, #"a="C:\temp\new" b="\\""#, []),
    ("a\tb\nC:\\temp\\new\t\\\\\n", false, #"a="C:\temp\new" b="\\""#, []),
    ("a\tb\nC:\\temp\\new\t\\\\\\t\\r\n", true, "a=\"C:\temp\new\" b=\"\\\t\r\"", []),
    ("a\tb\n1\t\\x\n2\t\\\n3\t4\n", true, #"a="3" b="4""#, ["2:3", "3:3"]),
    ("#escapes: \\t \\n \\r \\\\\na\tb\n\\t\t\\\\\n", nil, "a=\"\t\" b=\"\\\"", []),
    ("#escapes: \\t \\n \\r \\\\\r\na\tb\r\n\\n\t\\\\x\r\n", nil, "a=\"\n\" b=\"\\x\"", []),
    (
      "#escapes: \\t \\n \\r \\\\\n\\ta\\x\n1", false,
      "#escapes: \\\\t \\\\n \\\\r \\\\\\\\=\"\\ta\\x\"; #escapes: \\\\t \\\\n \\\\r \\\\\\\\=\"1\"", []
    ),
    ("a\tb\n1\r\t2\r\r\n", nil, "a=\"1\r\" b=\"2\r\"", []),
    ("a\tb\n1\n1\t2\t3\n1\t2\n", nil, #"a="1" b="2""#, ["2:1", "3:1"]),
    ("a\tb\n東京\t<e6><9d>\n<ed><a0><80>\t\n1\t2\n", nil, #"a="1" b="2""#, ["2:8", "3:1"]),
    ("<ef><bb><bf>a\tb\n<ef><bb><bf>1\t2\n", nil, "a=\"\u{FEFF}1\" b=\"2\"", []),
  ]

  @Test("TSV files give their records and the places of bad ones", arguments: tsvFiles)
  func tsv(content: String, escapes: Bool?, text: String, places: [String]) throws {
    for block in Array(1...20) + [1 << 16] {
      let answer = try readingDataset(content, .tsv, skipBad: true, block: block) { $0.tsvEscapes = escapes }
      #expect(answer.error == nil)
      #expect(answer.text == text, "block \(block)")
      #expect(answer.places == places, "block \(block)")
    }
  }

  @Test("the line that announces escapes is no record, also with named columns")
  func escapesAndColumns() throws {
    let content = DatasetReader.tsvEscapesLine + "\nx\\ty\n"
    #expect(try readingDataset(content, .tsv, columns: ["a"]).text == "a=\"x\ty\"")
    #expect(try readingDataset(DatasetReader.tsvEscapesLine, .tsv, columns: ["a"]).records.isEmpty)
    #expect(try readingDataset("\\t\n", .tsv, columns: ["a"]).text == #"a="\t""#)
  }

  @Test("the error for a TSV header with lone carriage returns names them")
  func carriageReturns() throws {
    for content in ["a\tb\r1\t2\r3\t4", "a\rb", "a\rb\n1\n"] {
      let answer = try readingDataset(content, .tsv)
      #expect(answer.isMalformed && answer.fault?.reason.contains("carriage returns") == true)
    }
  }

  static let place =
    "3039163\tSant Julià\tSant Julia\tSan Julia,\"x\t42.46\t1.49\tP\tPPLA\tAD\t\t06\t\t\t\t8022\t\t1045\tEurope/Andorra\t2008-10-15"

  @Test("a GeoNames dump has its own columns, and is known by its first line")
  func geonames() throws {
    for (format, suffix) in [
      (DatasetFormat.geonames, ""), (nil, ".txt"), (nil, ".tsv"), (nil, ""), (nil, ".txt.gz"),
    ] {
      let answer = try readingDataset(
        Self.place + "\n\(Self.place)\r\n1\t2\n", format, skipBad: true, suffix: suffix)
      #expect(answer.format == .geonames)
      #expect(answer.names == DatasetFormat.geonamesColumns)
      #expect(answer.records.count == 2 && answer.badCount == 1)
      #expect(answer.records.first?[3].description == #"alternatenames="San Julia,"x""#)
      #expect(answer.records.last?[18].description == #"modification date="2008-10-15""#)
    }
    let columns = (0..<19).map { "c\($0)" }
    #expect(try readingDataset(Self.place, nil, columns: columns, suffix: ".txt").format == .tsv)
  }

  static let formatCases: [(String, String, DatasetFormat?)] = [
    ("[]", "", .json), (" \n[{}]", ".txt", .json), ("[]", ".json", .json), ("{}", "", .jsonl),
    ("{}", ".json", .json),
    ("{}\n{}\n", ".json", .jsonl), ("{\n\"a\":[]}", ".json", .json), ("[]", ".jsonl", .jsonl),
    ("[]", ".NDJSON", .jsonl),
    ("a\tb", ".csv", .csv), ("a,b", ".tsv", .csv), ("a\tb\n", "", .tsv), ("a,b\n", "", .csv),
    ("a,b\tc\n", ".txt", .tsv),
    ("a,b\n", ".csv.gz", .csv), ("a\n", ".tsv.zst", .tsv), ("a,b", ".gz", .csv), ("abc", "", .lines),
    ("a<00>c", "", nil),
    ("", "", nil), ("abc", ".txt.zst", .lines), ("a;b\n1;2", "", .csv), ("a|b\n1|2", ".txt", .csv),
    ("a;b\n1", "", .lines), ("{\"a\":1}{\"a\":2}", "", .json), ("{\n\"a\":1}", "", .json),
    ("{\"type\":\"FeatureCollection\",\"features\":[]}", ".json", .geojson),
    ("{\"type\":\"Feature\",\"geometry\":null}", ".jsonl", .geojson), ("", ".geojsonl", .geojson),
    ("", ".csv", .csv), ("<ef><bb><bf>[]", "", .json), ("<ef><bb><bf>{}", "", .jsonl),
  ]

  @Test("the format is found by name, then by content", arguments: formatCases)
  func formats(content: String, suffix: String, format: DatasetFormat?) throws {
    let answer = try readingDataset(content, nil, suffix: suffix)
    #expect(answer.format == format)
    if format == nil {
      switch answer.error {
      case .unknownFormat: #expect(content.contains("<00>"))
      case .empty: #expect(content.isEmpty)
      default: Issue.record("\(String(describing: answer.error))")
      }
    }
  }

  @Test(
    "the error for another encoding names it",
    arguments: [
      ("<ff><fe>[<00>]<00>", "UTF-16LE"), ("<fe><ff><00>[<00>]", "UTF-16BE"), ("[<00>]<00>", "UTF-16LE"),
      ("<00>[<00>]", "UTF-16BE"), ("<ff><fe><00><00>[<00><00><00>", "UTF-32LE"),
      ("<00><00><fe><ff><00><00><00>[", "UTF-32BE"),
      ("a<00>,<00>b<00>\n<00>", "UTF-16LE"),
    ])
  func encodings(content: String, name: String) throws {
    for format in [nil, DatasetFormat.json, .csv] {
      guard case .unusable(_, let reason) = try readingDataset(content, format).error else {
        Issue.record("accepted")
        continue
      }
      #expect(reason.description.hasPrefix("is text in \(name); "))
    }
  }

  @Test("a row above the limit is bad with every block size")
  func tooBig() throws {
    let long = String(repeating: "x", count: 1000)
    for block in [1, 100, 999, 1001, 1 << 16] {
      for (format, bad) in [
        (DatasetFormat.tsv, "\(long)\t2"), (.csv, "\(long),2"), (.csv, "\"\(long)\",\"2\""),
        (.csv, "\"\n\(long)\n\",2"),
      ] {
        let comma = format == .csv ? "," : "\t"
        let content = "a\(comma)b\n1\(comma)2\n\(bad)\n3\(comma)4\n"
        let answer = try readingDataset(content, format, skipBad: true, block: block) {
          $0.recordLimitBytes = 1000
        }
        #expect(answer.error == nil)
        #expect(answer.text == #"a="1" b="2"; a="3" b="4""#)
        #expect(answer.places.first == "3:1")
      }
    }
    let header = try readingDataset("\(long)\n1\n", .tsv, block: 100) { $0.recordLimitBytes = 900 }
    #expect(header.isMalformed)
  }

  @Test("random rows are read back from CSV and from TSV with escapes", arguments: UInt64(1)...20)
  func roundTrips(seed: UInt64) throws {
    var random = DatasetRandom(state: seed)
    let pieces = [
      "a", "é", "東京", "\"", "\"\"", ",", "\n", "\r", "\r\n", "\t", "\\", "\\n", " ",
      "longer text without any", "😀",
    ]
    let columns = Int.random(in: 2...9, using: &random)
    let rows = (0..<60).map { _ in
      (0..<columns).map { _ in
        (0..<Int.random(in: 0...6, using: &random)).map { _ in pieces.randomElement(using: &random)! }
          .joined()
      }
    }
    let header = (0..<columns).map { "c\($0)" }
    func expected(_ answer: DatasetAnswer) -> Bool {
      answer.error == nil
        && answer.records.map {
          $0.map { String(decoding: $0.text, as: UTF8.self).unicodeScalars.map(\.value) }
        }
          == rows.map { $0.map { $0.unicodeScalars.map(\.value) } }
    }
    let csv = ([header] + rows).map { row in
      row.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: ",")
    }.joined(separator: "\r\n")
    let tsv = ([header] + rows).map { row in
      row.map { cell in
        String(
          String.UnicodeScalarView(
            cell.unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
              switch scalar {
              case "\t": ["\\", "t"]
              case "\n": ["\\", "n"]
              case "\r": ["\\", "r"]
              case "\\": ["\\", "\\"]
              default: [scalar]
              }
            }))
      }.joined(separator: "\t")
    }.joined(separator: "\n")
    for block in [1, 2, 3, 5, 8, 13, 64, 1000, 1 << 16] {
      #expect(expected(try readingDataset(csv, .csv, block: block)), "CSV, seed \(seed), block \(block)")
      #expect(
        expected(try readingDataset(DatasetReader.tsvEscapesLine + "\n" + tsv, .tsv, block: block)),
        "TSV, seed \(seed)")
    }
  }
}
