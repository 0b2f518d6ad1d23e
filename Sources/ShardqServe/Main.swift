import CLibrary
#if Server
  import NIOCore
  import ShardedIndex
#endif
import CLibrary
import QueryOutput

/// The HTTP server, which `shardq serve` starts.
@main
enum Main {
  #if Server
    // No async main: in a static executable it costs 5 ms of start, and this thread waits for signals.
    static func main() {
      guard let settings = ServeSettings(arguments: Array(CommandLine.arguments.dropFirst())) else {
        Diagnostics.report("shardq-serve is started by shardq serve, which knows its words")
        exit(ExitStatus.usage.rawValue)
      }
      // Blocked before there is another thread, which would get the signals.
      Signals.hold()
      let descriptors = ConnectionLimits.raiseDescriptors()
      return_large_blocks()
      let log = ServerLog(settings.logFormat)
      do {
        let server = try Server(settings, descriptors: descriptors, log: log)
        try server.announce()
        Signals.wait(server, log)
      } catch let error as IndexError {
        exit(QueryRunner.report(error).rawValue)
      } catch let error as WriteError {
        exit(Diagnostics.failed(error).rawValue)
      } catch {
        let place = AllowedHosts.inHost(settings.address) + ":\(settings.port)"
        let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
        Diagnostics.report("cannot listen on \(place): \(reason). --listen names another place")
        exit(ExitStatus.inputOutput.rawValue)
      }
    }
  #else
    static func main() {
      Diagnostics.report(
        "built without its server; build it with: swift build -c release --traits Server --product shardq-serve")
      exit(ExitStatus.usage.rawValue)
    }
  #endif
}
