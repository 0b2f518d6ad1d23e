import CSystem
import QueryOutput

#if !hasFeature(Embedded)
  import CStartup

  @main
  enum Main {
    static func main() {
      var count: CInt = 0
      let arguments = startup_arguments(&count)
      if let arguments { Front.run(arguments, count: Int(count)) }
      Front.run(CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    }
  }
#else
  /// Called by Sources/Embedded/main.c.
  @_cdecl("shardq_main")
  public func shardqMain(_ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, _ count: CInt) -> Never {
    Front.run(arguments, count: Int(count))
  }
#endif

/// The command `shardq`: answers a plain query itself and hands everything else to `shardq-commands`.
///
/// What links the argument parser starts slower and takes more memory, also where it is never entered; so it
/// lives in an executable of its own.
enum Front {
  static func run(_ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, count: Int) -> Never {
    guard let request = FrontParser.parse(arguments, count: count) else {
      #if hasFeature(Embedded)
        PlainOverlayUpdate.run(arguments, count: count)
      #endif
      Commands.run(arguments)
    }
    // Nothing is left to be written and nothing to be freed one by one.
    let status = QueryRunner.run(request)
    if case .done = status { _exit(0) }
    // The numbers of the others are in a table, on a page of its own.
    _exit(status.rawValue)
  }
}
