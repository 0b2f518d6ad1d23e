import ShardBuilder
import TestSupport
import Testing

/// The pieces at which a cut begins again, for each list of up to eight pieces of which the first is a restart.
@Suite struct SeamTests {
  @Test func restarts() {
    for count in 1...8 {
      for bits in 0..<(1 << (count - 1)) {
        let restarts = [0] + (1..<count).filter { bits >> ($0 - 1) & 1 == 1 }
        for piece in 0..<count {
          let near = Seam.restart(upTo: piece) { restarts.contains($0) }
          #expect(near == restarts.last { $0 <= piece })
          let certain = Seam.certainRestart(before: piece) { restarts.contains($0) }
          #expect(certain == restarts.last { $0 < near } ?? 0)
          for first in 0...piece {
            let found = Seam.restart(upTo: piece, from: first) { restarts.contains($0) }
            #expect(found == max(first, near))
          }
        }
      }
    }
  }
}
