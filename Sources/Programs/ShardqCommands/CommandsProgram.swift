import CLibrary
import QueryOutput

/// The commands as a program: `shardq-commands`, and `shardq-remote` with more work.
package enum CommandsProgram {
  #if CommandLineTool
    /// Runs the command of the process's arguments.
    ///
    /// - Parameter remote: The work of a program that links libcurl; nil for another program.
    package static func run(_ remote: RemoteWork? = nil) -> Never {
      check()
      RemoteWork.own = remote
      return_megabytes()
      // A write beyond a file's limit is an error like any other.
      signal(SIGXFSZ, SIG_IGN)
      CommandLineParser.run(Array(CommandLine.arguments.dropFirst()))
    }
  #else
    package static func run() -> Never {
      check()
      Diagnostics.report(
        "this build has only queries; build the commands with: swift build -c release --traits CommandLineTool")
      exit(ExitStatus.usage.rawValue)
    }
  #endif

  /// Refuses arguments that are no text, and runs the guard of a terminal.
  package static func check() {
    if CommandLine.argc == 2, strcmp(CommandLine.unsafeArgv[1]!, TerminalGuard.argument) == 0 { TerminalGuard.run() }
    // An argument that is not UTF-8 would be searched as another text.
    let count = Int(CommandLine.argc)
    for number in 1..<max(1, count) {
      guard let argument = CommandLine.unsafeArgv[number], String(validatingCString: argument) == nil else {
        continue
      }
      Diagnostics.report(
        "argument \(number) is not valid UTF-8; rename a file of that name, or pass the file on standard input")
      exit(ExitStatus.usage.rawValue)
    }
  }
}
