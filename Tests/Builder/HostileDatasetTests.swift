import Foundation
import ShardedIndex
import TestSupport
import Testing

import ShardBuilder

/// Datasets that could make a build take excessive memory or time. docs/hostile-bytes.md has the costs before their
/// bounds; these tests measure memory, in a process of their own, and no times.
@Suite("Datasets made to exhaust memory", .serialized) struct HostileDatasetTests {
  private static func build(_ dataset: [UInt8], suffix: String, key: String) -> (BuildSummary?, BuildError?) {
    let directory = TemporaryDirectory.untilExit()
    Files.write(dataset, to: directory + "/dataset" + suffix)
    var options = BuildOptions()
    (options.key, options.jobs, options.level) = (key, 2, 1)
    do throws(BuildError) {
      return (
        try ShardBuilder.build([directory + "/dataset" + suffix], into: directory + "/index", options: options), nil
      )
    } catch {
      return (nil, error)
    }
  }

  private static func growth(_ body: () -> Void) -> Int {
    let growth = MemoryGrowth()
    body()
    return growth.bytes >> 20
  }

  @Test("forty thousand records may have a field of their own each")
  func sparse() async {
    await #expect(processExitsWith: .success) {
      let lines = (0..<40_000).map { "{\"n\":\"a\($0 % 7)\",\"f\($0)\":\"\"}\n" }.joined()
      let grown = Self.growth {
        let (summary, error) = Self.build(Array(lines.utf8), suffix: ".jsonl", key: "{n}")
        #expect(error == nil && summary?.recordsIndexed == 40_000, "\(String(describing: error))")
      }
      #expect(grown < 300, "\(grown) MiB")
    }
  }

  @Test("a long name around many short ones is bounded")
  func longPaths() async {
    await #expect(processExitsWith: .success) {
      let members = (0..<4000).map { "\"m\($0)\":1" }.joined(separator: ",")
      let line = "{\"n\":\"a\",\"" + String(repeating: "x", count: 1 << 20) + "\":{" + members + "}}\n"
      let grown = Self.growth {
        let (_, error) = Self.build(Array(line.utf8), suffix: ".jsonl", key: "{n}")
        #expect(error?.description.contains("MiB of them") == true, "\(String(describing: error))")
      }
      #expect(grown < 300, "\(grown) MiB")
    }
  }

  @Test("a header of one column may have a name of dots alone")
  func dots() async {
    await #expect(processExitsWith: .success) {
      let header = String(repeating: "a.", count: 4 << 20) + "a,n\n1,b\n"
      let grown = Self.growth {
        let (summary, error) = Self.build(Array(header.utf8), suffix: ".csv", key: "{n}")
        #expect(error == nil && summary?.recordsIndexed == 1, "\(String(describing: error))")
      }
      #expect(grown < 300, "\(grown) MiB")
    }
  }

  @Test("a header that is no path is one name, with which another header may begin")
  func clash() {
    let names = FieldPath.paths(ofHeaders: ["\\", "\\\\.x"])
    #expect(names == ["\\\\", "\\\\\\\\\\.x"])
    #expect(FieldPath.paths(ofHeaders: names) == names)
  }

  @Test("paths nest as deep as records do, and no deeper")
  func depth() {
    for depth in [2, 63, 64, 65, 200] {
      let header = (0..<depth).map { "s\($0)" }.joined(separator: ".")
      let path = FieldPath.paths(ofHeaders: [header])[0]
      #expect(path == (depth <= 64 ? header : header.replacing(".", with: "\\.")), "\(depth)")
    }
  }

  @Test("a shard holds a record at the limit, and refuses one above it")
  func largest() throws {
    let index = try SmallIndex(
      json: "{\"name\":\"a\",\"text\":\"" + String(repeating: "x", count: RecordEncoder.recordLimit - 200) + "\"}\n",
      key: "{name}", suffix: ".jsonl")
    let record = try #require(try index.open.matches(forPrefix: "a").records(in: 0..<1).first)
    #expect(record["text"]?.utf8.count == RecordEncoder.recordLimit - 200)
    let (_, error) = Self.build(
      Array(("name,text\na," + String(repeating: "x", count: RecordEncoder.recordLimit) + "\n").utf8), suffix: ".csv",
      key: "{name}")
    #expect(
      error?.description.contains("the most is \(RecordEncoder.recordLimit)") == true, "\(String(describing: error))")
  }

  @Test("a template that is too long for a manifest is refused")
  func template() {
    // A combining accent has two bytes, and none in a folded key.
    let key = "{n}" + String(repeating: "\u{301}", count: Manifest.settingLimit / 2)
    let (_, error) = Self.build(Array("{\"n\":\"a\"}\n".utf8), suffix: ".jsonl", key: key)
    let size = Manifest.settingLimit + 3
    #expect(error?.description.contains("the key has \(size) bytes") == true, "\(String(describing: error))")
  }
}
