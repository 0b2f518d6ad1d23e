import CLibrary

/// Returns the number of leading numbers below `count` for which the predicate holds, by a binary search. O(log
/// `count`). The predicate must hold for no number behind the first for which it fails.
///
/// No branch depends on the predicate, since the processor would predict half of the branches wrong.
///
/// - Parameter isBefore: The predicate of a number below `count`.
@inline(__always)
package func partitionPoint(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
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
