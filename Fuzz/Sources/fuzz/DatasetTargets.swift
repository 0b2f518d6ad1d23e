import ShardBuilder

/// Reads a dataset in one format. The records must not depend on the ends of the blocks, and must stay the same when
/// they are written and read again.
class DatasetTarget: FuzzTarget {
  class var format: DatasetFormat { .jsonl }
  /// Whether the input is a compressed stream.
  class var isCompressed: Bool { false }
  /// Whether the input begins with the dialect of the dataset.
  class var hasDialect: Bool { false }
  class var seeds: [(name: String, bytes: [UInt8])] { [] }

  required init() {}

  struct Answer {
    var records: [[Field]] = []
    var format: DatasetFormat?
    var names: [String] = []
    var places: [(Int, Int)] = []
    var badCount = 0
    var error: DatasetError?
  }

  struct Field: Equatable {
    var name: Int
    var kind: FieldKind
    var text: [UInt8]
  }

  private func read(_ input: some Collection<UInt8>, _ options: DatasetOptions) -> Answer {
    var answer = Answer()
    Scratch.input.set(input)
    do throws(DatasetError) {
      let reader = try DatasetReader(path: "-", options: options)
      do throws(DatasetError) {
        var batch = RecordBatch()
        while try reader.read(into: &batch) { append(batch, reader.names, to: &answer) }
      } catch {
        answer.error = error
        let again = (try? reader.read(into: &emptyBatch)) == nil
        require(again, "an error that is not told twice")
      }
      require(reader.recordsRead == answer.records.count, "records read and delivered")
      require(reader.badRecords.count == min(reader.badCount, DatasetReader.badRecordsKept), "bad records listed")
      for bad in reader.badRecords { require(bad.line >= 1 && bad.column >= 1 && bad.record >= 1, "a place") }
      answer.format = reader.format
      answer.names = reader.names.names
      answer.badCount = reader.badCount
      answer.places = reader.badRecords.map { ($0.line, $0.column) }
    } catch {
      answer.error = error
    }
    return answer
  }

  private var emptyBatch = RecordBatch()

  private func append(_ batch: RecordBatch, _ names: FieldNames, to answer: inout Answer) {
    var start = 0
    require(batch.recordEnds.count > 0, "an empty batch")
    for (index, end) in batch.recordEnds.enumerated() {
      answer.records.append(
        batch.fields[start..<Int(end)].map { slice in
          require(Int(slice.name) < names.names.count, "a name's number")
          let text = Array(batch.bytes[Int(slice.offset)..<Int(slice.offset) + Int(slice.length)])
          require(String(validating: text, as: UTF8.self) != nil, "a text that is no UTF-8")
          return Field(name: Int(slice.name), kind: slice.kind, text: text)
        })
      if index == 0 || index + 1 == batch.recordEnds.count {
        let place = batch.place(of: index)
        require(place.line >= 1 && place.column >= 1 && place.record >= 1, "a place")
      }
      start = Int(end)
    }
  }

  /// Whether a reader takes the input for a compressed stream, whatever its format.
  private static func seemsCompressed(_ input: some Collection<UInt8>) -> Bool {
    input.starts(with: [0x1f, 0x8b]) || input.starts(with: [0x28, 0xb5, 0x2f, 0xfd])
      || input.dropFirst().starts(with: [0x2a, 0x4d, 0x18])
  }

