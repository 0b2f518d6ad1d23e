import ShardBuilder
import TestSupport
import Testing

import CLibrary

@Suite("The mark of a published manifest") struct PublishedMarkTests {
  @Test("a file of the build counts as unchanged; a changed file does not, nor any file of a copy")
  func mark() throws {
    let place = TemporaryDirectory()
    var options = BuildOptions()
    options.key = "{name}"
    let list = place.write("{\"name\":\"a\"}\n{\"name\":\"b\"}\n", to: "list.jsonl")
    let index = place("index")
    _ = try ShardBuilder.build([list], into: index, options: options)
    let names = Files.names(in: index).filter { $0 != ".lock" }.sorted()
    let shard = try #require(names.first { $0.hasSuffix(".zst") })
    func changed(_ path: String) throws -> [String] {
      let isChanged = try Publisher(directory: path).changedSinceMark()
      return names.filter { isChanged($0) }
    }
    // A later time than that of the shard, also for a clock that seldom ticks.
    usleep(20_000)
    Files.move(index + "/manifest", to: place("manifest"))
    Files.move(place("manifest"), to: index + "/manifest")
    #expect(try changed(index) == names, "the manifest came again, by another program")
    try Publisher(directory: index).mark()
    #expect(try changed(index) == ["manifest"])
    // An unchanged build leaves the mark.
    #expect(try ShardBuilder.build([list], into: index, options: options).isUnchanged)
    #expect(try changed(index) == ["manifest"])
    Files.move(index, to: place("moved"))
    #expect(try changed(place("moved")) == ["manifest"])

    // A copy with the time of the lock file.
    Files.copy(place("moved"), to: place("copy"))
    Files.write([], to: place("copy/.lock"))
    var status = stat()
    #expect(stat(place("moved/.lock"), &status) == 0)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    #expect(time.tv_sec < 1 << 30 && utimensat(AT_FDCWD, place("copy/.lock"), [time, time], 0) == 0)
    #expect(try changed(place("copy")) == names)

    #expect(chmod(place("moved/" + shard), 0o600) == 0)
    #expect(try changed(place("moved")) == ["manifest", shard].sorted())
  }
}
