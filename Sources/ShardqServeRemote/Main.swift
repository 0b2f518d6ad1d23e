import QueryOutput
import Serving
import ShardedIndex
import ShardedIndexRemote

/// The HTTP server of an index on another machine: `shardq serve` starts it for a URL.
@main
enum Main {
  static func main() {
    #if Server && Remote
      // As many as there are threads that wait for them.
      RemoteRequests.allow(ServerProgram.farThreads)
      ServerProgram.run(
        IndexSource { (settings, options) throws(IndexError) in
          let remote = RemoteOptions(
            fetch: settings.remote.fetch, cacheDirectory: settings.remote.cacheDirectory,
            cacheBytes: settings.remote.cacheBytes)
          return try ShardedIndex(remote: settings.index, options: options, remote: remote)
        } counters: {
          let counts = RemoteRequests.counts
          return StoreCounters(
            requests: counts.requests, bytes: counts.bytes, failures: counts.failures, diskHits: counts.diskHits)
        })
    #else
      ServerProgram.missing("Server,Remote", "shardq-serve-remote")
    #endif
  }
}
