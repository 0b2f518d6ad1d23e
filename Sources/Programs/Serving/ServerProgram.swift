import Answers
import CLibrary
import QueryOutput
import ShardedIndex

#if Server
  import NIOCore

  /// The source of a server's indexes: a disk or a store.
  package struct IndexSource: Sendable {
    /// Opens the index of a directory or a URL.
    package var open: @Sendable (String, RemoteSettings, ShardedIndex.Options) throws(IndexError) -> ShardedIndex
    /// Returns the counters of the store; nil for an index on disk.
    package var counters: (@Sendable () -> StoreCounters)?

    package init(
      open: @Sendable @escaping (String, RemoteSettings, ShardedIndex.Options) throws(IndexError) -> ShardedIndex,
      counters: (@Sendable () -> StoreCounters)? = nil
    ) {
      (self.open, self.counters) = (open, counters)
    }
  }

  /// The requests to the store of an index since the start.
  package struct StoreCounters: Sendable {
    package var requests: Int
    /// The bytes of all bodies.
    package var bytes: Int
    /// The requests that gave no bytes, second attempts included.
    package var failures: Int
    /// The reads that the disk cache answered.
    package var diskHits: Int

    package init(requests: Int, bytes: Int, failures: Int, diskHits: Int) {
      (self.requests, self.bytes, self.failures, self.diskHits) = (requests, bytes, failures, diskHits)
    }
  }
#endif

/// The HTTP server as a program, which `shardq serve` starts.
package enum ServerProgram {
  #if Server
    /// The most requests to a store that may be under way.
    package static var farThreads: Int { EngineGate.farThreads }

    /// Serves until a signal ends the process.
    ///
    /// - Parameter arguments: The arguments of `shardq serve`.
    // `main` is not async: in a static executable that costs 5 ms at the start, and this thread waits for signals.
    package static func run(_ arguments: [String], _ source: IndexSource) -> Never {
      let read: ServeSettings?
      do throws(ServeSettings.SettingsError) {
        read = try ServeSettings(arguments)
      } catch {
        Diagnostics.report(error.message)
        exit(error.status.rawValue)
      }
      guard let settings = read else {
        Diagnostics.report("shardq-serve checks no options; run shardq serve instead")
        exit(ExitStatus.usage.rawValue)
      }
      // The signals are blocked before another thread exists, because that thread would get them.
      Signals.hold()
      let descriptors = ConnectionLimits.raiseDescriptors()
      return_large_blocks()
      let log = ServerLog(settings.logFormat)
      do {
        let server = try Server(settings, source, descriptors: descriptors, log: log)
        try server.announce()
        Signals.wait(server, log)
      } catch let error as IndexError {
        exit(QueryRunner.report(error).rawValue)
      } catch let error as PageOptions.SettingsError {
        Diagnostics.report(error.message)
        exit(error.status.rawValue)
      } catch let error as WriteError {
        exit(Diagnostics.failed(error).rawValue)
      } catch {
        let place = AllowedHosts.inHost(settings.address) + ":\(settings.port)"
        let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
        Diagnostics.report("cannot listen on \(place): \(reason); name another address with --listen")
        exit(ExitStatus.inputOutput.rawValue)
      }
    }
  #endif

  /// Ends a program that was built without its traits.
  package static func missing(_ traits: String, _ product: String) -> Never {
    Diagnostics.report(
      "built without its server; build it with: swift build -c release --traits \(traits) --product \(product)")
    exit(ExitStatus.usage.rawValue)
  }
}
