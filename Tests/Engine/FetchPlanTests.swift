import TestSupport
import Testing

import ShardedIndex

@Suite("The plan of fetches") struct FetchPlanTests {
  private func file(_ name: String, _ bytes: Range<Int64>, head: Int? = nil) -> FetchPlan.File {
    FetchPlan.File(name: name, bytes: bytes, head: head)
  }

  @Test("a small file comes whole from a far host, and from a host without ranges")
  func wholes() {
    var plan = FetchPlan()
    let (small, large) = (file("a", 0..<(96 << 10)), file("b", 0..<(96 << 10) + 1))
    #expect(plan.range(of: small, around: 10..<20) == small.bytes)
    #expect(plan.range(of: large, around: 10..<20) == 10..<20)
    plan.fetchesWholes = false
    #expect(plan.range(of: small, around: 10..<20) == 10..<20)
    plan.hasRanges = false
    #expect(plan.range(of: large, around: 10..<20) == large.bytes)
    #expect(plan.wholeLimit(of: large, isWhole: false) == large.bytes.upperBound)
    #expect(plan.wholeLimit(of: file("c", 0..<(1 << 20) + 1), isWhole: false) == 0)
  }

  @Test("the rest of a small manifest comes at once, and so do small starts of a large one")
  func manifests() {
    let plan = FetchPlan()
    let small = file("manifest", 0..<(128 << 10), head: 65536)
    let large = file("manifest", 0..<(1 << 20), head: 65536)
    #expect(plan.range(of: small, around: 70000..<70010) == 65536..<(128 << 10))
    #expect(plan.range(of: large, around: 70000..<70010) == 70000..<70010)
    let starts = file("manifest", 600_000..<800_000, head: 65536)
    #expect(plan.range(of: starts, in: [large], around: 700_000..<700_010) == 600_000..<800_000)
    // A file in the starts of a small manifest comes with the rest of that manifest.
    let inner = file("manifest", 71_000..<80_000)
    let window = file("manifest", 70_000..<80_000)
    #expect(plan.range(of: inner, in: [window, small], around: 71_000..<80_000) == 65536..<(128 << 10))
    #expect(plan.range(of: file("archive", 0..<100, head: 10), around: 20..<30) == 20..<30)
  }
}
