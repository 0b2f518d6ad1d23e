import TestSupport
import Testing

import ShardedIndex

/// A header made byte by byte, with one fault: docs/format.md §4.
@Suite("Rules of a shard's header") struct ShardHeaderTests {
  /// Counts, parts, suffix fields, codes, names, shapes, columns and row formats, with their defaults.
  private struct Made {
    var counts = (parts: 1, suffixFields: 0, columns: 1, shapes: 1, rowFormats: 0)
    var part: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    /// Suffix fields, the codes of their numbers, and the code of suffixes.
    var suffixFields: [UInt8] = [0]
    var shapes: [UInt8] = [1, 0]
    /// A constant of no bytes.
    var columns: [UInt8] = [0, 0, 0]
    var rowFormats: [UInt8] = []

    static func withSuffixFields(_ columns: [UInt8]) -> Made {
      var made = Made()
      made.counts.suffixFields = 2
      // Two suffix fields of a byte each, with a code of one bit.
      made.suffixFields = [1] + Array("xy".utf8) + [0x11, 0]
      made.columns = columns
      return made
    }

    /// A column of one number format, and the only row format.
    static func number(_ format: [UInt8], withSuffixFields hasSuffixFields: Bool = true) -> Made {
      var made = hasSuffixFields ? withSuffixFields([]) : Made()
      made.columns = [1, 5, 1] + format
      made.counts.rowFormats = 1
      return made
    }

    var content: [UInt8] {
      var writer = ByteWriter()
      writer.write(ShardHeader.magic)
      for count in [1, counts.parts, counts.suffixFields, counts.columns, counts.shapes, counts.rowFormats] {
        writer.writeVarint(count)
      }
      for _ in 0..<counts.parts { writer.write(part) }
      writer.write(suffixFields)
      for column in 0..<counts.columns { writer.write([2, UInt8(column / 256), UInt8(column % 256)]) }
      return writer.bytes + shapes + columns + rowFormats
    }
  }

