#if Server
  import NIOConcurrencyHelpers
  import ShardedIndex

  import CLibrary

  /// The counters of the server since its start, for `/metrics`.
  final class Metrics: Sendable {
    /// The upper bounds of the histogram's buckets, in microseconds.
    private static let bounds = [
      50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    ]

    private struct Times {
      var buckets = [Int](repeating: 0, count: Metrics.bounds.count + 1)
      var microseconds = 0
    }
    private struct State {
      /// The numbers of requests by their status.
      var requests: [IndexRoute: [Int: Int]] = [:]
      var times: [IndexRoute: Times] = [:]
    }
    private struct IndexRoute: Hashable {
      /// The number of the index; nil for the whole server.
      var index: Int?
      var route: Route
    }

    private let state = NIOLockedValueBox(State())
    let openConnections = Atomic<Int>(0)
    let refusedConnections = Atomic<Int>(0)
    let timedOutConnections = Atomic<Int>(0)
    let handedOver = Atomic<Int>(0)
    let startTime: Int

    init() { startTime = Int(time(nil)) }

    var uptime: Int { max(0, Int(time(nil)) - startTime) }

    /// - Parameters:
    ///   - destination: The destination of the request; that of an empty path for a request that cannot be read.
    ///   - microseconds: The time from the request's head to the answer, without the network.
    func count(_ destination: Destination, status: Int, microseconds: Int) {
      let key = IndexRoute(index: destination.index, route: destination.route)
      state.withLockedValue {
        $0.requests[key, default: [:]][status, default: 0] += 1
        let bucket = Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count
        $0.times[key, default: Times()].buckets[bucket] += 1
        $0.times[key]!.microseconds += microseconds
      }
    }

    /// Returns the metrics in Prometheus' text format, version 0.0.4.
    ///
    /// - Parameters:
    ///   - indexes: One index without a name, or several with names, which their metrics have as a label.
    ///   - store: The counters of the store; nil for indexes on disk.
    func text(_ indexes: [ServedIndex], store: StoreCounters?) -> String {
      var text = MetricsText()
      writeRequests(indexes, to: &text)
      writeIndexes(indexes, to: &text)
      text.single(
        "questions_handed_over_total", "counter",
        "Requests that an event loop left to threads that may wait for files.", handedOver.load(ordering: .relaxed))
      if let store {
        text.single("store_requests_total", "counter", "Requests to the store of the index.", store.requests)
        text.single("store_bytes_total", "counter", "Bytes of the store's answers.", store.bytes)
        text.single("store_failures_total", "counter", "Failed requests, second attempts included.", store.failures)
        text.single("disk_cache_hits_total", "counter", "Reads that the disk cache answered.", store.diskHits)
      }
      text.single("connections", "gauge", "Open connections.", openConnections.load(ordering: .relaxed))
      text.single(
        "connections_refused_total", "counter", "Connections refused because the limit was reached.",
        refusedConnections.load(ordering: .relaxed))
      text.single(
        "connections_timed_out_total", "counter", "Connections closed because they were slow or idle.",
        timedOutConnections.load(ordering: .relaxed))
      var process = text.text
      process += "# HELP process_start_time_seconds Start of the server, in Unix time.\n"
      process += "# TYPE process_start_time_seconds gauge\n"
      process += "process_start_time_seconds \(startTime)\n"
      if let resident = Self.residentBytes {
        process += "# HELP process_resident_memory_bytes Memory of the process.\n"
        process += "# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes \(resident)\n"
      }
      return process
    }

    private func writeRequests(_ indexes: [ServedIndex], to text: inout MetricsText) {
      let (requests, times) = state.withLockedValue { ($0.requests, $0.times) }
      func labels(_ key: IndexRoute) -> [(String, String)] {
        MetricsText.label(key.index.flatMap { indexes[$0].name }) + [("route", key.route.name)]
      }
      func isBefore(_ one: IndexRoute, _ other: IndexRoute) -> Bool {
        (one.index ?? -1, one.route.name) < (other.index ?? -1, other.route.name)
      }
      text.family("requests_total", "counter", "Requests answered, by route and status.")
      for (key, counts) in requests.sorted(by: { isBefore($0.key, $1.key) }) {
        for (status, count) in counts.sorted(by: { $0.key < $1.key }) {
          text.value("requests_total", labels(key) + [("status", "\(status)")], "\(count)")
        }
      }
      text.family("request_duration_seconds", "histogram", "Time from a request's head to its answer, by route.")
      for (key, times) in times.sorted(by: { isBefore($0.key, $1.key) }) {
        let labels = labels(key)
        var sum = 0
        for (bound, count) in zip(Self.bounds.map(Self.seconds) + ["+Inf"], times.buckets) {
          sum += count
          text.value("request_duration_seconds_bucket", labels + [("le", bound)], "\(sum)")
        }
        text.value("request_duration_seconds_sum", labels, Self.seconds(times.microseconds))
        text.value("request_duration_seconds_count", labels, "\(sum)")
      }
    }

    private func writeIndexes(_ indexes: [ServedIndex], to text: inout MetricsText) {
      let statistics = indexes.map(\.index.statistics)
      func each(_ name: String, _ type: String, _ help: String, _ value: (ServedIndex, ShardedIndex.Statistics) -> Int)
      {
        text.family(name, type, help)
        for (served, statistics) in zip(indexes, statistics) {
          text.value(name, MetricsText.label(served.name), "\(value(served, statistics))")
        }
      }
      each("cache_hits_total", "counter", "Lookups of shards that the cache had.") { $1.hits }
      each("cache_misses_total", "counter", "Lookups of shards that the cache did not have.") { $1.misses }
      each("shard_loads_total", "counter", "Parts of shards that the cache loaded.") { $1.loads }
      each("decompressed_bytes_total", "counter", "Bytes that loads decompressed.") { $1.loadedBytes }
      each("cache_evictions_total", "counter", "Shards that the cache dropped for others.") { $1.evictions }
      each("cache_resident_bytes", "gauge", "Memory of the shards in the cache.") { $1.residentBytes }
      each("cache_resident_shards", "gauge", "Shards in the cache.") { $1.residentShards }
      each("cache_limit_bytes", "gauge", "Limit of the cache's memory.") { served, _ in served.cacheLimit }
      each("reloads_total", "counter", "Moves of the index to a newer generation.") { $1.reloads }
      each("failed_reloads_total", "counter", "Newer generations that the server could not read.") { served, _ in
        served.failedReloads.load(ordering: .relaxed)
      }
      each("answers_without_match_total", "counter", "First pages of searches that no record matches.") { served, _ in
        served.unmatchedAnswers.load(ordering: .relaxed)
      }
      text.family("generation_info", "gauge", "Generation that the server answers from.")
      for served in indexes {
        text.value(
          "generation_info", MetricsText.label(served.name) + [("generation", served.current.name)], "1")
      }
      each("records", "gauge", "Records of the index.") { served, _ in served.index.recordCount }
      each("shards", "gauge", "Shards of the index.") { served, _ in served.index.shardCount }
    }

    private static func seconds(_ microseconds: Int) -> String {
      let fraction = String(1_000_000 + microseconds % 1_000_000).dropFirst()
      return "\(microseconds / 1_000_000).\(fraction)"
    }

    /// The resident memory in bytes; nil if the system does not report it.
    private static var residentBytes: Int? {
      let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      var text = [UInt8](repeating: 0, count: 128)
      let count = read(file, &text, text.count)
      guard count > 0 else { return nil }
      let words = String(decoding: text[..<count], as: UTF8.self).split(separator: " ")
      return words.count > 1 ? Int(words[1]).map { $0 * Int(getpagesize()) } : nil
    }
  }

  /// Metrics in Prometheus' text format.
  private struct MetricsText {
    private(set) var text = ""

    /// Returns the label of an index; none without a name.
    static func label(_ index: String?) -> [(String, String)] { index.map { [("index", $0)] } ?? [] }

    mutating func family(_ name: String, _ type: String, _ help: String) {
      text += "# HELP shardq_\(name) \(help)\n# TYPE shardq_\(name) \(type)\n"
    }

    mutating func value(_ name: String, _ labels: [(String, String)], _ value: String) {
      let inside = labels.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
      text += "shardq_\(name)" + (inside.isEmpty ? "" : "{\(inside)}") + " \(value)\n"
    }

    mutating func single(_ name: String, _ type: String, _ help: String, _ value: Int) {
      family(name, type, help)
      self.value(name, [], "\(value)")
    }
  }
#endif
