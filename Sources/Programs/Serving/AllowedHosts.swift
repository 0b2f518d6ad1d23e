#if Server
  /// The host names that requests may name.
  ///
  /// A foreign page can make its own name resolve to this machine, and could then read answers as its own (DNS
  /// rebinding). The requests of such a page carry the page's name in `Host`. So the server answers only to the names
  /// of this machine and to the names that `--host` allows.
  struct AllowedHosts: Sendable {
    private let names: Set<String>
    private let allowsAll: Bool

    /// - Parameters:
    ///   - names: The names that are allowed besides the names of this machine; `*` allows all names.
    ///   - address: The address that the server listens on.
    init(_ names: [String], address: String) {
      self.names = Set(names.map { $0.lowercased() } + ["localhost", "127.0.0.1", "[::1]", Self.inHost(address)])
      allowsAll = names.contains("*")
    }

    /// Returns an address in the form of a `Host` field or a URL.
    static func inHost(_ address: String) -> String { address.contains(":") ? "[\(address)]" : address }

    /// - Parameter authority: A name with or without a port; nil for a request of HTTP/1.0 without `Host`.
    func allows(_ authority: String?) -> Bool {
      guard !allowsAll, let authority else { return true }
      var name = authority[...]
      if let colon = name.lastIndex(of: ":"), name[colon...].utf8.dropFirst().allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
        name = name[..<colon]
      }
      if name.hasSuffix(".") { name = name.dropLast() }
      let lower = name.lowercased()
      return names.contains(lower) || lower.hasSuffix(".localhost")
    }
  }
#endif
