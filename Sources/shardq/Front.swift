#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import CStartup
import QueryOutput

/// The command `shardq`: answers a plain query itself and hands everything else to `shardq-commands`.
///
/// What links the argument parser starts slower and takes more memory, also where it is never entered; so it
/// lives in an executable of its own.
@main
enum Front {
  static func main() {
    var count: CInt = 0
    let arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    if let found = startup_arguments(&count) {
      arguments = found
    } else {
      (arguments, count) = (CommandLine.unsafeArgv, CommandLine.argc)
    }
    guard let request = FrontParser.parse(arguments, count: Int(count)) else {
      Commands.run(arguments)
    }
    // Nothing is left to be written and nothing to be freed one by one.
    let status = QueryRunner.run(request)
    if case .done = status { _exit(0) }
    // The numbers of the others are in a table, on a page of its own.
    _exit(status.rawValue)
  }
}
