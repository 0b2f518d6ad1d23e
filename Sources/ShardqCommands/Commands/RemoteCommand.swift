#if CommandLineTool
  import ArgumentParser
  import CLibrary
  import QueryOutput

  /// The options of an index on another machine.
  struct RemoteQueryOptions: ParsableArguments {
    /// How much of a shard's file a request asks for.
    enum Fetch: String, ExpressibleByArgument, CaseIterable { case auto, shards, ranges }

    @Option(
      name: .customLong("fetch"),
      help: ArgumentHelp(
        "Fetch whole shards, or ranges of them (default: auto, by the round trip).", valueName: "mode"))
    var fetch: Fetch?

    @Option(
      name: .customLong("cache-dir"),
      help: ArgumentHelp(
        "The directory of the disk cache (default: $XDG_CACHE_HOME/shardq, else ~/.cache/shardq).", valueName: "dir"),
      completion: .directory)
    var cacheDirectory: String?

    @Option(
      name: .customLong("cache-size"),
      help: ArgumentHelp("The most bytes of the disk cache; 0 for none (default: 256MiB).", valueName: "size"))
    var cacheSize: ByteSize?

    /// Whether any is there.
    var isSaid: Bool { fetch != nil || cacheDirectory != nil || cacheSize != nil }

    var settings: RemoteSettings {
      var settings = RemoteSettings()
      settings.fetch = fetch?.rawValue ?? settings.fetch
      settings.cacheDirectory = cacheDirectory ?? ""
      settings.cacheBytes = cacheSize?.bytes
      return settings
    }
  }

  /// Queries of an index on another machine, which `shardq-remote` answers: the only program that links libcurl.
  enum RemoteCommand {
    static let noURL = CommandFailure(
      status: .usage, message: "--fetch, --cache-dir and --cache-size go with an index of a URL; leave them out")

    /// Becomes that program.
    static func run(_ request: QueryRequest, _ options: QueryOptions) -> Never {
      if request.explains {
        Diagnostics.report("--explain needs an index on disk; leave out --explain, or fetch the index first")
        finish(.usage)
      }
      var query = RemoteQuery(request)
      query.near = options.matching.near?.text ?? ""
      query.remote = options.remote.settings
      run(query)
    }

    /// Becomes that program.
    static func run(_ query: RemoteQuery) -> Never {
      let path: String
      do throws(CommandFailure) {
        path = try InstalledProgram.path(
          RemoteIndex.program,
          hint: "install the package shardq-remote, or run make REMOTE=1 in a clone")
      } catch {
        Diagnostics.report(error.message)
        finish(error.status)
      }
      become(path, query.arguments)
    }

    /// Becomes another program.
    static func become(_ path: String, _ arguments: [String]) -> Never {
      let code = withCStrings([path] + arguments) { words in
        execv(path, &words)  // Returns only where it fails.
        return errno
      }
      Diagnostics.report("cannot run " + path + ": " + String(cString: strerror(code)))
      finish(.notFound)
    }
  }
#endif
