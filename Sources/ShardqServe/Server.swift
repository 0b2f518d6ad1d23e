#if Server
  import Hummingbird
  import HummingbirdCore
  import Logging
  import NIOCore
  import QueryOutput
  import ServeSettings
  import ServiceLifecycle
  import ShardedIndex

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #else
    import Darwin
  #endif

  /// The server, from its start to its end.
  final class Server: Sendable {
    private let settings: ServeSettings
    private let log: ServerLog
    private let metrics: Metrics
    private let served: ServedIndex
    private let gate = EngineGate()
    private let services: ServiceGroup

    init(_ settings: ServeSettings, log: ServerLog) throws(IndexError) {
      self.settings = settings
      self.log = log
      let metrics = Metrics()
      self.metrics = metrics
      let digest = settings.expectedDigest.isEmpty ? nil : ManifestDigest(settings.expectedDigest)
      let index = try ShardedIndex(
        opening: settings.index, options: Options(cacheLimitBytes: settings.cacheBytes, expectedDigest: digest))
      served = try ServedIndex(index, cacheLimit: settings.cacheBytes, log: log, metrics: metrics)
      let logger = Logger(label: "shardq") { _ in LibraryLog(log: log) }
      let responder = Responder(
        settings: settings, served: served, metrics: metrics, log: log, gate: gate,
        hosts: AllowedHosts(settings.hosts, address: settings.address), page: Page())
      let application = Application(
        responder: responder,
        server: HTTPServerBuilder { responder in
          ServerChannel(responder: responder, settings: settings, metrics: metrics)
        },
        configuration: .init(
          address: .hostname(settings.address, port: settings.port), serverName: "shardq", backlog: 1024),
        onServerRunning: { [served] channel in
          Self.announce(settings, port: channel.localAddress?.port ?? settings.port, served, log)
        }, logger: logger)
      services = ServiceGroup(
        configuration: .init(services: [application], gracefulShutdownSignals: [], logger: logger))
    }

    /// Says where the server is, once it is there: the address alone on standard output, for scripts.
    private static func announce(_ settings: ServeSettings, port: Int, _ served: ServedIndex, _ log: ServerLog) {
      let address = "http://" + AllowedHosts.inHost(settings.address) + ":\(port)/"
      log.write(
        .info, "listening",
        [
          "address": address, "index": settings.index, "records": "\(served.index.recordCount)",
          "generation": served.current.name,
        ])
      var output = Output()
      do throws(WriteError) {
        try output.write(address)
        try output.write("\n" as StaticString)
        try output.flush()
      } catch {
        exit(Diagnostics.failed(error).rawValue)
      }
    }

    /// Serves until ``stop()``; throws where it cannot begin.
    func run() async throws {
      let looking = Task { [served, gate, settings] in
        while true {
          try await Task.sleep(for: .milliseconds(max(10, settings.reloadMilliseconds)))
          try? await gate.askElsewhere { served.reload() }
        }
      }
      defer { looking.cancel() }
      try await services.run()
    }

    /// Takes no more connections, answers what has been asked, and lets ``run()`` return.
    func stop() async { await services.triggerGracefulShutdown() }

    func reload() { served.reload() }

    var openConnections: Int { metrics.openConnections.load(ordering: .relaxed) }
  }
#endif
