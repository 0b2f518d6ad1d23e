import CLibrary

/// Returns how many of the numbers below `count` the predicate holds for, given that it holds for none behind the first
/// for which it does not: a binary search, O(log `count`).
///
/// No branch depends on the numbers, since the processor would predict half of them wrong.
///
/// - Parameter isBefore: Told a number below `count`.
@inline(__always)
func partitionPoint(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
  guard count > 0 else { return 0 }
  var low = 0
  var size = count
  while size > 1 {
    let half = size >> 1
    low = choose(isBefore(low &+ half &- 1), low &+ half, low)
    size &-= half
  }
  return low &+ (isBefore(low) ? 1 : 0)
}
