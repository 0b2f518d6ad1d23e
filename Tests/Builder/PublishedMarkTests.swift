import ShardBuilder
import TestSupport
import Testing

import CLibrary

@Suite("The mark of a published manifest") struct PublishedMarkTests {
  @Test("a file of the build counts as unchanged; a changed file does not, nor any file of a copy")
  func mark() throws {
    let place = TemporaryDirectory()
    var options = BuildOptions()
    (options.key, options.words, options.starts) = ("{name}", .all, true)
    let list = place.write("{\"name\":\"a c\"}\n{\"name\":\"b\"}\n", to: "list.jsonl")
    let index = place("index")
    _ = try ShardBuilder.build([list], into: index, options: options)
    let names = Files.names(in: index).filter { $0.hasSuffix(".zst") }.sorted()
    let shard = try #require(names.first)
    func changed(_ path: String) throws -> [String] {
      try Publisher(directory: path).changedSinceMark(names).sorted()
    }
    // A later time than that of the shard, also for a clock that seldom ticks.
    usleep(20_000)
    Files.move(index + "/manifest", to: place("manifest"))
    Files.move(place("manifest"), to: index + "/manifest")
    #expect(try changed(index) == names, "the manifest came again, by another program")
    try Publisher(directory: index).mark(names)
    #expect(try changed(index) == [])
    // An unchanged build leaves the mark.
    #expect(try ShardBuilder.build([list], into: index, options: options).isUnchanged)
    #expect(try changed(index) == [])
    Files.move(index, to: place("moved"))
    #expect(try changed(place("moved")) == [])

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
    #expect(try changed(place("moved")) == names, "a file with another time than when the manifest came")
  }
}
