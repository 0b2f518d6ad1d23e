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
        "argument \(number) is not valid UTF-8; if it names a file, rename it, or pass it on standard input")
      exit(ExitStatus.usage.rawValue)
    }
    #if CommandLineTool
      let arguments = Array(CommandLine.arguments.dropFirst())
      return_megabytes()
      CommandLineParser.run(arguments)
    #else
      Diagnostics.report(
        "built without its commands, only queries work; build it with: swift build -c release --traits CommandLineTool"
      )
      exit(ExitStatus.usage.rawValue)
    #endif
  }
}
