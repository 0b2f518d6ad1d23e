#if Server
  /// The host names that requests may name.
  ///
  /// A foreign page can have its own name resolve to this machine, and could then read answers as its own (DNS
  /// rebinding). Its requests carry its name in `Host`. So the server answers to names of this machine and to those
  /// that `--host` allows.
  struct AllowedHosts: Sendable {
    private let names: Set<String>
    private let allowsAll: Bool

    /// - Parameters:
    ///   - names: The names that are allowed beside those of this machine; `*` allows all.
    ///   - address: The address that the server listens on.
    init(_ names: [String], address: String) {
      self.names = Set(names.map { $0.lowercased() } + ["localhost", "127.0.0.1", "[::1]", Self.inHost(address)])
      allowsAll = names.contains("*")
    }

    /// Returns an address in the form of a `Host` field or a URL.
    static func inHost(_ address: String) -> String { address.contains(":") ? "[\(address)]" : address }

    /// - Parameter authority: A name with or without a port; nil where a request of HTTP/1.0 has none.
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
