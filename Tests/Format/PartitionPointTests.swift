import TestSupport
import Testing

import ShardedIndex

@Suite("Binary search") struct PartitionPointTests {
  @Test("the search finds every boundary of every count, and asks for no number beyond it") func boundaries() {
    for count in 0...130 {
      for boundary in 0...count {
        var asked = 0
        let found = partitionPoint(count) { number in
          #expect(0..<count ~= number)
          asked += 1
          return number < boundary
        }
        #expect(found == boundary, "\(count)")
        // One question more than the halvings of the count.
        #expect(asked <= max(0, Int.bitWidth - (max(1, count) - 1).leadingZeroBitCount + 1))
      }
    }
  }

  @Test("the search stays within the count if the predicate goes back and forth") func disorder() {
    for count in 0...64 {
      for mask in [UInt64(0x5555_5555_5555_5555), 0xaaaa_aaaa_aaaa_aaaa, 0x0f0f_0f0f_0f0f_0f0f] {
        #expect(0...count ~= partitionPoint(count) { mask >> UInt64($0) & 1 == 1 })
      }
    }
  }
}
