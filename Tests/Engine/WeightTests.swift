import ShardedIndex
import TestSupport
import Testing

@Suite("Weights of records") struct WeightTests {
  private func weight(_ text: String, scale: String? = nil) -> UInt64 {
    let rule = WeightRule(scale: scale)!
    return unsafe Array(text.utf8).withUnsafeBufferPointer { unsafe rule.weight(of: $0) }
  }

  @Test(
    "the weight of a decimal number is its whole part",
    arguments: [
      ("0", 0), ("7", 7), ("+7", 7), ("2138551", 2_138_551), ("9.99", 9), (".5", 0), ("5.", 5), ("1e3", 1000),
      ("1.2345E3", 1234), ("12345e-2", 123), ("0.000e9", 0), ("000123", 123), ("1e-1000000000", 0),
    ] as [(String, UInt64)])
  func numbers(text: String, expected: UInt64) { #expect(weight(text) == expected) }

  @Test(
    "the weight of any other text is 0",
    arguments: [
      "", " 1", "1 ", "-", "+", ".", "e3", "1e", "1e+", "NaN", "inf", "0x10", "1,000", "--1", "1.2.3", "null",
      "1e1000000001", String(repeating: "1", count: 65),
    ])
  func others(text: String) { #expect(weight(text) == 0) }

  @Test("a weight below 0 is 0, and a weight above 2^63 - 1 is 2^63 - 1")
  func limits() {
    #expect(weight("-1") == 0)
    #expect(weight("-1e30") == 0)
    #expect(weight("1e30") == UInt64(Int64.max))
    #expect(weight("9223372036854775807") == 9_223_372_036_854_775_807)
    #expect(weight("9223372036854775808") == 9_223_372_036_854_775_807)
    #expect(weight("18446744073709551616") == 9_223_372_036_854_775_807)
    #expect(weight("1e1000000000") == 9_223_372_036_854_775_807)
    #expect(weight(String(repeating: "9", count: 64)) == 9_223_372_036_854_775_807)
  }

  @Test("the scale's product is exact, and rounded down")
  func scales() {
    #expect(weight("0.7", scale: "1000") == 700)
    #expect(weight("1999", scale: "0.001") == 1)
    #expect(weight("3", scale: "0.3333333333333333333333333333333333") == 0)
    #expect(weight("3", scale: "0.33333333333333333333333333333333334") == 1)
    #expect(weight("1e-500000000", scale: "1e500000001") == 10)
    #expect(WeightRule(scale: "10")!.weight(of: 12) == 120)
    for scale in ["0", "-1", "", "x", "0.0"] { #expect(WeightRule(scale: scale) == nil, "\(scale)") }
  }

  @Test("codes have 2,048 steps an octave, and never fall")
  func codes() {
    #expect(WeightRule.code(0) == 0)
    #expect(WeightRule.code(1) == 1)
    #expect(WeightRule.code(2) == 2049)
    #expect(WeightRule.code(3) == 2049 + 1024)
    #expect(WeightRule.code(1 << 31) == 2048 * 31 + 1)
    #expect(WeightRule.code(UInt64(Int64.max)) == 65535)
    var random = SplitMix64(seed: 7)
    for _ in 0..<10_000 {
      let weight = random.next() >> (1 + random.next() % 63)
      #expect(WeightRule.code(weight) <= WeightRule.code(weight + 1))
    }
  }

  @Test("a code has a greatest weight, which is the weight itself below 4,096")
  func weightsOfCodes() {
    let last = UInt64(1 << 32) - (1 << 21)  // The first weight with the greatest code.
    #expect(WeightRule.code(last - 1) == 65534 && WeightRule.code(last) == 65535)
    for code in 0...65534 {
      let greatest = WeightRule.greatest(ofCode: code)
      #expect(WeightRule.code(greatest) <= code && code < WeightRule.code(greatest + 1), "\(code)")
    }
    for weight in 0...4095 as ClosedRange<UInt64> {
      #expect(WeightRule.greatest(ofCode: WeightRule.code(weight)) == weight)
    }
    #expect(WeightRule.greatest(ofCode: 65535) == WeightRule.limit)
  }

  @Test("the weight of an entry has the score of its records, and the greatest weight that they can have")
  func weightsOfEntries() {
    let kinds = [EntryKind.form, .word, .name, .init(.name, loss: 16), .init(.field, loss: 4), .init(.field, loss: 16)]
    for kind in kinds {
      let raise = max(3, -kind.bonus) * 2048
      #expect(EntryKind(mark: kind.mark) == kind)
      for weight in [0, 1, 2, 7, 8, 4095, 1 << 31, WeightRule.limit] as [UInt64] {
        let own = UInt64(kind.weight(ofRecords: weight, raise: raise))
        #expect(own <= UInt64(EntryKind.weightLimit))
        #expect(EntryKind.score(ofEntry: own, raise: raise) == WeightRule.code(weight) + 2048 * kind.bonus)
        #expect(kind.greatestWeight(ofEntry: own, raise: raise) >= weight)
        #expect(kind.greatestWeight(ofEntry: own, raise: raise) == weight || weight > 4095)
      }
      #expect(kind.greatestWeight(ofEntry: .max, raise: raise) == WeightRule.limit)
    }
  }

  @Test("a field may have a bonus behind its last colon")
  func textFields() {
    for (text, path, loss) in [
      ("a", "a", 5), ("a:-4", "a", 4), ("a:-16", "a", 16), ("a:-3", "a", nil), ("a:-17", "a", nil), ("a:4", "a", nil),
      ("a:b", "a:b", 5), ("a:", "a:", 5), ("a:-", "a:-", 5), (":-7", "", 7), ("a:1:-5", "a:1", 5),
      ("a:-99999999999999999999", "a", nil),
    ] as [(String, String, Int?)] {
      let field = TextField(text, ofNames: false)
      #expect(field.path == path && field.loss == loss, "\(text)")
    }
    #expect(TextField("a", ofNames: true).loss == 0 && TextField("a:+0", ofNames: true).loss == 0)
    #expect(TextField("a:1", ofNames: true).loss == nil)
  }
}
