import TestSupport
import Testing

import ShardBuilder

/// One element of an array, or one line of JSON lines, and its verdict. `<hh>` is a byte.
private enum Elements {
  /// The element and its fields as ``DatasetAnswer/text`` writes them.
  static let accepted: [(String, String)] = [
    (#"{}"#, ""),
    (#"{ }"#, ""),
    (#"{"a":1}"#, "a=1"),
    (#" { "a" : 1 } "#, "a=1"),
    ("{\t\"a\"\t:\t1\t,\r\"b\"\r:2}", "a=1 b=2"),
    (#"{"a":0}"#, "a=0"),
    (#"{"a":-0}"#, "a=-0"),
    (#"{"a":-1}"#, "a=-1"),
    (#"{"a":10}"#, "a=10"),
    (#"{"a":0.0}"#, "a=0.0"),
    (#"{"a":1.50}"#, "a=1.50"),
    (#"{"a":1e5}"#, "a=1e5"),
    (#"{"a":1E5}"#, "a=1E5"),
    (#"{"a":1e+5}"#, "a=1e+5"),
    (#"{"a":1e-5}"#, "a=1e-5"),
    (#"{"a":0e1}"#, "a=0e1"),
    (#"{"a":0E+0}"#, "a=0E+0"),
    (#"{"a":-0.1e-0}"#, "a=-0.1e-0"),
    (#"{"a":1e00005}"#, "a=1e00005"),
    (#"{"a":1e999}"#, "a=1e999"),
    (#"{"a":-1e-999}"#, "a=-1e-999"),
    (#"{"a":123456789012345678901234567890}"#, "a=123456789012345678901234567890"),
    (#"{"a":0.1000000000000000055511151231257827}"#, "a=0.1000000000000000055511151231257827"),
    (#"{"a":9007199254740993}"#, "a=9007199254740993"),
    (#"{"a":true}"#, "a=|true|"),
    (#"{"a":false}"#, "a=|false|"),
    (#"{"a":null}"#, "a=|null|"),
    (#"{"a":[]}"#, "a=|[]|"),
    (#"{"a":[ ]}"#, "a=|[]|"),
    (#"{"a":{}}"#, "a=|{}|"),
    (#"{"a":{ }}"#, "a=|{}|"),
    (#"{"a":[1,2,3]}"#, "a=|[1,2,3]|"),
    (#"{"a":[ 1 , "x y" , [ ] , { "b" : 2 } ]}"#, #"a=|[1,"x y",[],{"b":2}]|"#),
    (#"{"a":["\" [ ] ",  "\\"]}"#, #"a=|["\" [ ] ","\\"]|"#),
    (#"{"a":["\u00e9"]}"#, #"a=|["\u00e9"]|"#),
    (#"{"a":[true,false,null]}"#, "a=|[true,false,null]|"),
    (#"{"a":[[[[[]]]]]}"#, "a=|[[[[[]]]]]|"),
    (#"{"a":[{"b":1},{"b":1}]}"#, #"a=|[{"b":1},{"b":1}]|"#),
    (#"{"a":""}"#, #"a="""#),
    (#"{"a":"b"}"#, #"a="b""#),
    (#"{"a":"Zürich"}"#, #"a="Zürich""#),
    (#"{"a":"東京"}"#, #"a="東京""#),
    (#"{"a":"😀"}"#, #"a="😀""#),
    (#"{"a":"\u0041"}"#, #"a="A""#),
    (#"{"a":"\u00e9\u00E9"}"#, #"a="éé""#),
    (#"{"a":"\u6771"}"#, #"a="東""#),
    (#"{"a":"\uD83D\uDE00"}"#, #"a="😀""#),
    (#"{"a":"\uDBFF\uDFFF"}"#, "a=\"\u{10FFFF}\""),
    (#"{"a":"\uFFFF"}"#, "a=\"\u{FFFF}\""),
    (#"{"a":"\uFEFF"}"#, "a=\"\u{FEFF}\""),
    (#"{"a":"\u2028"}"#, "a=\"\u{2028}\""),
    (#"{"a":"\u0000"}"#, "a=\"\0\""),
    (#"{"a":"x\u0000y"}"#, "a=\"x\0y\""),
    (#"{"a":"\"\\\/\b\f\n\r\t"}"#, "a=\"\"\\/\u{8}\u{c}\n\r\t\""),
    (#"{"a":"\\u0041"}"#, #"a="\u0041""#),
    (#"{"a":"\\"}"#, #"a="\""#),
    (#"{"a":"// no comment"}"#, #"a="// no comment""#),
    (#"{"a":"<7f>"}"#, "a=\"\u{7f}\""),
    (#"{"a":"<c2><80>"}"#, "a=\"\u{80}\""),
    (#"{"a":"<ed><9f><bf><ee><80><80>"}"#, "a=\"\u{D7FF}\u{E000}\""),
    (#"{"a":"<f4><8f><bf><bf>"}"#, "a=\"\u{10FFFF}\""),
    (#"{"a":"[1,2,{}]"}"#, #"a="[1,2,{}]""#),
    (#"{"":1}"#, "=1"),
    (#"{"":{"":1}}"#, ".=1"),
    (#"{"a":{"":1}}"#, "a.=1"),
    (#"{"a b":1}"#, "a b=1"),
    (#"{"é":1,"e\u0301":2}"#, "é=1 e\u{301}=2"),
    (#"{"\u0061":1}"#, "a=1"),
    (#"{"a\"b":1,"a\\b":2}"#, #"a"b=1 a\\b=2"#),
    (#"{"a.b":1}"#, #"a\.b=1"#),
    (#"{"a":{"b":1},"a.b":2}"#, #"a.b=1 a\.b=2"#),
    (#"{"a\\":{"b":1},"a":{"\\.b":2}}"#, #"a\\.b=1 a.\\\.b=2"#),
    (#"{"coord":{"lon":-8.2,"lat":42}}"#, "coord.lon=-8.2 coord.lat=42"),
    (#"{"a":{"b":{"c":{"d":"e"}}},"f":1}"#, #"a.b.c.d="e" f=1"#),
    (#"{"a":{"x":1},"b":{"x":2}}"#, "a.x=1 b.x=2"),
    (#"{"a":1,"A":2}"#, "a=1 A=2"),
    (
      #"{"abcdefghijklmn":1,"abcdefghijklmno":2,"abcdefghijklmnop":3}"#,
      "abcdefghijklmn=1 abcdefghijklmno=2 abcdefghijklmnop=3"
    ),
    (#"{"a":["\uD83D\uDE00"," "]}"#, #"a=|["\uD83D\uDE00"," "]|"#),
    (#"{"__proto__":1}"#, "__proto__=1"),
  ]

  /// Refused elements with a known end: `skipBad` continues after it.
  static let wrongContent: [String] = [
    #"1"#, #"-1.5e3"#, #""text""#, #"true"#, #"false"#, #"null"#, #"[]"#, #"[{"a":1}]"#, #"[[],[[]]]"#, #"0"#,
    #"{"a":1,"a":1}"#,
    #"{"a":1,"a":2}"#,
    #"{"a":1,"\u0061":2}"#,
    #"{"":1,"":2}"#,
    #"{"a":{"b":1,"b":2}}"#,
    #"{"a":{"b":1},"a":{"c":1}}"#,
    #"{"a":{},"a":1}"#,
    #"{"a":[{"b":1,"c":2,"b":3}]}"#,
    #"{"a":[{"b":1,"\u0062":3}]}"#,
    #"{"a":[{"\u00e9":1,"é":3}]}"#,
    #"{"a":[{"1":1,"2":1,"3":1,"4":1,"5":1,"6":1,"7":1,"8":1,"9":1,"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"3":1}]}"#,
    #"{"a":"\uD800"}"#,
    #"{"a":"\uDC00"}"#,
    #"{"a":"\uDFFF\uD800"}"#,
    #"{"a":"\uD800\uD800"}"#,
    #"{"a":"\uD800x"}"#,
    #"{"a":"\uD800\n"}"#,
    #"{"a":"\uD83D\u0041"}"#,
    #"{"\uD800":1}"#,
    #"{"a":["\uD800"]}"#,
    #"{"a":[{"\uDC00":1}]}"#,
    #"{"a":"\x41"}"#,
    #"{"a":"\a"}"#,
    #"{"a":"\'"}"#,
    #"{"a":"\0"}"#,
    #"{"a":"\U0041"}"#,
    #"{"a":"\ "}"#,
    #"{"a":"\é"}"#,
    #"{"a":"\u"}"#,
    #"{"a":"\u1"}"#,
    #"{"a":"\u12"}"#,
    #"{"a":"\u123"}"#,
    #"{"a":"\u12G4"}"#,
    #"{"a":"\u+123"}"#,
    #"{"a":"\u 123"}"#,
    #"{"a":"\u１234"}"#,
    #"{"a":["\q"]}"#,
    #"{"\q":1}"#,
    #"{"a":"<01>"}"#,
    #"{"a":"<09>"}"#,
    #"{"a":"x<1f>y"}"#,
    #"{"<09>":1}"#,
    #"{"a":["<08>"]}"#,
    #"{"a":[{"<08>":1}]}"#,
    #"{"a":"<80>"}"#,
    #"{"a":"<bf>"}"#,
    #"{"a":"<ff>"}"#,
    #"{"a":"<fe>"}"#,
    #"{"a":"<c0><af>"}"#,
    #"{"a":"<c1><bf>"}"#,
    #"{"a":"<c3>"}"#,
    #"{"a":"<c3>("}"#,
    #"{"a":"<e0><80><af>"}"#,
    #"{"a":"<e0><9f><bf>"}"#,
    #"{"a":"<e2><82>"}"#,
    #"{"a":"<ed><a0><80>"}"#,
    #"{"a":"<ed><bf><bf>"}"#,
    #"{"a":"<f0><80><80><af>"}"#,
    #"{"a":"<f0><9f><98>"}"#,
    #"{"a":"<f4><90><80><80>"}"#,
    #"{"a":"<f5><80><80><80>"}"#,
    #"{"a":"<f8><88><80><80><80>"}"#,
    #"{"a":"é<e9>"}"#,
    #"{"a":"\u0041<e9>"}"#,
    #"{"<ff>":1}"#,
    #"{"a":["<ff>"]}"#,
    #"{"a":[{"<ff>":1}]}"#,
    #"["<ff>"]"#,
    nested(65), "{\"a\":" + nestedArrays(64) + "}", nested(1000), nestedArrays(1000),
  ]

  /// Refused elements without a known end.
  static let wrongSyntax: [String] = [
    #"{"a":1,}"#, #"{,}"#, #"{,"a":1}"#, #"{"a":1,,"b":2}"#, #"{"a"}"#, #"{"a":}"#, #"{"a":1 "b":2}"#,
    #"{"a":1;"b":2}"#, #"{"a" 1}"#, #"{"a"::1}"#, #"{"a"=1}"#, #"{a:1}"#, #"{'a':1}"#, #"{"a":'b'}"#,
    #"{1:1}"#, #"{null:1}"#, #"{"a":b}"#, #"{"a":1]"#, #"{"a":[1}}"#, #"{"a":[1,]}"#, #"{"a":[,1]}"#,
    #"{"a":[1,,2]}"#, #"{"a":[1 2]}"#, #"{"a":[1:2]}"#, #"{"a":["b":1]}"#, #"{"a":[{"b"}]}"#,
    #"{"a":[{"b":1,}]}"#, #"{"a":[{b:1}]}"#, #"{"a":[{"b" 1}]}"#, #"{"a":[{"b":1 "c":2}]}"#,
    #"{"a":01}"#, #"{"a":-01}"#, #"{"a":00}"#, #"{"a":-}"#, #"{"a":+1}"#, #"{"a":.5}"#, #"{"a":-.5}"#,
    #"{"a":1.}"#, #"{"a":1.e5}"#, #"{"a":1e}"#, #"{"a":1e+}"#, #"{"a":1E-}"#, #"{"a":1.5.5}"#,
    #"{"a":1e5.5}"#,
    #"{"a":1e5e5}"#, #"{"a":0x10}"#, #"{"a":1_000}"#, #"{"a":1a}"#, #"{"a":1 000}"#, #"{"a":--1}"#,
    #"{"a":１}"#, #"{"a":NaN}"#, #"{"a":nan}"#, #"{"a":Infinity}"#, #"{"a":-Infinity}"#, #"{"a":inf}"#,
    #"{"a":True}"#, #"{"a":TRUE}"#, #"{"a":tru}"#, #"{"a":truth}"#, #"{"a":truee}"#, #"{"a":fals}"#,
    #"{"a":nul}"#,
    #"{"a":nil}"#, #"{"a":undefined}"#, #"{"a":[nul]}"#, #"{"a":[01]}"#, #"{"a":[-]}"#, #"{"a":[.1]}"#,
    #"{"a":"b}"#, #"{"a:1}"#, #"{"a":"\"}"#, #"{"a":1}}"#, #"{"a":1}{"b":2}"#, #"{"a":1} x"#, #"{"a":1}"b""#,
    #"{"a":/* c */1}"#, #"{"a":1}//c"#, #"#{"a":1}"#, #"<{"a":1}"#, #"nope"#, #"+1"#, #"'a'"#, #"-"#, #"["#,
    #"{"#,
    #"]"#, #"}"#, #"{]"#, #"[}"#, #"{"a":[1}"#, #"{"a":"b" "c"}"#, #"{"a":"b""c":1}"#, #"{"a":{"b":1,}}"#,
    #"{"a":{b}}"#,
    #"<00>"#, #"{"a":<00>1}"#, #"{"a":"<00>"}"#, #"{<00>}"#, #"{"a"<00>:1}"#, #"{"a":["<00>"]}"#,
    #"{"a<00>":1}"#,
    #"{"a":1<00>}"#, #"{"a":1<0c>}"#, #"{<0b>"a":1}"#, #"{<c2><a0>"a":1}"#, #"{"a":<e9>}"#,
    #"<ef><bb><bf>{"a":1}"#,
    #"{"a":1<e2><80><a8>}"#, #"{"a":"x<0d>y"}"#, #"{"a":"x<0d>"#, #"{"a":\u0031}"#, #"\{"a":1}"#,
    #"{"a":1,"a":2"#, #"{"a":"\q",}"#,
  ]

  static func nested(_ depth: Int) -> String {
    String(repeating: #"{"a":"#, count: depth - 1) + "{}" + String(repeating: "}", count: depth - 1)
  }

  static func nestedArrays(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }
}

@Suite("Dataset: JSON") struct DatasetJSONTests {
  @Test("a reader accepts every element of RFC 8259, and keeps its text", arguments: Elements.accepted)
  func accepts(element: String, fields: String) throws {
    let between = fields.isEmpty ? "" : fields
    for block in [1, 3, 1 << 16] {
      let array = try readingDataset("[{\"k\":1},\(element),{\"k\":2}]", .json, block: block)
      #expect(array.error == nil)
      #expect(array.text == "k=1; \(between); k=2")
      let lines = try readingDataset("{\"k\":1}\n\(element)\n{\"k\":2}", .jsonl, block: block)
      #expect(lines.error == nil)
      #expect(lines.text == "k=1; \(between); k=2")
    }
  }

  @Test("a reader refuses wrong content and can skip it", arguments: Elements.wrongContent)
  func refusesContent(element: String) throws {
    for block in [1, 7, 1 << 16] {
      let array = "[{\"k\":1},\(element),{\"k\":2}]"
      let strict = try readingDataset(array, .json, block: block)
      #expect(strict.fault != nil && !strict.isMalformed)
      #expect(strict.fault?.record == 2)
      let skipping = try readingDataset(array, .json, skipBad: true, block: block)
      #expect(skipping.error == nil)
      #expect(skipping.text == "k=1; k=2")
      #expect(skipping.places == strict.places)
      #expect(skipping.bad.first?.reason == strict.fault?.reason)
      #expect(skipping.badCount == 1)
      #expect(skipping.names == ["k"])
      let lines = try readingDataset(
        "{\"k\":1}\n\(element)\n{\"k\":2}\n", .jsonl, skipBad: true, block: block)
      #expect(lines.error == nil)
      #expect(lines.text == "k=1; k=2")
      #expect(lines.badCount == 1 && lines.bad.first?.line == 2)
      #expect(lines.names == ["k"])
    }
  }

  @Test("a reader refuses wrong syntax, and can skip it in JSON lines alone", arguments: Elements.wrongSyntax)
  func refusesSyntax(element: String) throws {
    for block in [1, 7, 1 << 16] {
      let array = "[{\"k\":1},\(element),{\"k\":2}]"
      #expect(try readingDataset(array, .json, block: block).fault != nil)
      // In an array some of these elements begin right: `{},{}` lacks its comma, `]` ends the array.
      #expect(try readingDataset(array, .json, skipBad: true, block: block).isMalformed)
      let lines = try readingDataset(
        "{\"k\":1}\n\(element)\n{\"k\":2}\n", .jsonl, skipBad: true, block: block)
      #expect(lines.error == nil)
      #expect(lines.text == "k=1; k=2")
      #expect(lines.badCount == 1 && lines.bad.first?.line == 2)
      let last = try readingDataset("{\"k\":1}\n\(element)", .jsonl, skipBad: true, block: block)
      #expect(last.error == nil && last.text == "k=1" && last.badCount == 1)
    }
  }

  static let documents: [(String, String?, String)] = [
    ("[]", "", ""), (" [ ] ", "", ""), ("\n[\n]\n\n", "", ""), ("[{}]", "", ""),
    ("<ef><bb><bf>[{\"a\":1}]", "a=1", ""),
    ("[{\"a\":1},{\"a\":2}]\r\n", "a=1; a=2", ""),
    ("", nil, "1:1"), ("  ", nil, "1:3"), ("\n\n", nil, "3:1"), ("{}", "", ""), ("1", nil, "1:1"),
    ("null", nil, "1:1"),
    ("[", nil, "1:2"), ("[{}", nil, "1:4"), ("[{},", nil, "1:5"), ("[{},]", nil, "1:5"),
    ("[,{}]", nil, "1:2"),
    ("[{}{}]", nil, "1:4"), ("[{},,{}]", nil, "1:5"), ("[{}]]", nil, "1:5"), ("[{}],", nil, "1:5"),
    ("[{}] x", nil, "1:6"),
    ("[{}]{}", nil, "1:5"), ("[{}]<00>", nil, "1:5"), ("[<00>]", nil, "1:2"), ("[{}\n}", nil, "2:1"),
    ("]", nil, "1:1"),
    ("<ef><bb><bf><ef><bb><bf>[]", nil, "1:1"), ("x[]", nil, "1:1"), ("[{}//\n]", nil, "1:4"),
    ("[{\"a\":1", nil, "1:8"),
    ("[{\"a\":tr", nil, "1:9"), ("[{\"a\":\"\\", nil, "1:9"), ("[{\"a\":\"x", nil, "1:9"),
    ("[{\n\"a\": \n x}]", nil, "3:2"),
    ("[{\"a\":1},\n {\"a\":2},\n {\"a\":03}]", nil, "3:8"),
    ("[\n{\"a\":1}\n,7]", nil, "3:2"),
    ("[\n{\"é\":1,\n\"b\":\"\\x\"}]", nil, "3:6"),
    ("[{\"a\":1,\"a\":2}]", nil, "1:9"),
    ("[{\"a\":\"\n\"}]", nil, "1:8"),
  ]

  @Test("a whole document is read up to its fault, whose place is right", arguments: documents)
  func document(content: String, text: String?, place: String) throws {
    for block in [1, 2, 5, 1 << 16] {
      let answer = try readingDataset(content, .json, block: block)
      if let text {
        #expect(answer.error == nil && answer.text == text)
      } else {
        #expect(answer.places == [place], "\(String(describing: answer.error))")
      }
    }
  }

  @Test("JSON lines may have blank lines and any line ends; text after an object is bad")
  func lines() throws {
    for block in [1, 2, 3, 4, 5, 6, 7, 1 << 16] {
      let answer = try readingDataset(
        "\n{\"a\":1}\r\n\r\n  \n\t{\"a\":2} \n{\"a\":3} {\"a\":4}\n{\"a\":\n5}\n{\"a\":6}", .jsonl,
        skipBad: true, block: block)
      #expect(answer.text == "a=1; a=2; a=6")
      #expect(answer.places == ["6:9", "7:6", "8:1"])
      #expect(answer.bad.map(\.record) == [3, 4, 5])
      #expect(answer.error == nil)
      #expect(try readingDataset("", .jsonl, block: block).error == nil)
      #expect(try readingDataset(" \n\n", .jsonl, block: block) == readingDataset("", .jsonl))
    }
  }

  @Test("members keep their names in another order, with some left out and new ones")
  func order() throws {
    let content =
      #"{"a":1,"b":2,"c":{"d":3,"e":4}} {"b":1,"a":2} {"c":{"e":1,"d":2},"a":3} {"c":5} {"a":{"x":1},"f":1,"b":2}"#
    let text = "a=1 b=2 c.d=3 c.e=4; b=1 a=2; c.e=1 c.d=2 a=3; c=5; a.x=1 f=1 b=2"
    for block in 1...64 {
      let answer = try readingDataset(content.replacing("} {", with: "}\n{"), .jsonl, block: block)
      #expect(answer.text == text)
      #expect(answer.names == ["a", "b", "c.d", "c.e", "c", "a.x", "f"])
    }
    let members = (0..<300).map { "\"member number \($0)\":\($0)" }
    var random = DatasetRandom(state: 1)
    for _ in 0..<20 {
      let shuffled = (0..<3).map { _ in members.shuffled(using: &random) }
      let answer = try readingDataset(
        shuffled.map { "{\($0.joined(separator: ","))}" }.joined(separator: "\n"), .jsonl, block: 1000)
      #expect(
        answer.text
          == shuffled.map {
            $0.map { $0.replacing("\"", with: "").replacing(":", with: "=") }.joined(separator: " ")
          }.joined(separator: "; "))
    }
  }

  @Test("a record above the limit is bad, whether the window holds it or not")
  func tooBig() throws {
    let big = #"{"a":[{"x":"]}\"["},"# + String(repeating: "1,", count: 600) + "1]}"
    for block in [1, 100, 999, 1000, 1001, 1 << 16] {
      for format in [DatasetFormat.json, .jsonl] {
        let lines = ["{\"k\":1}", big, "{\"k\":2}"]
        let content = format == .json ? "[\(lines.joined(separator: ","))]" : lines.joined(separator: "\n")
        let answer = try readingDataset(content, format, skipBad: true, block: block) {
          $0.recordLimitBytes = 1000
        }
        #expect(answer.text == "k=1; k=2", "\(block)")
        #expect(answer.error == nil)
        #expect(answer.places == [format == .json ? "1:10" : "2:1"])
        let strict = try readingDataset(content, format, block: block) { $0.recordLimitBytes = 1000 }
        #expect(strict.fault?.reason == "a record of over 1000 bytes")
      }
    }
    let cut = try readingDataset(
      "[{\"a\":[" + String(repeating: "1,", count: 3000), .json, skipBad: true, block: 100
    ) {
      $0.recordLimitBytes = 1000
    }
    #expect(cut.isMalformed)
  }

  @Test("a hundred bad records are listed and all are counted")
  func manyBad() throws {
    let answer = try readingDataset(
      "[" + String(repeating: "0,\n", count: 5000) + "{\"a\":1}]", .json, skipBad: true, block: 999)
    #expect(answer.text == "a=1" && answer.badCount == 5000 && answer.bad.count == 100)
    #expect(answer.bad.last?.line == 100 && answer.bad.last?.record == 100)
  }

  @Test("a million levels are refused in little memory")
  func deep() throws {
    for (open, count) in [("[", 1_000_000), ("{\"a\":", 100_000), ("[{\"a\":[", 100_000)] {
      let content = "[" + String(repeating: open, count: count)
      #expect(try readingDataset(content, .json).fault != nil)
      #expect(try readingDataset(content, .json, skipBad: true).isMalformed)
      #expect(
        try readingDataset("{}\n" + String(content.dropFirst()) + "\n{}", .jsonl, skipBad: true).records.count
          == 2)
    }
  }

  @Test("NULs in the place of a name are no name, after any other name", arguments: [1, 3, 8192])
  func nulsForAName(block: Int) throws {
    // A name that has to be escaped, of 14 bytes, and the 16 bytes that it takes with its quotes.
    let nuls = String(repeating: "\0", count: 16)
    let answer = try readingDataset(
      "{\"\\tbcdefghijklmn\":1}\n{\(nuls):2}\n{\"k\":3}", .jsonl, skipBad: true, block: block)
    #expect(answer.text == "\tbcdefghijklmn=1; k=3")
    #expect(answer.places == ["2:2"])
  }

  @Test("names without an end are refused")
  func names() throws {
    let content = (0...JSONRecords.fieldLimit).map { "{\"\($0)\":1}" }.joined(separator: "\n")
    let answer = try readingDataset(content, .jsonl, skipBad: true)
    #expect(answer.isMalformed)
    #expect(answer.fault?.line == JSONRecords.fieldLimit + 1)
  }

  @Test("messages name the expected text and the found one")
  func messages() throws {
    let mend = "correct the file there; the rest of it cannot be read"
    let cases = [
      ("[{\"a\" 1}]", "1:7: record 1: expected ':' after a member's name, found '1'; \(mend)"),
      (
        "[{\"a\":1,\"a\":2}]",
        "1:9: record 1: the member \"a\" stands twice in one object; leave such records out with BuildOptions.skipBad"
      ),
      (
        "[{\"a\":1\n",
        "2:1: record 1: expected ',' or '}' after a member, found the end of the file; the file may be cut short; fetch it again"
      ),
      (
        "[{\"a\":\"x\ny\"}]", "1:9: record 1: expected '\"' at the end of a string, found the end of the line; \(mend)"
      ),
      ("x", "1:1: expected an array of objects, which begins with '[', or an object, found 'x'; \(mend)"),
      ("[{}]x", "1:5: expected nothing after the array, found 'x'; \(mend)"),
      ("{\"a\":1}x", "1:8: record 2: expected a value, found 'x'; \(mend)"),
    ]
    for (content, message) in cases {
      let file = try DatasetFile(content.utf8)
      let answer = DatasetAnswer.reading(path: file.path, DatasetOptions(format: .json))
      #expect(answer.error?.description == "\(file.path):\(message)")
    }
  }
}