  func run(_ input: UnsafeBufferPointer<UInt8>) {
    var reader = InputReader(input)
    let flags = reader.byte()
    let (format, dialect) = Self.hasDialect ? Self.dialect(from: &reader) : (Self.format, DatasetDialect())
    // The targets of compressed streams test a few bytes that decompress to very many records.
    if !Self.isCompressed, Self.seemsCompressed(reader.rest) { return }
    var options = DatasetOptions(format: flags & 1 == 0 ? format : nil, skipBad: flags & 2 != 0)
    if flags & 4 != 0 { options.recordLimitBytes = 40 }
    if flags & 8 != 0, format == .csv || format == .tsv { options.columns = ["a", "b.c", "b.d"] }
    if flags & 16 != 0, format == .tsv { options.tsvEscapes = true }
    options.dialect = dialect
    options.blockSizeBytes = 8 << 10
    let whole = read(reader.rest, options)
    options.blockSizeBytes = 1 + flags >> 5 * 5
    let split = read(reader.rest, options)

    // A compressed stream that breaks off may have given more or fewer records before its end; and a record over the
    // limit may be found before or after another fault of the record.
    if !Self.isCompressed || whole.error == nil, flags & 4 == 0 {
      require(split.records == whole.records, "records by blocks")
      require(split.names == whole.names, "names by blocks")
      require(split.badCount == whole.badCount, "bad records by blocks")
      require(
        split.places.elementsEqual(whole.places, by: ==),
        "places by blocks: \(split.places) and not \(whole.places)")
      require((split.error == nil) == (whole.error == nil), "an error by blocks")
      if case .bad(var one) = whole.error, case .bad(var other) = split.error {
        // The advice looks at the bytes read behind the fault, and they depend on the blocks.
        (one.advice, other.advice) = ("", "")
        require(one == other, "a fault by blocks")
      }
    }
    guard !whole.records.isEmpty, flags & 4 == 0 else { return }
    // csv and tsv cannot express a null or a missing field.
    guard whole.format?.isJSON == true || dialect.null == nil && !dialect.isRagged else { return }
    let names = Set(whole.names.map { Array($0.utf8) })
    require(names.count == whole.names.count, "a name twice")

    switch whole.format {
    case .json, .jsonl, .geojson: compare(whole, read(json(whole), DatasetOptions(format: .jsonl)))
    // The reader takes a header that begins with zeros for text in another encoding.
    case .csv where whole.names.contains { $0.utf8.contains(0) }: break
    case .csv: compare(whole, read(csv(whole), DatasetOptions(format: .csv)))
    default: compare(whole, read(tsv(whole), DatasetOptions(format: .tsv)))
    }
  }

  private func compare(_ written: Answer, _ read: Answer) {
    require(read.error == nil, "the written records do not read: \(read.error!)")
    // Names by their numbers: a compressed input of a few bytes may have a name of megabytes, and a million records.
    var numbers: [[UInt8]: Int] = [:]
    for (number, name) in written.names.enumerated() { numbers[Array(name.utf8)] = number }
    let names = read.names.map { numbers[Array($0.utf8)] }
    for (mine, theirs) in zip(written.records, read.records) {
      require(
        mine.elementsEqual(theirs) { $0.name == names[$1.name] && $0.kind == $1.kind && $0.text == $1.text },
        "a written record reads as another record: \(mine) \(theirs)")
    }
    require(written.records.count == read.records.count, "records read again")
  }

  // MARK: Writing

  private func json(_ answer: Answer) -> [UInt8] {
    var output: [UInt8] = []
    func quote(_ text: some Sequence<UInt8>) {
      output.append(0x22)
      for byte in text {
        if byte == 0x22 || byte == 0x5c {
          output += [0x5c, byte]
        } else if byte < 0x20 {
          output += Array("\\u00".utf8) + [byte < 16 ? 0x30 : 0x31]
          output += Array(String(byte & 15, radix: 16).utf8)
        } else {
          output.append(byte)
        }
      }
      output.append(0x22)
    }
    let paths = answer.names.map { Self.steps(Array($0.utf8)) }
    for record in answer.records {
      var open: [[UInt8]] = []
      output.append(0x7b)
      var isFirst = true
      for field in record {
        let path = paths[field.name]
        var common = 0
        while common < open.count, common < path.count - 1, open[common] == path[common] { common += 1 }
        while open.count > common {
          open.removeLast()
          output.append(0x7d)
        }
        if !isFirst { output.append(0x2c) }
        for step in path[common..<path.count - 1] {
          quote(step)
          output += [0x3a, 0x7b]
          open.append(step)
        }
        quote(path[path.count - 1])
        output.append(0x3a)
        if field.kind == .string { quote(field.text) } else { output += field.text }
        isFirst = false
      }
      for _ in open { output.append(0x7d) }
      output += [0x7d, 0x0a]
    }
    return output
  }

  private static func steps(_ path: [UInt8]) -> [[UInt8]] {
    var steps: [[UInt8]] = [[]]
    var isEscaped = false
    for byte in path {
      if !isEscaped, byte == 0x5c {
        isEscaped = true
        continue
      }
      if !isEscaped, byte == 0x2e { steps.append([]) } else { steps[steps.count - 1].append(byte) }
      isEscaped = false
    }
    return steps
  }

  private func csv(_ answer: Answer) -> [UInt8] {
    var output: [UInt8] = []
    func line(_ texts: [[UInt8]]) {
      for (index, text) in texts.enumerated() {
        if index > 0 { output.append(0x2c) }
        output.append(0x22)
        for byte in text { output += byte == 0x22 ? [0x22, 0x22] : [byte] }
        output.append(0x22)
      }
      output += [0x0d, 0x0a]
    }
    line(answer.names.map { Array($0.utf8) })
    for record in answer.records { line(record.map(\.text)) }
    return output
  }

