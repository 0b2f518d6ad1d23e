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
          shardq serve -i s3://bucket/cities/ --cache-dir /var/cache/shardq

        /v1/openapi.json describes the API: /v1/search, /v1/within, /v1/dots, /v1/status, /api and \
        /reverse (as the geocoder Photon answers), /healthz, /metrics. When the index is rebuilt, serve \
        answers from the new generation, and no request fails. serve has no TLS: put a proxy in front of \
        it.

        SIGTERM ends serve with status 0 when all requests are answered, after five seconds at most. \
        SIGINT does the same, but serve ends by that signal. A second signal ends serve at once. SIGHUP \
        makes serve look for a newer generation now.

        DOCUMENTATION:
          man shardq-serve, docs/server.md, docs/page.md, docs/nodes.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation
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

    @OptionGroup(title: "Limits") var limits: ServeLimits
    @OptionGroup(title: "An index of a URL") var remote: RemoteQueryOptions
    @OptionGroup(title: "Page") var look: PageLook

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
      name: .customLong("log-format"),
      help: "Log every request, in this format (default: no requests, and everything else as text).")
    var logFormat: ServeSettings.LogFormat?

    @Flag(
      name: .customLong("json"),
      help: "Print one JSON object when it listens: the address, the process, the index.")
    var isJSON = false

    func validate() throws {
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
    }

    func settings(_ page: PageOptions) -> ServeSettings {
      var settings = ServeSettings()
      settings.page = page
      settings.index = location.pathOrURL
      settings.remote = remote.settings
      settings.expectedDigest = pin.expectedDigest?.description ?? ""
      settings.address = listen.address
      settings.port = listen.port
      // A public server is asked by names that only --host could tell.
      settings.hosts = isPublic && hosts.isEmpty ? ["*"] : hosts
      settings.cacheBytes = limits.cache.bytes
      settings.placesBytes = limits.places.bytes
      settings.connections = limits.connections
      settings.reloadMilliseconds = reload.milliseconds
      settings.idleMilliseconds = limits.idle.milliseconds
      settings.requestMilliseconds = limits.request.milliseconds
      settings.responseMilliseconds = limits.response.milliseconds
      settings.maxAge = maxAge
      settings.cors = cors ?? ""
      settings.logFormat = logFormat ?? .text
      settings.logsRequests = logFormat != nil
      settings.printsJSON = isJSON
      return settings
    }

    func run() throws {
      let arguments: [String]
      let path: String
      let isFar = RemoteIndex.isURL(location.pathOrURL)
      do throws(CommandFailure) {
        if remote.isSaid, !isFar { throw RemoteCommand.noURL }
        let page = try look.options(for: isFar ? nil : location.path)
        guard !page.hasImage || !page.imageOrigins.isEmpty else {
          throw CommandFailure(
            status: .usage, message: "--image needs --image-origin; name the origin of the images")
        }
        arguments = settings(page).arguments
        path =
          isFar
          ? try InstalledProgram.path(
            RemoteIndex.server,
            hint: "install the package shardq-remote, or run make SERVER=1 REMOTE=1 in a clone")
          : try InstalledProgram.path(
            "shardq-serve",
            hint: "install the package shardq-serve, or run Scripts/build.sh --server in a clone")
      } catch {
        Diagnostics.report(error.message)
        finish(error.status)
      }
      RemoteCommand.become(path, arguments)
    }
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

  /// An address and a port: `127.0.0.1:7878`, `[::1]:7878`, `localhost:7878`, `7878`.
  struct ListenAddress: ExpressibleByArgument, CustomStringConvertible {
    var address: String
    var port: Int

    init(address: String, port: Int) { (self.address, self.port) = (address, port) }

    init?(argument: String) {
      var name = "127.0.0.1"
      var digits = argument[...]
      if let colon = argument.lastIndex(of: ":") {
        name = String(argument[..<colon])
        digits = argument[argument.index(after: colon)...]
      }
      guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let port = Int(digits), port <= 65535
      else { return nil }
      if name == "localhost" || name.isEmpty { name = "127.0.0.1" }
      var four = in_addr()
      var six = in6_addr()
      if name.hasPrefix("["), name.hasSuffix("]") {
        name = String(name.dropFirst().dropLast())
        guard inet_pton(AF_INET6, name, &six) == 1 else { return nil }
      } else {
        guard inet_pton(AF_INET, name, &four) == 1 else { return nil }
      }
      (address, self.port) = (name, port)
    }

    /// Whether no other machine reaches the address.
    var isLoopback: Bool {
      if !address.contains(":") { return address.hasPrefix("127.") }
      var six = in6_addr()
      inet_pton(AF_INET6, address, &six)
      return withUnsafeBytes(of: &six) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    }

    var description: String { (address.contains(":") ? "[\(address)]" : address) + ":\(port)" }
    var defaultValueDescription: String { description }
  }

  /// A time in seconds, with or without a fraction: a millisecond at least, a day at most.
  struct Seconds: ExpressibleByArgument {
    var milliseconds: Int

    init(_ seconds: Int) { milliseconds = seconds * 1000 }

    init?(argument: String) {
      guard let seconds = Double(argument), seconds >= 0.001, seconds <= 86_400 else { return nil }
      milliseconds = Int((seconds * 1000).rounded())
    }

    var defaultValueDescription: String { "\(milliseconds / 1000)" }
  }
#endif
