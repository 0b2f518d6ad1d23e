#if Server
  import Answers
  import CLibrary
  import NIOCore
  import NIOPosix
  import QueryOutput
  import ShardedIndex

  /// The server, from its start to its end.
  ///
  /// The server does not use Swift's concurrency: on Linux one of the threads of Swift's concurrency opens files, and
  /// ends the process if it cannot.
  final class Server: Sendable {
    private let settings: ServeSettings
    private let log: ServerLog
    private let metrics = Metrics()
    private let served: ServedIndex
    private let gate: EngineGate
    private let group: MultiThreadedEventLoopGroup
    private let listener: Listener
    /// The most connections since the server last returned memory.
    private let crowd = Atomic<Int>(0)
    /// The number of connections at the last look at the memory.
    private let lastCount = Atomic<Int>(0)

    /// Opens the index and listens.
    ///
    /// - Parameter descriptors: The number of files that the process may have open.
    /// - Throws: ``IndexError``, or the system's error if the server cannot listen on the address.
    init(_ settings: ServeSettings, _ source: IndexSource, descriptors: Int, log: ServerLog) throws {
      self.settings = settings
      self.log = log
      let digest = settings.expectedDigest.isEmpty ? nil : ManifestDigest(settings.expectedDigest)
      let index = try source.open(
        settings, ShardedIndex.Options(cacheLimitBytes: settings.cacheBytes, expectedDigest: digest))
      if settings.page.namesFields {
        try settings.page.check(index.fieldNames, numbers: index.generation.manifest.numberFields)
      }
      served = try ServedIndex(index, cacheLimit: settings.cacheBytes, log: log, metrics: metrics)
      ReadingTerms.prepare()
      gate = EngineGate(isFar: index.isFar)
      group = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
      for loop in group.makeIterator() { loop.execute { ReadingTerms(nil).apply() } }
      let responder = Responder(
        settings: settings, source: source, served: served, metrics: metrics, log: log,
        hosts: AllowedHosts(settings.hosts, address: settings.address),
        page: SearchPage(settings.page, ancestors: settings.frameAncestors))
      listener = try Listener(
        settings, limits: ConnectionLimits(wanted: settings.connections, descriptors: descriptors), group, responder,
        gate, metrics, log)
      lookLater()
    }

    /// Prints the address on standard output, for scripts, and logs it.
    func announce() throws(WriteError) {
      let address = "http://" + AllowedHosts.inHost(settings.address) + ":\(listener.port ?? settings.port)/"
      log.write(
        .info, "listening",
        [
          "address": address, "index": served.index.path, "records": "\(served.index.recordCount)",
          "generation": served.current.name,
        ])
      var output = Output()
      if settings.printsJSON {
        let (url, index) = (JSONText.string(address), JSONText.string(served.index.path))
        try output.write(
          "\(JSONText.schema)\"command\":\"serve\",\"url\":\(url),\"pid\":\(getpid()),\"indexes\":[\(index)]}\n")
      } else {
        try output.write(address)
        try output.write("\n" as StaticString)
      }
      try output.flush()
    }

    /// Looks for a newer generation at every interval.
    private func lookLater() {
      let crowd = max(crowd.load(ordering: .relaxed), openConnections)
      self.crowd.store(crowd, ordering: .relaxed)
      _ = group.next().scheduleTask(in: .milliseconds(Int64(max(10, settings.reloadMilliseconds)))) {
        let isAsked = self.gate.run {
          self.served.reload()
          self.giveBack()
          self.lookLater()
        }
        if !isAsked { self.lookLater() }
      }
    }

    /// Returns the memory of many closed connections to the system.
    private func giveBack() {
      let crowd = crowd.load(ordering: .relaxed)
      let count = openConnections
      let before = lastCount.exchange(count, ordering: .relaxed)
      // While connections close, more memory becomes free.
      guard crowd >= 1000, count < crowd / 4, count >= before else { return }
      self.crowd.store(count, ordering: .relaxed)
      return_free_memory()
    }

    /// Closes the socket, answers the requests that have arrived, and then calls `end`; after five seconds at the
    /// latest.
    func stop(_ end: @Sendable @escaping () -> Void) {
      listener.stop()
      let start = NIODeadline.now()
      group.next().scheduleRepeatedTask(initialDelay: .milliseconds(5), delay: .milliseconds(5)) { _ in
        if self.openConnections == 0 { return end() }
        guard .now() - start > Self.drainTime else { return }
        self.log.write(.warning, "cut off", ["connections": "\(self.openConnections)"])
        end()
      }
    }

    private static let drainTime = TimeAmount.seconds(5)

    func reload() { served.reload() }

    private var openConnections: Int { metrics.openConnections.load(ordering: .relaxed) }
  }
#endif
