import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Tools for making columns") struct ColumnTests {
  @Test("a table numbers texts in order of first appearance", arguments: UInt64(1)...8) func table(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    // Sizes around those at which the comparison changes its loads.
    let texts = (0..<400).map { _ in
      let size = Int.random(in: 0...20, using: &random)
      return (0..<size).map { _ in UInt8.random(in: 0...(seed < 5 ? 1 : 255), using: &random) }
    }
    let memory = texts.map { text in
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count)
      _ = copy.initialize(from: text)
      return copy
    }
    defer { for text in memory { text.deallocate() } }
    var table = TextTable(limit: texts.count)
    var expected: [[UInt8]] = []
    for (text, copy) in zip(texts, memory) {
      if !expected.contains(text) { expected.append(text) }
      #expect(table.number(of: UnsafeBufferPointer(copy)) == expected.firstIndex(of: text))
    }
    #expect(table.texts.map { Array($0) } == expected)
  }

  @Test("numbers that repeat are left to zstd, others are packed") func packing() {
    var random = SplitMix64(seed: 1)
    func isPacked(_ numbers: [Int]) -> Bool { HuffmanEncoder(numbers.map { UInt8($0) }).isPresent }
    #expect(isPacked((0..<2000).map { _ in Int.random(in: 0..<180, using: &random) }))
    #expect(isPacked((0..<2000).map { _ in Int.random(in: 0..<3, using: &random) }))
    // Numbers in cycles, in runs of different lengths, and equal ones.
    for cycle in [2, 3, 7, 64, 180] { #expect(!isPacked((0..<2000).map { $0 % cycle }), "\(cycle)") }
    let run = (0..<40).flatMap { number in
      [Int](repeating: number % 5, count: Int.random(in: 20..<80, using: &random))
    }
    #expect(!isPacked(run))
    #expect(!isPacked([Int](repeating: 9, count: 2000)))
    // A cycle that is longer than a part does not repeat within the part.
    #expect(isPacked((0..<20000).map { $0 * $0 / 7 % 251 * ($0 / 251 % 3 + 1) % 200 }))
    let text = Array("some letters that a language has, often the same ones, but not the same words".utf8)
    #expect(HuffmanEncoder(text: (0..<4000).map { _ in text.randomElement(using: &random)! }, records: 1000).isPresent)
    #expect(!HuffmanEncoder(text: (0..<60).flatMap { _ in text }, records: 1000).isPresent)
  }

  @Test("texts are equal if their bytes are", arguments: 0...20) func equality(size: Int) {
    let text = (0..<size).map { UInt8($0) }
    text.withUnsafeBufferPointer { text in
      #expect(equalBytes(text, text))
      for changed in 0..<size {
        var other = Array(text)
        other[changed] ^= 0x80
        other.withUnsafeBufferPointer { #expect(!equalBytes(text, $0)) }
      }
      if size > 0 { #expect(!equalBytes(text, UnsafeBufferPointer(rebasing: text[1...]))) }
    }
  }

  @Test("bits are read as they were written", arguments: UInt64(1)...8) func bits(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let runs = (0..<300).map { _ in
      let width = Int.random(in: 0...56, using: &random)
      return (value: UInt64.random(in: 0...(1 << UInt64(width)) - 1, using: &random), width: width)
    }
    var writer = BitWriter(bitCount: runs.reduce(0) { $0 + $1.width })
    for run in runs { writer.write(run.value, run.width) }
    let expected = runs.flatMap { run in (0..<run.width).map { run.value >> UInt64($0) & 1 } }
    #expect(writer.bitCount == expected.count)
    let bytes = writer.finish()
    #expect(bytes.count == (expected.count + 7) / 8)
    for bit in 0..<bytes.count * 8 {
      let isSet = UInt64(bytes[bit / 8] >> UInt8(bit % 8) & 1)
      #expect(isSet == (bit < expected.count ? expected[bit] : 0))
    }
  }

  @Test("contexts' ranges take less than they save", arguments: UInt64(1)...8) func ranges(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var (with, without) = (0, 0)
    for _ in 0..<200 {
      let contexts = Int.random(in: 2...60, using: &random)
      let (step, spread) = (Int.random(in: 1...500, using: &random), Int.random(in: 0...5000, using: &random))
      let suffixField = SuffixField(
        texts: (0..<contexts).map { [UInt8($0)] },
        codes: (0..<Int.random(in: 10...400, using: &random)).map { _ in
          UInt8.random(in: 0..<UInt8(contexts), using: &random)
        })
      let digits = suffixField.codes.map { context in
        Array(String(Int(context) * step + Int.random(in: 0...spread, using: &random)).utf8)
      }
      /// The size of the column in the header, and of the rows of its values, in bits.
      func size(_ suffixField: SuffixField) throws -> (header: Int, rows: Int) {
        let joined = digits.flatMap { $0 }
        return try joined.withUnsafeBufferPointer { joined in
          var end = 0
          let texts = digits.map { text in
            defer { end += text.count }
            return UnsafeBufferPointer(rebasing: joined[end..<end + text.count])
          }
          return try texts.withUnsafeBufferPointer { texts in
            let column = try #require(NumberColumnEncoder(texts, suffixField))
            var writer = ByteWriter()
            column.write(to: &writer, contexts: suffixField.contextCount)
            var values = [NumberColumnEncoder.Value](repeating: .init(0, width: 0), count: texts.count)
            column.store(to: &values, from: 0, stride: 1, suffixField)
            return (8 * writer.bytes.count, values.reduce(0) { $0 + $1.width })
          }
        }
      }
      let (own, plain) = (try size(suffixField), try size(SuffixField()))
      // The last byte of the ranges need not be full.
      #expect(own.header + own.rows < plain.header + plain.rows + 8)
      if own.header > plain.header { with += 1 } else { without += 1 }
    }
    #expect(with > 20 && without > 20, "\(with) with ranges, \(without) without")
  }

  @Test("a format prints the number that it writes") func printed() {
    var random = SplitMix64(seed: 1)
    for format in [
      NumberFormat(type: 3, a: 0, b: 6), NumberFormat(type: 2, a: 4, b: 6), NumberFormat(type: 2, a: 5, b: 6),
    ] {
      for bits in 1...40 {
        for _ in 0..<50 {
          let value = Int64.random(in: -(1 << Int64(bits))...1 << Int64(bits), using: &random)
          withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * NumberFormat.longestText) { buffer in
            let size = format.write(value, to: buffer.baseAddress!)
            let text = buffer.baseAddress! + NumberFormat.longestText
            let other = NumberFormat.write(format.printed(value), decimals: 6, trimmed: true, to: text)
            #expect(buffer[..<size].elementsEqual(UnsafeBufferPointer(start: text, count: other)), "\(format) \(value)")
          }
        }
      }
    }
  }

  @Test(
    "plain numbers may have any number of digits",
    arguments: OrderTests.texts + ["-1.", "-.5", "1.5.", "123.456", "-7"])
  func digits(text: String) {
    Array(text.utf8).withUnsafeBufferPointer { text in
      guard let count = DecimalText.digitCount(ofPlain: text) else { return }
      #expect(count == DecimalText(text)?.digitCount)
    }
  }
}
