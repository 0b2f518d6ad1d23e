import Foundation
import ShardBuilder
import ShardBuilderFoundation
import ShardedIndex
import ShardedIndexFoundation
import TestSupport
import Testing

@Suite("An index in programs that use Foundation") struct FoundationTests {
  @Test("an error's localized description is its message, without words of the command line")
  func errors() throws {
    let error = #expect(throws: IndexError.self) { try ShardedIndex(opening: "/no/such") }
    let text = try #require(error).localizedDescription
    #expect(
      text
        == "no index at /no/such: there is no such directory or archive; build one with ShardBuilder, or open another directory"
    )
    let plain = try SmallIndex(json: #"[{"name":"Ann"}]"#, key: "{name}").open
    let missing = #expect(throws: IndexError.self) { try plain.search("a") }
    #expect(
      try #require(missing).localizedDescription == "the index has no ranks; build it again with BuildOptions.weight")
    for feature in IndexFeature.allCases {
      #expect(!"\(IndexError.refused(.notBuilt(feature: feature)))".contains("--"))
    }
    #expect(FormatError.wrongDigest.localizedDescription == "\(FormatError.wrongDigest)")
  }

  @Test("a builder's error has its message as its localized description too") func builderErrors() throws {
    let error: any Error = try #require(throws: BuildError.self) {
      try ShardBuilder.build(["/no/such.csv"], into: "/no/such/index")
    }
    #expect(
      error.localizedDescription
        == "cannot create directory /no/such/index: No such file or directory; create its parent directory"
    )
    let pack: any Error = PackError.damagedShard(path: "x", reason: "has another size than the manifest says")
    #expect(
      pack.localizedDescription
        == "x has another size than the manifest says; repair the index with ShardBuilder.repair(_:from:), or build the index again"
    )
    let repair: any Error = RepairError.unprovenOverlay(path: "x/overlay")
    #expect(repair.localizedDescription == "\(RepairError.unprovenOverlay(path: "x/overlay"))")
  }

  @Test("a URL and a folder of a bundle open like their paths") func places() throws {
    let folder = TemporaryDirectory()
    let built = try SmallIndex(json: #"[{"name":"Ann"}]"#, key: "{name}")
    Files.copy(built.path, to: folder("n\u{e4}mes %20"))
    let url = URL(filePath: folder("n\u{e4}mes %20"), directoryHint: .isDirectory)
    #expect(try ShardedIndex(opening: url).recordCount == 1)
    let bundle = try #require(Bundle(path: folder.path))
    #expect(try ShardedIndex(resource: "n\u{e4}mes %20", in: bundle).recordCount == 1)
    #expect(throws: IndexError.notFound(path: "https://example.org/x")) {
      try ShardedIndex(opening: URL(string: "https://example.org/x")!)
    }
    let absent = #expect(throws: IndexError.self) { try ShardedIndex(resource: "absent", in: bundle) }
    #expect("\(try #require(absent))".contains(folder("absent")))
  }
}
