#if !hasFeature(Embedded)
  /// The settings of `shardq serve`. `shardq-commands` reads them from the command line and hands them to
  /// `shardq-serve`.
  ///
  /// The arguments between the two programs are `name=value`, one for each setting; no other program uses them.
  package struct ServeSettings: Equatable, Sendable {
    package enum LogFormat: String, Sendable, CaseIterable {
      case text, json
    }

    /// The index's directory, or its URL.
    package var index = "shards"
    /// The SHA-256 that the manifest must have, as 64 hexadecimal digits; empty for any.
    package var expectedDigest = ""
    /// The IPv4 or IPv6 address to listen on.
    package var address = "127.0.0.1"
    /// The port; 0 if the system chooses.
    package var port = 7878
    /// The host names that requests may use beside this machine's own; `*` allows any.
    package var hosts: [String] = []
    /// The most bytes of decompressed shards that stay in memory.
    package var cacheBytes = 8 << 20
    /// The settings for an index of a URL.
    package var remote = RemoteSettings()
    /// The most bytes of memory for searches by a box on the map.
    package var placesBytes = 64 << 20
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
    package var logFormat = LogFormat.text
    /// Whether the log has a line for every request.
    package var logsRequests = false
    /// Whether the address is printed as JSON.
    package var printsJSON = false
    /// The look of the page.
    package var page = PageOptions()

    package init() {}

    /// The arguments that ``init(arguments:)`` reads.
    package var arguments: [String] {
      [
        "index=" + index, "digest=" + expectedDigest, "address=" + address, "port=\(port)",
        "cache=\(cacheBytes)", "places=\(placesBytes)", "connections=\(connections)",
        "reload=\(reloadMilliseconds)", "idle=\(idleMilliseconds)", "request=\(requestMilliseconds)",
        "response=\(responseMilliseconds)", "max-age=\(maxAge)", "cors=" + cors,
        "log-format=" + logFormat.rawValue, "access-log=\(logsRequests)", "json=\(printsJSON)",
      ] + remote.arguments + hosts.map { "host=" + $0 } + page.arguments.map { "page=" + $0 }
    }

    /// - Returns: nil for arguments that ``arguments`` does not make.
    package init?(arguments: [String]) {
      for argument in arguments {
        guard let equals = argument.firstIndex(of: "=") else { return nil }
        let value = String(argument[argument.index(after: equals)...])
        func number(_ target: inout Int) -> Bool {
          guard let number = Int(value), number >= 0 else { return false }
          target = number
          return true
        }
        let isRead: Bool
        switch argument[..<equals] {
        case "index": (isRead, index) = (true, value)
        case "digest": (isRead, expectedDigest) = (true, value)
        case "address": (isRead, address) = (true, value)
        case "port": isRead = number(&port) && port <= 65535
        case "host": (isRead, hosts) = (true, hosts + [value])
        case "cache": isRead = number(&cacheBytes)
        case "places": isRead = number(&placesBytes)
        case "connections": isRead = number(&connections)
        case "reload": isRead = number(&reloadMilliseconds)
        case "idle": isRead = number(&idleMilliseconds)
        case "request": isRead = number(&requestMilliseconds)
        case "response": isRead = number(&responseMilliseconds)
        case "max-age": isRead = number(&maxAge)
        case "cors": (isRead, cors) = (true, value)
        case "log-format":
          guard let format = LogFormat(rawValue: value) else { return nil }
          (isRead, logFormat) = (true, format)
        case "access-log":
          guard let isOn = Bool(value) else { return nil }
          (isRead, logsRequests) = (true, isOn)
        case "page":
          guard let equals = value.firstIndex(of: "=") else { return nil }
          let (name, said) = (String(value[..<equals]), String(value[value.index(after: equals)...]))
          isRead = (try? page.add(name, said, place: "")) != nil
        case "json":
          guard let isOn = Bool(value) else { return nil }
          (isRead, printsJSON) = (true, isOn)
        case let name: isRead = remote.set(name, value)
        }
        guard isRead else { return nil }
      }
    }
  }
#endif
