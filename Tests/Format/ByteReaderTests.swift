import TestSupport
import Testing

import ShardBuilder
import ShardedIndex

@Suite("Numbers in bytes and bits") struct ByteReaderTests {
  @Test(
    "signed varints are read as they were written",
    arguments: [0, 1, -1, 63, -64, 64, -65, 1 << 40, -(1 << 40), .max, .min, .max - 1, .min + 1])
  func signed(value: Int64) throws {
    var writer = ByteWriter()
    writer.writeSignedVarint(value)
    #expect(writer.bytes.count <= 10)
    try writer.bytes.withUnsafeBufferPointer { bytes in
      var reader = ByteReader(bytes)
      let found = try reader.readSignedVarint()
      #expect(found == value)
      #expect(reader.remaining == 0)
      var cut = ByteReader(UnsafeBufferPointer(rebasing: bytes.dropLast()))
      #expect(throws: FormatError.self) { try cut.readSignedVarint() }
    }
  }

  @Test("signed varints of more than 64 bits are refused") func overlong() throws {
    let all = [UInt8](repeating: 0xff, count: 9)
    for (end, isValid) in [([0x01], true), ([0x02], false), ([0x81, 0x00], false), ([0xff], false)] as [([UInt8], Bool)]
    {
      try (all + end).withUnsafeBufferPointer { bytes in
        var reader = ByteReader(bytes)
        if isValid {
          let found = try reader.readSignedVarint()
          #expect(found == .min)
        } else {
          #expect(throws: FormatError.self) { try reader.readSignedVarint() }
        }
      }
    }
  }

  @Test("bits are read up to the last byte and no further", arguments: UInt64(1)...20) func bits(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let widths = (0..<Int(1 + random.next() % 40)).map { _ in Int(random.next() % 57) }
    let values = widths.map { random.next() & (1 << UInt64($0) - 1) }
    let count = widths.reduce(0, +)
    var writer = BitWriter(bitCount: count)
    for (value, width) in zip(values, widths) { writer.write(value, width) }
    let bytes = [9] + writer.finish()
    try (bytes + [7]).withUnsafeBufferPointer { all in
      var reader = ByteReader(all)
      _ = try reader.read(UInt8.self)
      var bits = BitReader(reader)
      for (value, width) in zip(values, widths) {
        let found = try bits.read(width)
        #expect(found == value)
      }
      try bits.finish(&reader)
      #expect(reader.remaining == 1)
    }
    // Without a byte behind, the last byte has no more bits.
    try bytes.withUnsafeBufferPointer { all in
      var reader = ByteReader(all)
      _ = try reader.read(UInt8.self)
      var bits = BitReader(reader)
      for width in widths { _ = try bits.read(width) }
      #expect(throws: FormatError.self) { try bits.read((-count & 7) + 1) }
    }
    guard count % 8 != 0 else { return }
    var filled = bytes
    filled[filled.count - 1] |= 0x80
    try filled.withUnsafeBufferPointer { all in
      var reader = ByteReader(all)
      _ = try reader.read(UInt8.self)
      var bits = BitReader(reader)
      for width in widths { _ = try bits.read(width) }
      #expect(throws: FormatError.self) { try bits.finish(&reader) }
    }
  }

  @Test("a byte's case is that of 16 at once", arguments: [0, 1, 2] as [UInt8]) func letterCase(rule: UInt8) {
    var random = SplitMix64(seed: UInt64(rule))
    let alphabet = Array("abz019'- .AZ".utf8) + [0x01, 0x7f, 0x80, 0xc3, 0xa9, 0x60, 0x7b]
    for _ in 0..<200 {
      let text = (0..<Int(random.next() % 40)).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
      let source = [0] + text + [UInt8](repeating: 0, count: 32)
      var target = [UInt8](repeating: 0, count: text.count + 32)
      source.withUnsafeBufferPointer { source in
        target.withUnsafeMutableBufferPointer { target in
          Spelling.applyCase(
            rule, UnsafeBufferPointer(rebasing: source[1..<1 + text.count]), to: target.baseAddress!)
        }
      }
      let alone = text.indices.map { Spelling.cased(text[$0], behind: $0 == 0 ? 0 : text[$0 - 1], rule) }
      #expect(alone == Array(target[..<text.count]), "\(text)")
    }
  }
}
