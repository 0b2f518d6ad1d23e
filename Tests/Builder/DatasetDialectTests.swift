import TestSupport
import Testing

import ShardBuilder

/// A file in an unusual dialect of its format reads as the same file in the usual one, wherever blocks end.
@Suite("Dataset: dialects") struct DatasetDialectTests {
  private static let blocks = [1, 2, 3, 5, 8, 13, 64, 1000, 1 << 16]
  private static let pieces = [
    "a", "é", "東京", "\"", ",", ";", "|", "\t", "\n", "\r\n", "\\", "\\N", " ", "# x", "longer text without any", "😀",
  ]

  private static func rows(_ random: inout DatasetRandom, columns: Int) -> [[String]] {
    (0..<40).map { _ in
      (0..<columns).map { _ in
        (0..<Int.random(in: 0...4, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined()
      }
    }
  }

  private static func quoted(_ text: String) -> String { "\"\(text.replacing("\"", with: "\"\""))\"" }

  private static func csv(_ rows: [[String]], _ delimiter: String) -> String {
    rows.map { $0.map(quoted).joined(separator: delimiter) + "\n" }.joined()
  }

  @Test("the delimiter is the given one, or that of the first line", arguments: UInt64(1)...8)
  func delimiters(seed: UInt64) throws {
    var random = DatasetRandom(state: seed)
    let rows = [["x", "y", "z"]] + Self.rows(&random, columns: 3)
    let expected = try readingDataset(Self.csv(rows, ","), .csv)
    #expect(expected.records.count == 40)
    for delimiter in [",", ";", "|", "\t", "^"] {
      for block in Self.blocks {
        let said = try readingDataset(Self.csv(rows, delimiter), .csv, block: block) {
          $0.dialect.delimiter = delimiter.utf8.first
        }
        #expect(said == expected, "\(delimiter) \(block)")
        guard delimiter != "^" else { continue }
        // Also headers without quotes.
        let plain = ["x", "y", "z"].joined(separator: delimiter) + "\n" + Self.csv(Array(rows.dropFirst()), delimiter)
        #expect(try readingDataset(plain, .csv, block: block) == expected, "\(delimiter) \(block)")
      }
    }
  }

  @Test("delimiters behind a quote within quotes make no other line the header")
  func quotesWithinQuotes() throws {
    let text = "\"name\"\n\"plain\"\n\"\"\"a, b\"\"\"\n\"c \"\"d, e\"\"\"\n"
    let answer = try readingDataset(text, .csv)
    #expect(answer.records.count == 3)
  }

