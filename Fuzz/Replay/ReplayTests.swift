import Foundation
import Testing

/// Runs every seed and kept input through its target, as `Fuzz/run.sh --replay` does with the address sanitizer.
@Suite("Fuzz targets") struct ReplayTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  /// The names of the inputs of a target, in the folders of seeds and of kept inputs.
  static func inputs(_ target: String) -> [String] {
    ["Corpora", "Cases"].flatMap { kind in
      let path = folder.appending(path: "\(kind)/\(target)").path
      return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted().map { path + "/" + $0 }
    }
  }

  /// The file in which the replaying process, a child of `process`, notes the input that it is at.
  static func note(_ process: pid_t) -> String { NSTemporaryDirectory() + "shardq-replay-\(process)" }

  /// A target takes the place of standard input and ends the process at a broken promise, so it has its own process.
  @Test("every seed and kept input keeps the promises") func replay() async throws {
    await #expect(processExitsWith: .success) {
      var count = 0
      for (name, type) in fuzzTargets {
        let target = type.init()
        for path in ReplayTests.inputs(name) {
          RawFile.write(Array(path.utf8), to: ReplayTests.note(getppid()))
          RawFile.read(path).withUnsafeBufferPointer { target.run($0) }
          count += 1
        }
      }
      RawFile.write(Array("the end of \(count) inputs".utf8), to: ReplayTests.note(getppid()))
    }
    let note = Self.note(getpid())
    let place = try String(contentsOfFile: note, encoding: .utf8)
    try FileManager.default.removeItem(atPath: note)
    let count = fuzzTargets.reduce(0) { $0 + Self.inputs($1.name).count }
    #expect(place == "the end of \(count) inputs", "Fuzz/run.sh --replay prints the promise that this input broke")
    #expect(count > 600)
  }

  @Test("every folder of inputs has a target, and every target has seeds") func folders() throws {
    let names = Set(fuzzTargets.map(\.name))
    for kind in ["Corpora", "Cases"] {
      let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.appending(path: kind).path)
      #expect(names.isSuperset(of: folders), "\(kind)")
    }
    for name in names { #expect(!Self.inputs(name).isEmpty, "\(name)") }
  }
}
