#if CommandLineTool
  import ArgumentParser
  import QueryOutput
  import ShardedIndex

  import CLibrary

  struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "serve",
      abstract: "Serve a search page with a map, and an HTTP API.",
      usage: "shardq serve [<options>]",
      discussion: """
        EXAMPLES:
          shardq serve                             then open http://127.0.0.1:7878/
          curl 'http://127.0.0.1:7878/v1/search?q=san&limit=5'
          shardq serve --listen 127.0.0.1:0        a free port; prints the address
          shardq serve --listen 0.0.0.0:8080 --public --host cities.example.org
          shardq serve --title Shop --subtitle '{brand}, {price} EUR'
          shardq serve -i a=DIR -i b=DIR           at /v1/a/search and /v1/b/search
          shardq serve -i s3://bucket/cities/ --cache-dir /var/cache/shardq

        /v1/openapi.json describes the API: /v1/search, /v1/facets, /v1/record/ID, /v1/within, /v1/dots, /v1/status, /api and \
        /reverse (as the geocoder Photon answers), /healthz, /metrics. When the index is rebuilt, serve \
        answers from the new generation, and no request fails. serve has no TLS: put a proxy in front of \
        it.

        SIGTERM ends serve with status 0 when all requests are answered, after five seconds at most. \
        SIGINT does the same, but serve ends by that signal. A second signal ends serve at once. SIGHUP \
        makes serve look for a newer generation now.

        DOCUMENTATION:
          man shardq-serve, docs/server.md, docs/page.md, docs/box.md, docs/nodes.md
        """)

    @OptionGroup(title: "Index") var location: ServedIndexOptions
    @OptionGroup(title: "Index") var pin: IndexPin

    @Option(
      name: .customLong("listen"),
      help: ArgumentHelp(
        "The address and the port to listen on. For port 0 the system chooses a free port.", valueName: "address:port"))
    var listen = ListenAddress(address: "127.0.0.1", port: 7878)

    @Flag(name: .customLong("public"), help: "Allow an address that other machines reach.")
    var isPublic = false

    @Option(
      name: .customLong("host"),
      help: ArgumentHelp(
        "A host name that requests may have, besides localhost and the address; * for any. May be given again.",
        valueName: "name"))
    var hosts: [String] = []

    @Option(
      name: .customLong("trusted-proxy"),
      help: ArgumentHelp(
        "A proxy's address whose X-Forwarded-For names the client in the log. May be given again.",
        valueName: "address[/bits]"))
    var proxies: [AddressRange] = []

    @OptionGroup(title: "Limits") var limits: ServeLimits
    @OptionGroup(title: "An index of a URL") var remote: RemoteQueryOptions
    @OptionGroup(title: "Page") var look: PageLook

    @OptionGroup(title: "Rows of the page") var rows: PageRows

    @Option(
      name: .customLong("reload-interval"),
      help: ArgumentHelp("The time between looks for a newer generation.", valueName: "seconds"))
    var reload = Seconds(1)

    @Option(
      name: .customLong("max-age"),
      help: ArgumentHelp("The time for which caches may answer by themselves.", valueName: "seconds"))
    var maxAge = 0

    @Option(
      name: .customLong("cors"),
      help: ArgumentHelp("The origin whose pages may read answers; * for all.", valueName: "origin"))
    var cors: String?

    @Option(
      name: .customLong("frame-ancestors"),
      help: ArgumentHelp(
        "A page's origin that may embed the search page; self for the server's own, * for all. May be given again.",
        valueName: "origin"))
    var ancestors: [String] = []

    @Option(
      name: .customLong("log-format"),
      help: "Log every request, in this format (default: no requests, and everything else as text).")
    var logFormat: ServeSettings.LogFormat?

    @Flag(name: .customLong("log-unmatched"), help: "Log each text that no record matches.")
    var logsUnmatched = false

    @Flag(
      name: .customLong("json"),
      help: "Print one JSON object when it listens: the address, the process, the index.")
    var isJSON = false

    func validate() throws {
      guard location.indexes.count < 2 || pin.expectedDigest == nil else {
        throw ValidationError("--expect-digest pins one index; leave it out, or serve one index")
      }
      guard isPublic || listen.isLoopback else {
        throw ValidationError("--listen: other machines reach \(listen); add --public to allow them")
      }
      guard limits.connections >= 1 else { throw ValidationError("--max-connections must be at least 1") }
      guard maxAge >= 0 else { throw ValidationError("--max-age must be at least 0") }
      for name in hosts + (cors.map { [$0] } ?? []) {
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
          throw ValidationError("--host and --cors must be names in ASCII, without spaces")
        }
      }
      try checkAncestors()
    }

    private func checkAncestors() throws {
      for page in ancestors where PagePolicy.ancestors([page]) == nil {
        throw ValidationError(
          "--frame-ancestors: \(page) is not an origin; write one without a path, such as https://shop.example, or "
            + "self, or *")
      }
    }

    func run() throws {
      if location.paths.contains(where: RemoteIndex.isURL) { RemoteWork.serve() }
      if remote.isSaid {
        Diagnostics.report(RemoteWork.noURL.message)
        finish(RemoteWork.noURL.status)
      }
      OtherProgram.become(
        "shardq-serve", hint: "install the package shardq-serve, or run Scripts/build.sh --server in a clone")
    }
  }

  /// The option that names the indexes of a server.
  struct ServedIndexOptions: ParsableArguments {
    @Option(
      name: [.customShort("i", allowingJoined: true), .customLong("index")],
      help: ArgumentHelp(
        "The index: a directory, an archive, a URL, or the name of an installed index (default: $SHARDQ_INDEX, else ./shards). Several indexes have names: -i cities=DIR -i products=DIR.",
        valueName: "dir"),
      completion: .file())
    var indexes: [String] = []

    func validate() throws { _ = try list() }

    private func list() throws -> [(name: String?, path: String?)] {
      do throws(UserSettings.SettingsError) {
        return try NamedIndex.list(indexes)
      } catch {
        throw ValidationError(error.message)
      }
    }

    /// The directories and URLs that the option, the user's settings or the default name.
    var paths: [String] { (try? list().map { UserSettings.current.indexPath($0.path) }) ?? [] }
  }

  /// The options that bound a server.
  struct ServeLimits: ParsableArguments {
    @Option(
      name: .customLong("cache"),
      help: ArgumentHelp("The most memory for decompressed shards.", valueName: "size"))
    var cache = ByteSize(bytes: 8 << 20)

    @Option(
      name: .customLong("places-memory"),
      help: ArgumentHelp("The most memory for finding records by place: 12 bytes a record.", valueName: "size"))
    var places = ByteSize(bytes: 64 << 20)

    @Option(
      name: .customLong("ids-memory"),
      help: ArgumentHelp("The most memory for finding records by id: 8 bytes a record.", valueName: "size"))
    var ids = ByteSize(bytes: 64 << 20)

    @Option(
      name: .customLong("max-connections"), help: ArgumentHelp("The most connections at a time.", valueName: "n"))
    var connections = 16384

    @Option(
      name: .customLong("idle-timeout"),
      help: ArgumentHelp("The longest time that a connection may be idle.", valueName: "seconds"))
    var idle = Seconds(60)

    @Option(
      name: .customLong("request-timeout"),
      help: ArgumentHelp("The longest time that a request may take to arrive.", valueName: "seconds"))
    var request = Seconds(10)

    @Option(
      name: .customLong("response-timeout"),
      help: ArgumentHelp("The longest time that a client may take to read an answer.", valueName: "seconds"))
    var response = Seconds(60)
  }

  extension ServeSettings.LogFormat: ExpressibleByArgument {}
  extension ListenAddress: ExpressibleByArgument {}
  extension AddressRange: ExpressibleByArgument {}
  extension Seconds: ExpressibleByArgument {}
#endif
