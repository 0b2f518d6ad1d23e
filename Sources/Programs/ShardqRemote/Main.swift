// Package.swift says why: ArgumentParser links Foundation.
#if canImport(FoundationEssentials)
  import FoundationEssentials
#endif

import CLibrary
import QueryOutput
import Serving
import ShardBuilder
import ShardedIndex
import ShardedIndexRemote
import ShardqCommands

/// The commands with an index on another machine, and with stores. It links libcurl.
@main
enum Main {
  #if Remote && CommandLineTool
    static func main() {
      CommandsProgram.check()
      // The parser of all commands takes longer to start than the answer to a plain query.
      if var request = FrontParser.parse(Array(CommandLine.arguments.dropFirst())),
        let settings = try? UserSettings.load()
      {
        request.apply(settings)
        if let index = request.index, RemoteIndex.isURL(index) { _exit(answer(request, RemoteSettings()).rawValue) }
      }
      CommandsProgram.run(RemoteWork(query: answer, warm: warm, store: StoreProgram.run, serve: serve))
    }

    @Sendable private static func answer(_ request: QueryRequest, _ settings: RemoteSettings) -> ExitStatus {
      QueryRunner.run(request, open: opening(settings))
    }

    @Sendable private static func warm(_ request: QueryRequest, _ settings: RemoteSettings) -> ExitStatus {
      Warming.run(request, opening(settings)) {
        let counts = RemoteRequests.counts
        return (counts.requests, counts.bytes, counts.diskHits)
      }
    }

    private static func opening(_ settings: RemoteSettings) -> QueryRunner.Opening {
      { (url, options) throws(IndexError) in
        var options = options
        // A look for a newer manifest is a request.
        if options.reloadInterval != nil { options.reloadInterval = .seconds(1) }
        return try ShardedIndex(remote: url, options: options, remote: RemoteOptions(settings))
      }
    }

    @Sendable private static func serve(_ arguments: [String]) -> Never {
      #if Server
        // As many as there are threads that wait for them.
        RemoteRequests.allow(ServerProgram.farThreads)
        ServerProgram.run(
          arguments,
          IndexSource { (path, remote, options) throws(IndexError) in
            guard RemoteIndex.isURL(path) else { return try ShardedIndex(opening: path, options: options) }
            return try ShardedIndex(remote: path, options: options, remote: RemoteOptions(remote))
          } counters: {
            let counts = RemoteRequests.counts
            return StoreCounters(
              requests: counts.requests, bytes: counts.bytes, failures: counts.failures, diskHits: counts.diskHits)
          })
      #else
        ServerProgram.missing("CommandLineTool,Server,Remote", "shardq-remote")
      #endif
    }
  #else
    static func main() {
      Diagnostics.report(
        "built without libcurl; build it with: swift build -c release --traits CommandLineTool,Remote --product shardq-remote"
      )
      exit(ExitStatus.usage.rawValue)
    }
  #endif
}

#if Remote && CommandLineTool
  extension RemoteOptions {
    fileprivate init(_ settings: RemoteSettings) {
      self.init(fetch: settings.fetch, cacheDirectory: settings.cacheDirectory, cacheBytes: settings.cacheBytes)
    }
  }
#endif