  private func tsv(_ answer: Answer) -> [UInt8] {
    var output = Array((DatasetReader.tsvEscapesLine + "\n").utf8)
    func escaped(_ text: some Sequence<UInt8>) -> [UInt8] {
      text.flatMap { byte -> [UInt8] in
        switch byte {
        case 0x09: Array("\\t".utf8)
        case 0x0a: Array("\\n".utf8)
        case 0x0d: Array("\\r".utf8)
        case 0x5c: Array("\\\\".utf8)
        default: [byte]
        }
      }
    }
    // The backslashes of a header are escapes too.
    output += answer.names.map { escaped($0.utf8) }.joined(separator: [0x09]) + [0x0a]
    for record in answer.records { output += record.map { escaped($0.text) }.joined(separator: [0x09]) + [0x0a] }
    return output
  }

  /// Three bytes: the format and the encoding; the switches; the delimiter.
  private static func dialect(from reader: inout InputReader) -> (DatasetFormat, DatasetDialect) {
    var dialect = DatasetDialect()
    let kind = Int(reader.byte())
    let switches = reader.byte()
    let delimiter = UInt8(truncatingIfNeeded: reader.byte())
    dialect.encoding = DatasetDialect.Encoding.allCases[(kind >> 3) % DatasetDialect.Encoding.allCases.count]
    let format = DatasetFormat.allCases[(kind & 7) % DatasetFormat.allCases.count]
    if format.isJSON {
      if format != .jsonl, switches & 1 != 0 { dialect.recordsPath = switches & 2 != 0 ? "data.items" : "features" }
      return (format, dialect)
    }
    if format == .csv, DatasetDialect.canDelimit(delimiter) { dialect.delimiter = delimiter }
    dialect.skippedLines = Int(switches & 3)
    if switches & 4 != 0 { dialect.comment = switches & 8 != 0 ? "//" : "#" }
    if format == .csv || format == .tsv {
      dialect.namesColumns = switches & 16 != 0
      dialect.isRagged = switches & 32 != 0
      if switches & 64 != 0 { dialect.null = "\\N" }
    }
    return (format, dialect)
  }

  static func seeds(_ texts: [String]) -> [(name: String, bytes: [UInt8])] {
    texts.enumerated().flatMap { number, text in
      [0, 2, 0x23].map { ("text\(number)-\($0)", [UInt8($0)] + Array(text.utf8)) }
    }
  }
}

final class JSONTarget: DatasetTarget {
  override class var format: DatasetFormat { .json }
  override class var seeds: [(name: String, bytes: [UInt8])] {
    seeds([
      "[{\"name\":\"S\\u00e3o \\ud83d\\ude00\",\"coord\":{\"lon\":-1.50e+3,\"lat\":0}},\n {\"name\":\"b\"}]",
      "[{\"a\":[1,{\"b\":null,\"c\":[true,false]}, {}],\"d\":{},\"e\":{\"f\":{\"g\":\"\"}}} , {\"a.b\":1,\"c\\\\d\":2}]",
      "[1,\"two\",{\"a\":1,\"a\":2},{\"a\":\"\\ud800\"},{\"a\":\"\t\"},[[[[{}]]]],{\"a\":01}]", "[]", "[{}]",
      " [ { } , ",
    ])
  }
}

final class JSONLinesTarget: DatasetTarget {
  override class var seeds: [(name: String, bytes: [UInt8])] {
    seeds([
      "{\"name\":\"S\\u00e3o\",\"n\":-0.10,\"x\":{\"y\":{\"z\":[]}}}\n\n{\"name\":\"b\",\"t\":true}\n",
      "{\"a\":1}{\"a\":2}\n{\"a\":\"\\/\\b\\f\\n\\r\\t\"}\n{\"a\":[ 1 , 2 ]}\r\nnull\n{\"b\":\"unclosed\n{\"c\":1}",
      "\n\n",
      "{\"aaaaaaaaaaaaaaaaaaaaaaaa\":1,\"b\":2}\n{\"b\":2,\"aaaaaaaaaaaaaaaaaaaaaaaa\":1}\n{\"aaaaaaaaaaaaaaaaaaaaaaab\":1}",
    ])
  }
}