  private func read(_ content: [UInt8], records: Int = 1) throws(FormatError) -> ShardHeader {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: content.count)
    defer { copy.deallocate() }
    _ = copy.initialize(from: content)
    return try ShardHeader(
      content: UnsafeBufferPointer(copy), records: records, fileSize: content.count, frameSize: content.count,
      name: { Int($0[0]) * 256 + Int($0[1]) })
  }

  private func expectRefused(_ made: Made, _ words: String, location: SourceLocation = #_sourceLocation) {
    let error = #expect(throws: FormatError.self, sourceLocation: location) { try read(made.content) }
    #expect("\(error!)".contains(words), "\(error!)", sourceLocation: location)
  }

  /// A format of type 1, base 5, values of three bits; and both contexts' ranges: two bits more than none, one added bit.
  private static let plainFormat: [UInt8] = [1, 0, 1, 10, 3]
  private static func ranges(
    contexts: UInt8 = 0b11, least: UInt8 = 0, excess: UInt8 = 2, most: UInt8 = 1, kept: UInt8 = 8,
    bits: [UInt8] = [0b101_010]
  ) -> [UInt8] { [1, 0, 1, 10, 0x83, contexts, least, excess, most, kept] + bits }

  @Test("right headers are read") func right() throws {
    _ = try read(Made().content)
    _ = try read(Made.withSuffixFields([0, 3, 0]).content)
    _ = try read(Made.withSuffixFields([0, 3, 3, 0, 1, 0x61]).content)
    _ = try read(Made.number(Self.plainFormat).content)
    _ = try read(Made.number(Self.ranges()).content)
    var sizes = Made.withSuffixFields([0, 3, 2])
    sizes.suffixFields = [0, 1, 2] + Array("xyz".utf8) + [0x11, 0]
    let header = try read(sizes.content)
    #expect((0..<2).map { Array(header.layout.pointee.suffixFieldTable.pointee[$0]) } == [[0x78], [0x79, 0x7a]])
  }

  @Test("wrong counts and sizes of parts are refused") func parts() {
    var made = Made()
    made.counts.parts = 2
    expectRefused(made, "counts beyond")
    for (at, value) in [(0, 0), (0, 2), (1, 1), (1, 2)] as [(Int, UInt8)] {
      var made = Made()
      made.part[at] = value
      expectRefused(made, "part 0 in a wrong place")
    }
    made = Made()
    made.part[2] = 1
    expectRefused(made, "do not fill the file")
  }

  @Test("wrong suffix fields and case rules are refused") func suffixFields() {
    expectRefused(.withSuffixFields([0, 3, 4]), "case rule 4")
    expectRefused(.withSuffixFields([3, 3, 0]), "a column of kind 3")
    var made = Made()
    made.columns = [0, 3, 0]
    expectRefused(made, "texts of suffix fields, and no suffix fields")
    made = .withSuffixFields([0, 0, 0])
    made.suffixFields = [0x80, 0x02] + [UInt8](repeating: 0x78, count: 512) + [0x11, 0]
    expectRefused(made, "a suffix field of 256 bytes")
    made.suffixFields = [0, 1, 0] + Array("x".utf8) + [0x11, 0]
    expectRefused(made, "a suffix field of 0 bytes")
  }

  @Test("wrong lengths of codes are refused") func codes() {
    // Of two suffix fields: a third length, a length too short, a half byte behind the last.
    for (code, words) in [
      ([0x01, 0x01], "more than 2 numbers"), ([0x0b, 0x11], "more than 2 numbers"),
      ([0x2f, 0x11], "more than 2 numbers"), ([0x21, 0x11], "more than 2 numbers"),
    ] as [([UInt8], String)] {
      var made = Made.withSuffixFields([0, 0, 0])
      made.suffixFields = [1] + Array("xy".utf8) + code + [0]
      expectRefused(made, words)
    }
    for (code, words) in [
      ([0x12, 0x01], "make no code"), ([0x21, 0x12], "make no code"), ([0x21, 0xf2], "make no code"),
      ([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], "more than 256 numbers"),
    ] as [([UInt8], String)] {
      var made = Made()
      made.suffixFields = code
      expectRefused(made, words)
    }
    var made = Made()
    made.suffixFields = [0x21, 0x02]
    #expect(throws: Never.self) { try read(made.content) }
  }

  @Test("wrong formats of numbers and wrong ranges are refused") func numbers() {
    expectRefused(.number([1, 0, 1, 10, 57]), "a value of 57 bits")
    expectRefused(.number([1, 0, 1, 10, 0x40]), "a value of 64 bits")
    expectRefused(.number([1, 0, 1] + [UInt8](repeating: 0xff, count: 10) + [3]), "over 64 bits")
    expectRefused(.number(Self.ranges(contexts: 0b111)), "a range of context 2")
    expectRefused(.number(Self.ranges(excess: 7)), "ranges of 7 and 1 bits")
    expectRefused(.number(Self.ranges(most: 33)), "ranges of 2 and 33 bits")
    expectRefused(.number(Self.ranges(least: 55)), "a value of 57 bits")
    expectRefused(.number(Self.ranges(bits: [0b1101_010])), "bits behind the last")
    expectRefused(.number(Self.ranges(bits: [])), "ends too early")
    var made = Made.number(Self.plainFormat)
    made.columns[2] = 2
    made.columns += Self.plainFormat
    made.rowFormats = [0b10]
    expectRefused(made, "bits behind the last")
    // Three formats take two bits, which have four values.
    made.columns[2] = 3
    made.columns += Self.plainFormat
    made.rowFormats = [0b11]
    expectRefused(made, "a row in the unknown format 3")
  }

  @Test("ranges are read from their bits") func ranges() throws {
    // At least two bits and at most five; of eight bits that may be added, those above the highest two of a value.
    var bits = BitWriterOfTests()
    bits.write(0, 2)  // Two bits: all eight are present.
    bits.write(0xa5, 8)
    bits.write(3, 2)  // Five bits: three zeros.
    bits.write(0x15, 5)
    let header = try read(Made.number(Self.ranges(least: 2, most: 8, kept: 2, bits: bits.bytes)).content)
    let model = header.layout.pointee.models
    let ranges = header.layout.pointee.ranges
    let found = (0..<2).map { model.pointee.range(in: ranges.row($0)) & 0xff_ffff_ffff }
    #expect(found == [2 | 0xa5 << 8, 5 | 0xa8 << 8])
    #expect(model.pointee.base == 5)
  }

  @Test("small headers that would take much memory are refused") func limits() throws {
    // 4,096 formats are read, one more is refused.
    func formats(_ columns: Int, _ each: Int, _ format: [UInt8], suffixFields: Int = 0) -> Made {
      var made = Made()
      made.counts.columns = columns
      made.counts.rowFormats = 1
      made.shapes = [0]
      let one: [UInt8] = [1, 5, UInt8(each)] + (0..<each).flatMap { _ in format }
      made.columns = (0..<columns).flatMap { _ in one }
      if suffixFields > 0 {
        made.counts.suffixFields = suffixFields
        // Lengths of eight bits for 256.
        made.suffixFields =
          [1] + (0..<suffixFields).map { UInt8($0) } + [UInt8](repeating: 0x88, count: suffixFields / 2) + [0]
      }
      var rows = 0
      for _ in 0..<columns { rows += 8 - (UInt8(each) - 1).leadingZeroBitCount }
      made.rowFormats = [UInt8](repeating: 0, count: (rows + 7) / 8)
      return made
    }
    let most = try read(formats(64, 64, Self.plainFormat).content)
    #expect(most.charge < 64 * 64 * 80)
    expectRefused(formats(65, 64, Self.plainFormat), "4160 number formats")
    // 256 contexts that each have a range of no bits in each of 1,024 formats.
    let format: [UInt8] = [1, 0, 1, 0, 0x80] + [UInt8](repeating: 0xff, count: 32) + [0, 0, 0, 0]
    let made = formats(64, 16, format, suffixFields: 256)
    let header = try read(made.content)
    #expect(header.charge < 2 << 20)
    expectRefused(formats(65, 16, format, suffixFields: 256), "1025 formats with ranges")
    // Row formats of no bits each.
    var rows = formats(257, 1, Self.plainFormat)
    rows.counts.rowFormats = 256
    expectRefused(rows, "256 row formats of 257 columns")
    // Thousands of columns have the suffix fields in capitals, which are made once.
    var cased = Made.withSuffixFields([])
    cased.counts.columns = 4096
    cased.shapes = [0]
    cased.columns = (0..<4096).flatMap { _ in [0, 3, 2] as [UInt8] }
    cased.suffixFields = [0xff, 0x01] + [UInt8](repeating: 0x61, count: 510) + [0x11, 0]
    let same = try read(cased.content)
    #expect(same.charge < 4096 * 200)
    #expect(same.layout.pointee.columns[0].texts == same.layout.pointee.columns[4095].texts)
    // Parts of no bytes.
    var parts = Made()
    parts.counts.parts = 50_000
    var content = parts.content
    content.replaceSubrange(4..<5, with: [0xd0, 0x86, 0x03])
    #expect(try read(content, records: 50_000).charge <= 10 * content.count + 1024)
  }
}

/// Bits, lowest first.
private struct BitWriterOfTests {
  private(set) var bytes: [UInt8] = []
  private var count = 0

  mutating func write(_ value: Int, _ width: Int) {
    for bit in 0..<width {
      if count % 8 == 0 { bytes.append(0) }
      bytes[count / 8] |= UInt8(value >> bit & 1) << UInt8(count % 8)
      count += 1
    }
  }
}
