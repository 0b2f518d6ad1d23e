#if Server
  /// By which names the server may be asked.
  ///
  /// A page from elsewhere can have its own name lead to this machine, and would then read answers as its own (DNS
  /// rebinding). Its requests name it in `Host`: only names of this machine are answered, and those that were allowed.
  struct AllowedHosts: Sendable {
    private let names: Set<String>
    private let allowsAll: Bool

    /// - Parameters:
    ///   - names: Allowed beside the names of this machine; `*` allows all.
    ///   - address: That the server listens on.
    init(_ names: [String], address: String) {
      self.names = Set(names.map { $0.lowercased() } + ["localhost", "127.0.0.1", "[::1]", Self.inHost(address)])
      allowsAll = names.contains("*")
    }

    /// As it stands in a `Host` or an URL.
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
