import TestSupport
import Testing

import ShardedIndex

@Suite("Codes of numbers") struct NumberCodeTests {
  private static func code(_ text: String) -> UInt64? { NumberCode.code(of: Array(text.utf8).span) }

  private static func text(_ code: UInt64) -> String { String(decoding: NumberCode.text(code), as: UTF8.self) }

  @Test("codes rise as the numbers do, and dates are above all numbers") func order() {
    let rising = [
      "-9.9e67", "-1e67", "-123456789012345678", "-1000", "-7.25", "-7.249", "-1e-31", "0", "1e-31", "0.1",
      "0.10000000000000001", "0.2",
      "1", "5", "5.5", "19.98", "19.99", "20", "1e3", "1000.5", "12345678901234567", "12345678901234568", "1e67",
      "0001-01-01",
      "1969-12-31T23:59:59.999Z", "1970-01-01", "2025-01-31", "2025-01-31T00:00:00.001", "2025-02-01",
      "9999-12-31T23:59:59.999",
    ]
    let codes = rising.compactMap { Self.code($0) }
    #expect(codes.count == rising.count)
    for (low, high) in zip(codes, codes.dropFirst()) { #expect(low < high) }
  }

  @Test(
    "texts with one number have one code",
    arguments: [
      ["0", "-0", "0.000", "-0e9", "1e-40", "+.0"], ["5", "5.0", "+5", "0005", "0.5e1", "50e-1"],
      [".5", "0.5", "5E-1"],
      [
        "2025-01", "2025-01-01", "2025-01-01T00:00", "2025-01-01 00:00:00.000Z", "2025-01-01T02:00+02:00",
        "2024-12-31T19:00-0500",
      ],
      ["12345678901234567", "12345678901234567.9", "123456789012345679e-1"], ["2025-02-01", "2025-01-31T23:59:60"],
      ["0001-01-01", "0001-01-01T00:00+05:00"],
    ])
  func equal(texts: [String]) {
    #expect(Set(texts.map { Self.code($0) }).count == 1)
    #expect(Self.code(texts[0]) != nil)
  }

  @Test("other texts have no number") func none() {
    let texts = [
      "", " ", "NaN", "inf", "1,5", "1 000", " 5", "5 ", "€5", "0x10", "e5", ".", "-", "1e", "1e1000000001", "1e68",
      String(repeating: "9", count: 65),
      String(repeating: "9", count: 400), "2023-02-29", "2025-13", "2025-00", "2025-01-00", "2025-1-1", "0000-01-01",
      "2025-01-31T24:00",
      "2025-01-31T10", "2025-01-31T10:60", "2025-01-31Z", "2025-01-31T10:00+24:00", "2025-01-31T10:00.5", "10000-01-01",
      "2025-01-31T10:00x",
    ]
    for text in texts { #expect(Self.code(text) == nil, "\(text)") }
  }

  @Test("a code's text has that code, and a code's bytes in a file give it again") func texts() throws {
    var random = SplitMix64(seed: 8)
    var texts = ["0", "1e67", "-1e67", "1e-31", "0001-01-01", "9999-12-31T23:59:59.999Z"]
    for _ in 0..<3000 {
      let digits = UInt64.random(in: 0..<UInt64(10) << UInt64.random(in: 0..<54, using: &random), using: &random)
      texts.append("\(Bool.random(using: &random) ? "-" : "")\(digits)e\(Int.random(in: -50...50, using: &random))")
      let day =
        "20\(Int.random(in: 10...99, using: &random))-0\(Int.random(in: 1...9, using: &random))-1\(Int.random(in: 0...9, using: &random))"
      texts.append(day + ["", "T1\(Int.random(in: 0...9, using: &random)):30:00.12"].randomElement(using: &random)!)
    }
    for case let (text, code?) in texts.map({ ($0, Self.code($0)) }) {
      #expect(Self.code(Self.text(code)) == code, "\(text), \(Self.text(code))")
    }
    #expect(Self.text(Self.code("19.990")!) == "19.99")
    #expect(Self.text(Self.code("-1500")!) == "-1500")
    #expect(Self.text(Self.code("1.5e40")!) == "15e39")
    #expect(Self.text(Self.code("2025-01-31T23:30:00.5+01:00")!) == "2025-01-31T22:30:00.500Z")
  }

  private static func range(_ text: String, ofDates: Bool = false) -> ClosedRange<UInt64>? {
    if case .codes(let range) = NumberCode.range(Array(text.utf8), ofDates: ofDates) { range } else { nil }
  }

  @Test("a range has both of its ends, and a month or a day all of its time") func ranges() throws {
    func has(_ range: String, _ text: String, ofDates: Bool = false) throws -> Bool {
      try #require(Self.range(range, ofDates: ofDates)).contains(try #require(Self.code(text)))
    }
    #expect(try has("20..50", "20") && has("20..50", "50.00") && !has("20..50", "50.01") && !has("20..50", "19.99"))
    #expect(
      try has("20", "20.0") && !has("20", "20.1") && has("20..", "1e9") && has("..50", "-3") && !has("..50", "51"))
    #expect(try has("2025-01", "2025-01-31T23:59:59.999") && !has("2025-01", "2025-02-01"))
    #expect(try has("2024-12..2025-01-30", "2025-01-30T12:00") && !has("2024-12..2025-01-30", "2025-01-31"))
    #expect(try has("2025", "2025-06-01", ofDates: true) && !has("2025", "2025-06-01") && has("2025", "2025"))
    #expect(try has("2024..2025", "2025-12-31T23:59", ofDates: true) && has("9999", "9999-12-31", ofDates: true))
    for text in ["", "..", "a..5", "5..a", "50..20", "2025-02..2025-01", "cheap", "5...."] {
      #expect(Self.range(text) == nil, "\(text)")
    }
  }
}
