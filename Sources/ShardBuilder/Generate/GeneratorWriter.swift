import ShardedIndex

/// A writer of bytes, one after the other, to memory that the caller knows to be large enough.
@safe struct GeneratorWriter {
  let start: UnsafeMutablePointer<UInt8>
  var count = 0

  @inline(__always) mutating func byte(_ byte: UInt8) {
    unsafe start[count] = byte
    count += 1
  }

  @inline(__always) mutating func text(_ text: StaticString) {
    let size = text.utf8CodeUnitCount
    for index in 0..<size { unsafe start[count + index] = unsafe text.utf8Start[index] }
    count += size
  }

  @inline(__always) mutating func code(_ code: UInt16) {
    byte(UInt8(code >> 8))
    byte(UInt8(truncatingIfNeeded: code))
  }

  mutating func number(_ number: Int) {
    unsafe count += NumberFormat.write(Int64(number), decimals: 0, trimmed: false, to: start + count)
  }

  /// Writes degrees times 10^5 as a program with 32-bit floats prints them: exact, or rounded to arc minutes first.
  mutating func coordinate(_ value: Int, isMinutes: Bool) {
    if isMinutes {
      let scaled = value * 60
      let minutes = (scaled + (scaled < 0 ? -50_000 : 50_000)) / 100_000
      unsafe count += NumberFormat(type: 3, a: 0, b: 6).write(Int64(minutes), to: start + count)
    } else {
      unsafe count += NumberFormat(type: 2, a: 5, b: 6).write(Int64(value), to: start + count)
    }
  }
}