  @Test("comment lines and lines above the header are no records", arguments: UInt64(1)...8)
  func remarks(seed: UInt64) throws {
    var random = DatasetRandom(state: seed)
    let rows = [["x", "y"]] + Self.rows(&random, columns: 2)
    let expected = try readingDataset(Self.csv(rows, ","), .csv)
    var text = "title, \"\n\n#not a remark\n"
    for row in rows {
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        text += "//\(row[0].filter { $0 != "\n" && $0 != "\r\n" })\n"
      }
      text += Self.csv([row], ",")
    }
    if seed % 2 == 0 { text += "//last" }
    for block in Self.blocks {
      let answer = try readingDataset(text, .csv, block: block) {
        $0.dialect.skippedLines = 3
        $0.dialect.comment = "//"
      }
      #expect(answer == expected, "\(block)")
    }
  }

  @Test("short rows lack their last fields, long rows are bad", arguments: [DatasetFormat.csv, .tsv])
  func ragged(format: DatasetFormat) throws {
    let mark = format == .csv ? "," : "\t"
    let text = ["a,b,c", "1", "1,2", "1,2,3", "1,2,3,4", ",", "", "1,"].joined(separator: "\n").replacing(
      ",", with: mark)
    for block in Self.blocks {
      let answer = try readingDataset(text, format, skipBad: true, block: block) { $0.dialect.isRagged = true }
      #expect(answer.text == #"a="1"; a="1" b="2"; a="1" b="2" c="3"; a="" b=""; a="1" b="""#)
      #expect(answer.places == ["5:1"])
    }
  }

  @Test("a text stands for null only as a whole field without quotes")
  func nulls() throws {
    for block in Self.blocks {
      let csv = try readingDataset("a,b,c\n\\N,\"\\N\",x\\N\n\"\"\"\",\\N,\\N\r\n", .csv, block: block) {
        $0.dialect.null = "\\N"
      }
      #expect(csv.text == #"a=|null| b="\N" c="x\N"; a=""" b=|null| c=|null|"#)
      let tsv = try readingDataset(
        DatasetReader.tsvEscapesLine + "\na\tb\n\\N\t\\\\N\n", .tsv, block: block
      ) { $0.dialect.null = "\\N" }
      #expect(tsv.text == #"a=|null| b="\N""#)
      let empty = try readingDataset("a,b\n,\"\"\n", .csv, block: block) { $0.dialect.null = "" }
      #expect(empty.text == #"a=|null| b="""#)
    }
  }

  @Test("columns with equal or empty names get names of their own")
  func names() throws {
    let answer = try readingDataset(",a,a,a_2,column1,,a\n1,2,3,4,5,6,7\n", .csv) { $0.dialect.namesColumns = true }
    #expect(answer.names == ["column2", "a", "a_3", "a_2", "column1", "column6", "a_4"])
  }

  @Test("other encodings are read as UTF-8")
  func encodings() throws {
    let latin = "a,b\nÀÿ,\u{A0}\n"
    let windows = "a,b\n€ “x”,Ÿ\u{81}\n"
    let any = "a,b\n東京 😀,\u{10FFFF}é\n"
    func utf16(_ text: String, big: Bool) -> [UInt8] {
      text.utf16.flatMap { big ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
    }
    let table: [UnicodeScalar: UInt8] = ["€": 0x80, "“": 0x93, "”": 0x94, "Ÿ": 0x9F]
    let cases: [(DatasetDialect.Encoding, String, [UInt8])] = [
      (.latin1, latin, latin.unicodeScalars.map { UInt8($0.value) }),
      (.windows1252, windows, windows.unicodeScalars.map { table[$0] ?? UInt8($0.value) }),
      (.utf16LittleEndian, any, utf16(any, big: false)), (.utf16BigEndian, any, utf16(any, big: true)),
      (.utf16, any, utf16("\u{FEFF}" + any, big: false)), (.utf16, any, utf16("\u{FEFF}" + any, big: true)),
      (.utf16, any, utf16(any, big: false)),
    ]
    for (encoding, text, bytes) in cases {
      for block in Self.blocks {
        var options = DatasetOptions(format: .csv)
        options.dialect.encoding = encoding
        options.blockSizeBytes = block
        let file = try DatasetFile(bytes)
        #expect(
          DatasetAnswer.reading(path: file.path, options) == (try readingDataset(text, .csv)), "\(encoding) \(block)")
      }
    }
    // Half a pair and half a unit are refused with their places.
    for (bytes, place) in [([0x61, 0, 0x0A, 0, 0x34, 0xD8, 0x61, 0], "2:1"), ([0x61, 0, 0x0A, 0, 0x62], "2:1")]
      as [([UInt8], String)]
    {
      var options = DatasetOptions(format: .csv)
      options.dialect.encoding = .utf16LittleEndian
      let file = try DatasetFile(bytes)
      #expect(DatasetAnswer.reading(path: file.path, options).places == [place])
    }
  }

  // MARK: JSON

  private static func record(_ random: inout DatasetRandom, depth: Int = 0) -> String {
    let names = ["id", "name", "type", "properties", "geometry", "lat", "x", "é\\n", "bbox"]
    let count = Int.random(in: 0...4, using: &random)
    let members = names.shuffled(using: &random).prefix(count).map { name -> String in
      let value: String
      switch Int.random(in: 0...6, using: &random) {
      case 0 where depth < 2: value = record(&random, depth: depth + 1)
      case 1: value = "[1, \"\(name)\", null]"
      case 2: value = "-1.50"
      case 3: value = "null"
      case 4: value = "\"\\u00e9 \\\"\""
      default: value = "\"\(name) 東\""
      }
      return "\"\(name)\": \(value)"
    }
    return "{\(members.joined(separator: ", "))}"
  }

  private static func expected(_ records: [String]) throws -> DatasetAnswer {
    try readingDataset(records.map { $0 + "\n" }.joined(), .jsonl)
  }

  @Test("values in a row, and in an array inside objects, read as those on lines", arguments: UInt64(1)...8)
  func sequences(seed: UInt64) throws {
    var random = DatasetRandom(state: seed)
    let records = (0..<20).map { _ in Self.record(&random) }
    let expected = try Self.expected(records)
    let around = Self.record(&random)
    let sequence = records.map { $0 + ["", "\n", "\u{1E}", " \r\n"].randomElement(using: &random)! }.joined()
    let wrapped =
      "{\"o\":\(around),\"a.b\":{\"x\":[1,{\"items\":2}],\"items\":[\(records.joined(separator: ",\n"))],\"items2\":[]},\"items\":3}\n"
    for block in Self.blocks {
      let one = try readingDataset(sequence, .json, block: block)
      #expect(one.error == nil && one.text == expected.text && one.names == expected.names, "\(block)")
      for limit in [1 << 20, 64] {
        let other = try readingDataset(wrapped, .json, block: block) {
          $0.dialect.recordsPath = "a\\.b.items"
          $0.recordLimitBytes = limit
        }
        if limit == 64, other.error != nil { continue }
        #expect(other.error == nil && other.text == expected.text && other.names == expected.names, "\(block) \(limit)")
      }
    }
  }

  @Test("features have the fields of their properties", arguments: UInt64(1)...20)
  func features(seed: UInt64) throws {
    var random = DatasetRandom(state: seed)
    let records = (0..<20).map { _ in Self.record(&random) }
    let expected = try Self.expected(records)
    let features = records.map { record in
      let geometry = [
        "null", "{\"type\":\"LineString\",\"coordinates\":[ [1,2], [3,4] ]}",
        "{\"type\":\"GeometryCollection\",\"geometries\":[]}",
      ].randomElement(using: &random)!
      var members = ["\"type\": \"Feature\"", "\"geometry\": \(geometry)", "\"properties\": \(record)"]
      if Bool.random(using: &random) { members.append("\"bbox\":[1, 2, 3, 4]") }
      return "{\(members.shuffled(using: &random).joined(separator: ", "))}"
    }
    let texts = [
      "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ",\n"))],\"crs\":{\"x\":[]}}",
      features.joined(separator: "\n"), features.joined(), "[\(features.joined(separator: " , "))]",
    ]
    for text in texts {
      for block in Self.blocks {
        let answer = try readingDataset(text, .geojson, block: block)
        #expect(answer.error == nil && answer.text == expected.text, "\(block) \(text)")
        #expect(Set(answer.names) == Set(expected.names))
      }
    }
  }

  @Test("a point is a latitude and a longitude, unless the properties have them")
  func points() throws {
    let cases = [
      (
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[ -1.5e1 ,2 ]},"properties":{"a":"\n"}}"#,
        "a=\"\n\" lat=2 lon=-1.5e1"
      ),
      (
        #"{"type":"Feature","id":7,"properties":{"a":[1, 2]},"geometry":{"coordinates":[1,2,3],"type":"Point"}}"#,
        "id=7 a=|[1,2]| lat=2 lon=1 alt=3"
      ),
      (
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"coord":{"lat":5}}}"#,
        "coord.lat=5"
      ),
      (#"{"type":"Feature","geometry":{"type":"Point","coordinates":[]},"properties":{}}"#, ""),
      (#"{"type":"Feature","geometry":{"type":"Point","coordinates":["1","2"]},"properties":null}"#, ""),
      (
        #"{"type":"Feature","id":7,"id2":[ 8 ],"properties":{"id":{"x":[ 1 ]}},"geometry":null}"#,
        "id2=|[8]| id.x=|[1]|"
      ),
    ]
    for (text, expected) in cases {
      for block in [1, 7, 1 << 16] {
        let answer = try readingDataset(text, .geojson, block: block)
        #expect(answer.error == nil && answer.text == expected)
      }
    }
  }

  @Test("texts in an array are records of one field; other values among them are bad")
  func texts() throws {
    for block in Self.blocks {
      let answer = try readingDataset(
        #"["a", "\u00e9\n", "東", 1, {"name":"x"}, ""]"#, .json, skipBad: true, block: block)
      #expect(answer.text == "name=\"a\"; name=\"é\n\"; name=\"東\"; name=\"\"")
      #expect(answer.places == ["1:26", "1:29"])
    }
  }
}
