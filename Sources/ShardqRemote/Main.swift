import CLibrary
import QueryOutput
import ShardedIndex
import ShardedIndexRemote

/// The program that answers queries of an index on another machine, which `shardq` starts.
@main
enum Main {
  #if Remote
    static func main() {
      guard let query = RemoteQuery(arguments: Array(CommandLine.arguments.dropFirst())) else {
        Diagnostics.report("shardq starts shardq-remote; run shardq instead")
        exit(ExitStatus.usage.rawValue)
      }
      let remote = RemoteOptions(
        fetch: query.remote.fetch, cacheDirectory: query.remote.cacheDirectory, cacheBytes: query.remote.cacheBytes)
      let open: QueryRunner.Opening = { (url, options) throws(IndexError) in
        var options = options
        // A look for a newer manifest is a request.
        if options.reloadInterval != nil { options.reloadInterval = .seconds(1) }
        return try ShardedIndex(remote: url, options: options, remote: remote)
      }
      let status: ExitStatus
      if query.warms {
        status = Warming.run(query.request, open) {
          let counts = RemoteRequests.counts
          return (counts.requests, counts.bytes, counts.diskHits)
        }
      } else {
        status = QueryRunner.run(query.request, open: open)
      }
      // The thread of the network and its connections end with the process.
      _exit(status.rawValue)
    }
  #else
    static func main() {
      Diagnostics.report(
        "built without libcurl; build it with: swift build -c release --traits Remote --product shardq-remote")
      exit(ExitStatus.usage.rawValue)
    }
  #endif
}
