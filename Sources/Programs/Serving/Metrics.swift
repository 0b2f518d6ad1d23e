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
      var requests: [RouteStatus: Int] = [:]
      var times: [Route: Times] = [:]
    }
    private struct RouteStatus: Hashable {
      var route: Route
      var status: Int
    }

    private let state = NIOLockedValueBox(State())
    let openConnections = Atomic<Int>(0)
    let refusedConnections = Atomic<Int>(0)
    let timedOutConnections = Atomic<Int>(0)
    let failedReloads = Atomic<Int>(0)
    let handedOver = Atomic<Int>(0)
    let unmatchedAnswers = Atomic<Int>(0)
    let startTime: Int

    init() { startTime = Int(time(nil)) }

    var uptime: Int { max(0, Int(time(nil)) - startTime) }

    /// - Parameter microseconds: The time from the request's head to the answer, without the network.
    func count(_ route: Route, status: Int, microseconds: Int) {
      state.withLockedValue {
        $0.requests[RouteStatus(route: route, status: status), default: 0] += 1
        let bucket = Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count
        $0.times[route, default: Times()].buckets[bucket] += 1
        $0.times[route]!.microseconds += microseconds
      }
    }

    /// Returns the metrics in Prometheus' text format, version 0.0.4.
    ///
    /// - Parameter store: The counters of the store; nil for an index on disk.
    func text(_ index: ShardedIndex, cacheLimit: Int, generation: String, store: StoreCounters?) -> String {
      var text = ""
      func family(_ name: String, _ type: String, _ help: String) {
        text += "# HELP shardq_\(name) \(help)\n# TYPE shardq_\(name) \(type)\n"
      }
      func single(_ name: String, _ type: String, _ help: String, _ value: Int) {
        family(name, type, help)
        text += "shardq_\(name) \(value)\n"
      }
      let (requests, times) = state.withLockedValue { ($0.requests, $0.times) }
      family("requests_total", "counter", "Requests answered, by route and status.")
      for (key, count) in requests.sorted(by: {
        ($0.key.route.name, $0.key.status) < ($1.key.route.name, $1.key.status)
      }) {
        text += "shardq_requests_total{route=\"\(key.route.name)\",status=\"\(key.status)\"} \(count)\n"
      }
      family("request_duration_seconds", "histogram", "Time from a request's head to its answer, by route.")
      for (route, times) in times.sorted(by: { $0.key.name < $1.key.name }) {
        var sum = 0
        for (bound, count) in zip(Self.bounds.map(Self.seconds) + ["+Inf"], times.buckets) {
          sum += count
          text += "shardq_request_duration_seconds_bucket{route=\"\(route.name)\",le=\"\(bound)\"} \(sum)\n"
        }
        text += "shardq_request_duration_seconds_sum{route=\"\(route.name)\"} \(Self.seconds(times.microseconds))\n"
        text += "shardq_request_duration_seconds_count{route=\"\(route.name)\"} \(sum)\n"
      }
      let statistics = index.statistics
      single("cache_hits_total", "counter", "Lookups of shards that the cache had.", statistics.hits)
      single("cache_misses_total", "counter", "Lookups of shards that the cache did not have.", statistics.misses)
      single("shard_loads_total", "counter", "Parts of shards that the cache loaded.", statistics.loads)
      single("decompressed_bytes_total", "counter", "Bytes that loads decompressed.", statistics.loadedBytes)
      single("cache_evictions_total", "counter", "Shards that the cache dropped for others.", statistics.evictions)
      single("cache_resident_bytes", "gauge", "Memory of the shards in the cache.", statistics.residentBytes)
      single("cache_resident_shards", "gauge", "Shards in the cache.", statistics.residentShards)
      single("cache_limit_bytes", "gauge", "Limit of the cache's memory.", cacheLimit)
      single("reloads_total", "counter", "Moves of the index to a newer generation.", statistics.reloads)
      single(
        "failed_reloads_total", "counter", "Newer generations that the server could not read.",
        failedReloads.load(ordering: .relaxed))
      single(
        "questions_handed_over_total", "counter",
        "Requests that an event loop left to threads that may wait for files.", handedOver.load(ordering: .relaxed))
      single(
        "answers_without_match_total", "counter", "First pages of searches that no record matches.",
        unmatchedAnswers.load(ordering: .relaxed))
      if let store {
        single("store_requests_total", "counter", "Requests to the store of the index.", store.requests)
        single("store_bytes_total", "counter", "Bytes of the store's answers.", store.bytes)
        single("store_failures_total", "counter", "Failed requests, second attempts included.", store.failures)
        single("disk_cache_hits_total", "counter", "Reads that the disk cache answered.", store.diskHits)
      }
      family("generation_info", "gauge", "Generation that the server answers from.")
      text += "shardq_generation_info{generation=\"\(generation)\"} 1\n"
      single("records", "gauge", "Records of the index.", index.recordCount)
      single("shards", "gauge", "Shards of the index.", index.shardCount)
      single("connections", "gauge", "Open connections.", openConnections.load(ordering: .relaxed))
      single(
        "connections_refused_total", "counter", "Connections refused because the limit was reached.",
        refusedConnections.load(ordering: .relaxed))
      single(
        "connections_timed_out_total", "counter", "Connections closed because they were slow or idle.",
        timedOutConnections.load(ordering: .relaxed))
      text += "# HELP process_start_time_seconds Start of the server, in Unix time.\n"
      text += "# TYPE process_start_time_seconds gauge\n"
      text += "process_start_time_seconds \(startTime)\n"
      if let resident = Self.residentBytes {
        text += "# HELP process_resident_memory_bytes Memory of the process.\n"
        text += "# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes \(resident)\n"
      }
      return text
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
#endif
