#if Server
  import CMalloc
  import NIOCore
  import ServeSettings
  import ShardedIndex
#endif
import QueryOutput

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The HTTP server. The user meets it as `shardq serve`, which starts it.
@main
enum Main {
  #if Server
    // No async main: in a static executable it costs 5 ms of start, and this thread waits for signals.
    static func main() {
      guard let settings = ServeSettings(arguments: Array(CommandLine.arguments.dropFirst())) else {
        Diagnostics.report("shardq-serve is started by shardq serve, which knows its words")
        exit(ExitStatus.usage.rawValue)
      }
      // Before there is another thread, which would take them.
      Signals.hold()
      raiseDescriptorLimit()
      return_large_blocks()
      let log = ServerLog(settings.logFormat)
      let server: Server
      do throws(IndexError) {
        server = try Server(settings, log: log)
      } catch {
        exit(QueryRunner.report(error).rawValue)
      }
      Task.detached {
        do {
          try await server.run()
          Signals.end()
        } catch {
          let place = AllowedHosts.inHost(settings.address) + ":\(settings.port)"
          let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
          Diagnostics.report("cannot listen on \(place): \(reason). --listen names another place")
          exit(ExitStatus.inputOutput.rawValue)
        }
      }
      Signals.wait(server, log)
    }

    /// Every connection is a descriptor.
    private static func raiseDescriptorLimit() {
      #if canImport(Glibc)
        let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      #else
        let descriptors = RLIMIT_NOFILE
      #endif
      var limit = rlimit()
      guard getrlimit(descriptors, &limit) == 0 else { return }
      limit.rlim_cur = limit.rlim_max
      _ = setrlimit(descriptors, &limit)
    }
  #else
    static func main() {
      Diagnostics.report(
        "built without its server; build it with: swift build -c release --traits Server --product shardq-serve")
      exit(ExitStatus.usage.rawValue)
    }
  #endif
}
