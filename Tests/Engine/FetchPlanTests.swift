import TestSupport
import Testing

import ShardedIndex

@Suite("The plan of fetches") struct FetchPlanTests {
  @Test("a small file comes whole from a far host, and from a host without ranges")
  func wholes() {
    var plan = FetchPlan()
    let (small, large): (Range<Int64>, Range<Int64>) = (0..<(96 << 10), 0..<(96 << 10) + 1)
    #expect(plan.file(.other, small).range(around: 10..<20) == small)
    #expect(plan.file(.other, large).range(around: 10..<20) == 10..<20)
    plan.fetchesWholes = false
    #expect(plan.file(.other, small).range(around: 10..<20) == 10..<20)
    plan.hasRanges = false
    #expect(plan.file(.other, large).range(around: 10..<20) == large)
    #expect(plan.file(.other, 0..<(1 << 20) + 1).range(around: 10..<20) == 10..<20)
  }

  @Test("the rest of a small manifest comes at once, and so do small starts of a large one")
  func manifests() {
    let plan = FetchPlan()
    let small = plan.file(.manifest, 0..<(128 << 10))
    let large = plan.file(.manifest, 0..<(1 << 20))
    #expect(small.range(around: 70000..<70010) == 65536..<(128 << 10))
    #expect(large.range(around: 70000..<70010) == 65536..<81920)
    #expect(large.range(around: 81919..<81921) == 65536..<98304)
    #expect(large.range(around: (1 << 20) - 1..<1 << 20) == (1 << 20) - 16384..<1 << 20)
    let starts = plan.file(.manifest, 600_000..<800_000, in: large)
    #expect(starts.range(around: 700_000..<700_010) == 600_000..<800_000)
    // Files in the starts of a small manifest come with the rest of that manifest.
    let window = plan.file(.manifest, 70_000..<80_000, in: small)
    for inner in [plan.file(.manifest, 71_000..<75_000, in: window), plan.file(.other, 75_000..<80_000, in: window)] {
      #expect(inner.range(around: 75_000..<75_000) == 65536..<(128 << 10))
    }
  }

  @Test("an archive comes in blocks, and its files as files of a directory do")
  func archives() {
    var plan = FetchPlan()
    let archive = plan.file(.archive, 0..<(1 << 30))
    #expect(archive.range(around: 20000..<20010) == 16384..<32768)
    #expect(plan.file(.manifest, 38..<70_000, in: archive).range(around: 66_000..<66_010) == 65536..<70_000)
    #expect(plan.file(.other, 80_000..<90_000, in: archive).range(around: 80_000..<80_010) == 80_000..<90_000)
    // Bytes that should have come with the first read come alone.
    #expect(plan.file(.manifest, 38..<1000, in: archive).range(around: 900..<1000) == 900..<1000)
    plan.fetchesWholes = false
    #expect(plan.file(.archive, 0..<(1 << 30)).range(around: 20000..<20010) == 20000..<20010)
    #expect(plan.file(.manifest, 0..<(1 << 20)).range(around: 70000..<70010) == 70000..<70010)
  }
}
