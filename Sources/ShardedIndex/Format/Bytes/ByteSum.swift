/// Returns the sum of all bytes, which cannot wrap. A loop compiles to fewer instructions than a sum of wider lanes.
@inline(__always) func sum(_ bytes: SIMD16<UInt8>) -> Int {
  var sum = 0
  for index in 0..<16 { sum &+= Int(bytes[index]) }
  return sum
}

/// Returns the sum of the first `count` bytes, fewer than 16; 16 are readable. Lanes of 16 bits hold it.
@inline(__always) func sum(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
  // Without a branch: the processor cannot predict the count.
  let words = unsafe bytes.load(as: SIMD2<UInt64>.self)
  let (low, high) = (UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1]))
  // Shifts by 64 or more give zero, for words behind the count.
  let first = low & ~(UInt64.max << UInt64(8 &* count))
  let second = high & ~(UInt64.max << UInt64(8 &* max(0, count &- 8)))
  let lanes: UInt64 = 0x00ff_00ff_00ff_00ff
  let pairs = (first & lanes) &+ (first >> 8 & lanes) &+ (second & lanes) &+ (second >> 8 & lanes)
  return Int((pairs &* 0x0001_0001_0001_0001) >> 48)
}
