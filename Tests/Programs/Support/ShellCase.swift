import TestSupport
import Testing

/// A few lines of shell that use `shardq`, with their whole output.
///
/// `sh` runs the lines in an empty directory of their own, with `shardq` and the system's tools in `PATH`. The tables in
/// `Messages/`, a file an area, hold every whole message; other tests compare the place and the advice of a message.
struct ShellCase: Sendable, CustomTestStringConvertible {
  /// The name of the case, for filters of tests.
  let name: String
  let script: String
  let status: Int
  /// The whole of standard output.
  let output: String
  /// The whole of standard error.
  let error: String

  init(_ name: String, _ script: String, status: Int = 0, output: String = "", error: String = "") {
    (self.name, self.script, self.status, self.output, self.error) = (name, script, status, output, error)
  }

  var testDescription: String { name }

  /// Runs the lines and compares all three.
  func check(_ location: SourceLocation = #_sourceLocation) {
    let scratch = TemporaryDirectory()
    let result = Program.run(
      ["-c", "cd '\(scratch.path)' || exit 99\n" + script], program: "/bin/sh",
      variables: [
        "PATH=\(Program.directory!):/usr/local/bin:/usr/bin:/bin", "HOME=\(scratch.path)", "SWIFT_BACKTRACE=enable=no",
      ])
    #expect(result.status == status, "\(name): \(result)", sourceLocation: location)
    #expect(result.output == output, "\(name)", sourceLocation: location)
    #expect(result.error == error, "\(name)", sourceLocation: location)
  }
}
