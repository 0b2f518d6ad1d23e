#if !hasFeature(Embedded)
  /// How `shardq serve` is to run: `shardq-commands` reads it off the command line and tells `shardq-serve`.
  ///
  /// The words between the two are `name=value`, all of them said, in no language that anybody else has to know.
  package struct ServeSettings: Equatable, Sendable {
    package enum LogFormat: String, Sendable, CaseIterable {
      case text, json
    }

    /// The index's directory, or its URL.
    package var index = "shards"
    /// 64 hexadecimal digits, or empty for any index.
    package var expectedDigest = ""
    /// A literal IPv4 or IPv6 address.
    package var address = "127.0.0.1"
    /// 0: the system chooses.
    package var port = 7878
    /// Names, beside those of this machine, that requests may ask by; one `*` allows any.
    package var hosts: [String] = []
    /// The most bytes of decompressed shards that stay in memory.
    package var cacheBytes = 8 << 20
    /// How an index of a URL is fetched.
    package var remote = RemoteSettings()
    /// The most bytes that finding records by where they lie may take.
    package var placesBytes = 64 << 20
    /// The most connections at a time.
    package var connections = 16384
    /// Milliseconds between looks for a newer generation.
    package var reloadMilliseconds = 1000
    /// Milliseconds that a connection may do nothing.
    package var idleMilliseconds = 60_000
    /// Milliseconds in which a request must have arrived that has begun to.
    package var requestMilliseconds = 10_000
    /// Milliseconds in which an answer must have been taken.
    package var responseMilliseconds = 60_000
    /// Seconds for which others may keep an answer without asking.
    package var maxAge = 0
    /// The origin whose pages may read answers, `*` for all; empty for none.
    package var cors = ""
    package var logFormat = LogFormat.text
    /// Whether every request is a line of the log.
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

    /// - Returns: nil for words that ``arguments`` does not make.
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