final class CSVTarget: DatasetTarget {
  override class var format: DatasetFormat { .csv }
  override class var seeds: [(name: String, bytes: [UInt8])] {
    seeds([
      "name,country,coord.lon\nSan José,CR,-84.08\n\"Comma, Inc\",\"say \"\"x\"\"\",\"line\nbreak\"\r\n,,\n",
      "a\n1\n\n\"\"\n\"open\n2", "a,b\n1\n1,2,3\nx\"y,z\n\"a\"b,c\nok,ok\n", "No.,a,a.b,.c,d\\x\n1,2,3,4,5\n",
      "\u{feff}a,b\r1,2\r",
    ])
  }
}

final class TSVTarget: DatasetTarget {
  override class var format: DatasetFormat { .tsv }
  override class var seeds: [(name: String, bytes: [UInt8])] {
    seeds([
      "name\tcountry\tcoord.lon\nSan José\tCR\t-84.08\n\t\t\r\nx\ty\n",
      "#escapes: \\t \\n \\r \\\\\na\tb\none\\ttab\ttwo\\\\n\nbad\\x\tz\n", "a\n1\n\n2", "a\tb\r\n1\t2\r\n",
    ])
  }
}

final class GeonamesTarget: DatasetTarget {
  override class var format: DatasetFormat { .geonames }
  override class var seeds: [(name: String, bytes: [UInt8])] {
    let line =
      "3039154\tEl Tarter\tEl Tarter\tEhl Tarter,Эл Тартер\t42.57952\t1.65362\tP\tPPL\tAD\t\t02\t\t\t\t1052\t\t1721\tEurope/Andorra\t2012-11-03\n"
    return seeds([line + line, line + "x\ty\n\n" + line, line.replacing("\n", with: "\r\n") + line])
  }
}

final class GeoJSONTarget: DatasetTarget {
  override class var format: DatasetFormat { .geojson }
  override class var seeds: [(name: String, bytes: [UInt8])] {
    let place = #""geometry":{"type":"Point","coordinates":[5.5,52.1,3]}"#
    let shape = #""geometry":{"type":"Polygon","coordinates":[[[1,2],[3,4]]]}"#
    let point = #"{"type":"Feature","id":7,\#(place),"properties":{"name":"a"}}"#
    let other = #"{\#(shape),"properties":{"lat":1,"x":{"y":[2]}},"type":"Feature"}"#
    let none = #"{"type":"Feature","geometry":null,"properties":null,"bbox":[1,2,3,4],"name":"b"}"#
    return seeds([
      #"{"type":"FeatureCollection","features":[\#(point),\#(other), \#(none)],"more":{}}"#, "[\(point),\n\(none)]",
      "\(point)\n\(other)\n\u{1e}\(none)", #"{"features":[1,{"type":"Point"},\#(point)],"type":"FeatureCollection"}"#,
    ])
  }
}

final class LinesTarget: DatasetTarget {
  override class var format: DatasetFormat { .lines }
  override class var seeds: [(name: String, bytes: [UInt8])] {
    seeds(["pear\n\nbanana\r\nb\ta,c\n", "\u{feff}a\rb\n\u{0}\n last"])
  }
}

final class DialectTarget: DatasetTarget {
  override class var hasDialect: Bool { true }
  override class var seeds: [(name: String, bytes: [UInt8])] {
    func seed(_ format: DatasetFormat, _ encoding: UInt8, _ switches: UInt8, _ text: String) -> [UInt8] {
      let number = UInt8(DatasetFormat.allCases.firstIndex(of: format)!)
      return [2, encoding << 3 | number, switches, UInt8(ascii: ";")] + Array(text.utf8)
    }
    let all = [
      seed(.csv, 0, 0x75, "title\n# made\nid;name;;name\n1;\\N;\"a;\n#b\";\n2\n#no\n3;x;\"\\N\";y;z\n"),
      seed(.csv, 1, 0, "id;name\n1;Z\u{fc}rich\n"), seed(.tsv, 2, 0x70, "id\t\tid\n1\t\\N\n\n2\n"),
      seed(.tsv, 0, 0x0c, "// a\nid\tname\n//\n1\tx\n"), seed(.lines, 0, 6, "one\ntwo\n#no\nthree\n"),
      seed(.json, 0, 3, #"{"x":[1],"data":{"y":{},"items":[{"a":1},{"a":2}]},"z":[{}]}"#),
      seed(.geojson, 0, 1, #"{"features":[{"type":"Feature","geometry":null,"properties":{"a":1}}]}"#),
    ]
    let wide = "id;name\n1;\u{1F600}\n".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    let csv = UInt8(DatasetFormat.allCases.firstIndex(of: .csv)!)
    return (all + [[2, 3 << 3 | csv, 0, UInt8(ascii: ";")] + wide]).enumerated().map { ("dialect\($0)", $1) }
  }
}
