#if !hasFeature(Embedded)
  /// The settings of `shardq serve`.
  package struct ServeSettings: Equatable, Sendable {
    package enum LogFormat: String, Sendable, CaseIterable {
      case text, json
    }

    /// The index, or several with names.
    package var indexes = [NamedIndex(name: nil, path: "shards")]
    /// The SHA-256 that the manifest must have, as 64 hexadecimal digits; empty for any.
    package var expectedDigest = ""
    /// The IPv4 or IPv6 address to listen on, and the port; 0 if the system chooses.
    package var listen = ListenAddress(address: "127.0.0.1", port: 7878)
    package var address: String { listen.address }
    package var port: Int { listen.port }
    /// The host names that requests may use beside this machine's own; `*` allows any.
    package var hosts: [String] = []
    /// The proxies whose `X-Forwarded-For` names the client in the log.
    package var trustedProxies: [AddressRange] = []
    /// The most bytes of decompressed shards that stay in memory.
    package var cacheBytes = 8 << 20
    /// The settings for an index of a URL.
    package var remote = RemoteSettings()
    /// The most bytes of memory for searches by a box on the map.
    package var placesBytes = 64 << 20
    /// The most bytes of memory for finding records by their ids.
    package var idsBytes = 64 << 20
    /// The most simultaneous connections.
    package var connections = 16384
    /// The time between checks for a newer generation, in milliseconds.
    package var reloadMilliseconds = 1000
    /// The time that a connection may be idle, in milliseconds.
    package var idleMilliseconds = 60_000
    /// The time from the first byte of a request to its last, in milliseconds.
    package var requestMilliseconds = 10_000
    /// The time in which a client must take an answer, in milliseconds.
    package var responseMilliseconds = 60_000
    /// The time for which caches may keep an answer without a new request, in seconds.
    package var maxAge = 0
    /// The origin whose pages may read answers; `*` for all, empty for none.
    package var cors = ""
    /// The pages that may embed the search page, as ``PagePolicy/ancestors(_:)`` takes them.
    package var frameAncestors: [String] = []
    package var logFormat = LogFormat.text
    /// Whether the log has a line for every request.
    package var logsRequests = false
    /// Whether the log has the texts that no record matches.
    package var logsUnmatched = false
    /// Whether the address is printed as JSON.
    package var printsJSON = false
    /// The look of the page.
    package var page = PageOptions()

    package typealias SettingsError = UserSettings.SettingsError

    package init() {}

    // MARK: The command line

    /// Reads the arguments of `shardq serve`, which `shardq-commands` has checked.
    ///
    /// - Returns: nil for a line that no check passes.
    /// - Throws: The fault of the page's settings, of the names of indexes, or of the user's settings.
    package init?(_ arguments: [String]) throws(SettingsError) {
      var line = ArgumentReader(arguments)
      var isPublic = false
      while let name = line.next() {
        switch name {
        case "serve": continue
        case "--public": isPublic = true
        case "--json": printsJSON = true
        case "--log-unmatched": logsUnmatched = true
        default:
          guard let value = line.value(), set(name, value, &line) else { return nil }
        }
      }
      let user = try UserSettings.load()
      indexes = try NamedIndex.list(line.indexes).map { NamedIndex(name: $0.name, path: user.indexPath($0.path)) }
      page = try line.page()
      // A public server is asked by names that only --host could tell.
      if isPublic, hosts.isEmpty { hosts = ["*"] }
      guard isPublic || listen.isLoopback else { return nil }
    }

    private mutating func set(_ name: String, _ value: String, _ line: inout ArgumentReader) -> Bool {
      func set<Value>(_ target: inout Value, _ value: Value?) -> Bool {
        guard let value else { return false }
        target = value
        return true
      }
      func bytes() -> Int? { ByteSize(argument: value)?.bytes }
      func milliseconds() -> Int? { Seconds(argument: value)?.milliseconds }
      switch name {
      case "-i", "--index": line.indexes.append(value)
      case "--expect-digest": expectedDigest = value
      case "--listen": return set(&listen, ListenAddress(argument: value))
      case "--host": hosts.append(value)
      case "--trusted-proxy":
        guard let range = AddressRange(argument: value) else { return false }
        trustedProxies.append(range)
      case "--cache": return set(&cacheBytes, bytes())
      case "--places-memory": return set(&placesBytes, bytes())
      case "--ids-memory": return set(&idsBytes, bytes())
      case "--max-connections": return set(&connections, Int(value))
      case "--reload-interval": return set(&reloadMilliseconds, milliseconds())
      case "--idle-timeout": return set(&idleMilliseconds, milliseconds())
      case "--request-timeout": return set(&requestMilliseconds, milliseconds())
      case "--response-timeout": return set(&responseMilliseconds, milliseconds())
      case "--max-age": return set(&maxAge, Int(value))
      case "--cors": cors = value
      case "--frame-ancestors":
        frameAncestors.append(value)
        return PagePolicy.ancestors(frameAncestors) != nil
      case "--log-format":
        logsRequests = true
        return set(&logFormat, LogFormat(rawValue: value))
      case "--fetch": remote.fetch = value
      case "--cache-dir": remote.cacheDirectory = value
      case "--cache-size":
        guard let size = bytes() else { return false }
        remote.cacheBytes = size
      case "--page-file": line.pageFile = value
      default:
        guard name.hasPrefix("--") else { return false }
        line.look.append((String(name.dropFirst(2)), value))
      }
      return true
    }

    /// The rest of a command line, and its parts that need others.
    private struct ArgumentReader {
      private var rest: ArraySlice<String>
      private var attached: String?
      var indexes: [String] = []
      var pageFile: String?
      var look: [(name: String, value: String)] = []

      init(_ arguments: [String]) { rest = arguments[...] }

      /// Returns the next word or the name of the next option.
      mutating func next() -> String? {
        guard let argument = rest.popFirst() else { return nil }
        attached = nil
        if argument.hasPrefix("--"), let sign = argument.firstIndex(of: "=") {
          attached = String(argument[argument.index(after: sign)...])
          return String(argument[..<sign])
        }
        guard argument.hasPrefix("-i"), argument.utf8.count > 2 else { return argument }
        attached = String(argument.dropFirst(argument.hasPrefix("-i=") ? 3 : 2))
        return "-i"
      }

      mutating func value() -> String? { attached ?? rest.popFirst() }

      /// Returns the look of the page. Options of the command line win over the lines of the file.
      func page() throws(SettingsError) -> PageOptions {
        var page = PageOptions()
        if let pageFile { try page.addFile(pageFile) }
        // A list that is given twice adds up.
        let fields = look.filter { $0.name == "fields" }.map(\.value)
        let others = look.filter { $0.name != "fields" }
        for (name, value) in others + (fields.isEmpty ? [] : [("fields", fields.joined(separator: ","))]) {
          try page.add(name, value, place: "--\(name): ")
        }
        try page.checkLanguage()
        guard !page.hasImage || !page.imageOrigins.isEmpty else {
          throw SettingsError(message: "--image needs --image-origin; name the origin of the images", status: .usage)
        }
        return page
      }
    }
  }
#endif
