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
    private let indexes: ServedIndexes
    private let gate: EngineGate
    private let group: MultiThreadedEventLoopGroup
    private let listener: Listener
    /// The most connections since the server last returned memory.
    private let crowd = Atomic<Int>(0)
    /// The number of connections at the last look at the memory.
    private let lastCount = Atomic<Int>(0)

    /// Opens the indexes and listens.
    ///
    /// - Parameter descriptors: The number of files that the process may have open.
    /// - Throws: ``IndexError``, or the system's error if the server cannot listen on the address.
    init(_ settings: ServeSettings, _ source: IndexSource, descriptors: Int, log: ServerLog) throws {
      self.settings = settings
      self.log = log
      let digest = settings.expectedDigest.isEmpty ? nil : ManifestDigest(settings.expectedDigest)
      let all = try settings.indexes.map { named in
        let index = try source.open(
          named.path, settings.remote,
          ShardedIndex.Options(cacheLimitBytes: settings.cacheBytes, expectedDigest: digest))
        if settings.page.namesFields {
          try settings.page.check(index.fieldNames, numbers: index.generation.manifest.numberFields)
        }
        return try ServedIndex(index, name: named.name, cacheLimit: settings.cacheBytes, log: log)
      }
      indexes = ServedIndexes(all, settings.page)
      ReadingTerms.prepare()
      gate = EngineGate(isFar: all.contains { $0.index.isFar })
      group = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
      for loop in group.makeIterator() { loop.execute { ReadingTerms(nil).apply() } }
      let responder = Responder(
        settings: settings, source: source, indexes: indexes, metrics: metrics, log: log,
        hosts: AllowedHosts(settings.hosts, address: settings.address),
        page: SearchPage(settings.page, ancestors: settings.frameAncestors))
      listener = try Listener(
        settings, limits: ConnectionLimits(wanted: settings.connections, descriptors: descriptors), group, responder,
        gate, metrics, log)
      for served in all { reloadLater(served) }
      giveBackLater()
    }

    /// Prints the address on standard output, for scripts, and logs it.
    func announce() throws(WriteError) {
      let address = "http://" + AllowedHosts.inHost(settings.address) + ":\(listener.port ?? settings.port)/"
      for served in indexes.all {
        served.log.write(
          .info, "listening",
          [
            "address": address + (served.name.map { $0 + "/" } ?? ""), "path": served.index.path,
            "records": "\(served.index.recordCount)", "generation": served.current.name,
          ])
      }
      var output = Output()
      if settings.printsJSON {
        let paths = indexes.all.map { JSONText.string($0.index.path) }.joined(separator: ",")
        let url = JSONText.string(address)
        try output.write(
          "\(JSONText.schema)\"command\":\"serve\",\"url\":\(url),\"pid\":\(getpid()),\"indexes\":[\(paths)]}\n")
      } else {
        try output.write(address)
        try output.write("\n" as StaticString)
      }
      try output.flush()
    }

    /// Looks for a newer generation of an index at every interval.
    private func reloadLater(_ served: ServedIndex) {
      later {
        served.reload()
      } then: {
        self.reloadLater(served)
      }
    }

    private func giveBackLater() {
      let crowd = max(crowd.load(ordering: .relaxed), openConnections)
      self.crowd.store(crowd, ordering: .relaxed)
      later {
        self.giveBack()
      } then: {
        self.giveBackLater()
      }
    }

    /// Runs `work` after the interval of reloads on a thread that may wait, unless too many requests wait for one.
    private func later(_ work: @Sendable @escaping () -> Void, then next: @Sendable @escaping () -> Void) {
      _ = group.next().scheduleTask(in: .milliseconds(Int64(max(10, settings.reloadMilliseconds)))) {
        let isAsked = self.gate.run {
          work()
          next()
        }
        if !isAsked { next() }
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

    func reload() { for served in indexes.all { served.reload() } }

    private var openConnections: Int { metrics.openConnections.load(ordering: .relaxed) }
  }
#endif
