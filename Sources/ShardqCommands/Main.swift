import CLibrary
import QueryOutput

/// The commands. `shardq` hands every command line to this executable that is no plain query.
@main
enum Main {
  static func main() {
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
    #if CommandLineTool
      let arguments = Array(CommandLine.arguments.dropFirst())
      return_megabytes()
      // A write beyond a file's limit is an error like any other.
      signal(SIGXFSZ, SIG_IGN)
      CommandLineParser.run(arguments)
    #else
      Diagnostics.report(
        "this build has only queries; build the commands with: swift build -c release --traits CommandLineTool"
      )
      exit(ExitStatus.usage.rawValue)
    #endif
  }
}
