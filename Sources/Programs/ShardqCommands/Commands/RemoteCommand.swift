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

  /// The work of `shardq-remote`, the only program that links libcurl.
  package struct RemoteWork: Sendable {
    /// Answers a query.
    private let query: @Sendable (QueryRequest, RemoteSettings) -> ExitStatus
    /// Fills the disk cache with the files that the texts of standard input need.
    private let warm: @Sendable (QueryRequest, RemoteSettings) -> ExitStatus
    /// Runs a command on a store.
    private let store: @Sendable (StoreRequest) -> ExitStatus
    /// Serves an index, with the arguments of the command line.
    private let serve: @Sendable ([String]) -> Never

    package init(
      query: @escaping @Sendable (QueryRequest, RemoteSettings) -> ExitStatus,
      warm: @escaping @Sendable (QueryRequest, RemoteSettings) -> ExitStatus,
      store: @escaping @Sendable (StoreRequest) -> ExitStatus, serve: @escaping @Sendable ([String]) -> Never
    ) {
      (self.query, self.warm, self.store, self.serve) = (query, warm, store, serve)
    }

    /// The work of this program; nil if it is `shardq-commands`. Set once, before the command line is read.
    nonisolated(unsafe) static var own: RemoteWork?

    static let noURL = CommandFailure(
      status: .usage, message: "--fetch, --cache-dir and --cache-size go with an index of a URL; leave them out")

    static func answer(_ request: QueryRequest, _ settings: RemoteSettings) -> Never {
      if request.explains {
        Diagnostics.report("--explain needs an index on disk; leave out --explain, or fetch the index first")
        finish(.usage)
      }
      // The threads of the network and its connections end with the process.
      _exit(needed().query(request, settings).rawValue)
    }

    static func warm(_ request: QueryRequest, _ settings: RemoteSettings) -> Never {
      _exit(needed().warm(request, settings).rawValue)
    }

    static func run(_ request: StoreRequest) -> Never { finish(needed().store(request)) }

    static func serve() -> Never { needed().serve(OtherProgram.arguments) }

    /// Returns the work of this program. If it has none, the process becomes `shardq-remote`.
    @discardableResult
    static func needed() -> RemoteWork {
      if let own { return own }
      OtherProgram.become(
        "shardq-remote", hint: "install the package shardq-remote, or run make REMOTE=1 in a clone")
    }
  }

  /// The program that a command needs where this one is another.
  enum OtherProgram {
    /// The arguments as they came.
    static var arguments: [String] { Array(CommandLine.arguments.dropFirst()) }

    /// Becomes a program, with the arguments as they came.
    static func become(_ name: String, hint: String) -> Never {
      let path: String
      do throws(CommandFailure) {
        path = try InstalledProgram.path(name, hint: hint)
      } catch {
        Diagnostics.report(error.message)
        finish(error.status)
      }
      let code = withCStrings([path] + arguments) { words in
        execv(path, &words)  // Returns only where it fails.
        return errno
      }
      Diagnostics.report("cannot run " + path + ": " + String(cString: strerror(code)))
      finish(.notFound)
    }
  }
#endif
