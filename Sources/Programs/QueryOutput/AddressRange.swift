#if !hasFeature(Embedded)
  import CLibrary

  /// The 16 bytes of an IP address. An IPv4 address has its form in IPv6, `::ffff:192.0.2.1`.
  package struct IPAddress: Equatable, Sendable {
    fileprivate var bytes = [UInt8](repeating: 0, count: 16)
    fileprivate var isIPv4 = false

    /// The beginning of an IPv4 address in IPv6.
    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

    package init?(_ text: String) {
      // A byte that ends a text of C would hide the rest.
      guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
      if text.contains(":") {
        guard unsafe inet_pton(AF_INET6, text, &bytes) == 1 else { return nil }
        isIPv4 = bytes[..<12] == Self.mapped[...]
      } else {
        var four = [UInt8](repeating: 0, count: 4)
        guard unsafe inet_pton(AF_INET, text, &four) == 1 else { return nil }
        bytes = Self.mapped + four
        isIPv4 = true
      }
    }
  }

  /// The addresses that begin with the same bits: `10.0.0.0/8`, `fd00::/8`, or one address.
  package struct AddressRange: Equatable, Sendable {
    private var network: IPAddress
    /// The number of bits that all addresses share, of 128.
    private var bits: Int

    package init?(argument: String) {
      let parts = argument.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard let network = IPAddress(String(parts[0])) else { return nil }
      let size = argument.contains(":") ? 128 : 32
      var length = size
      if parts.count > 1 {
        let digits = parts[1].utf8
        guard digits.count <= 3, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(parts[1]),
          number <= size
        else { return nil }
        length = number
      }
      (self.network, bits) = (network, 128 - size + length)
    }

    /// Returns whether the range has an address. A range of IPv6 has no addresses of IPv4, as in nginx.
    package func contains(_ address: IPAddress) -> Bool {
      guard network.isIPv4 == address.isIPv4 else { return false }
      let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
      guard network.bytes[..<whole] == address.bytes[..<whole] else { return false }
      return rest == 0 || (network.bytes[whole] ^ address.bytes[whole]) >> UInt8(8 - rest) == 0
    }
  }

  extension [AddressRange] {
    /// Returns the address of a request's client. These ranges are the addresses of trusted proxies.
    ///
    /// Each proxy appends the address of its own client to `X-Forwarded-For`, so the client is the rightmost address of
    /// no trusted proxy. An entry that is no address ends the search, and the addresses on its right count.
    ///
    /// - Parameters:
    ///   - peer: The address at the other end of the connection.
    ///   - forwarded: The value of `X-Forwarded-For`; nil without one.
    package func client(of peer: String, _ forwarded: String?) -> String {
      var client = peer
      guard let forwarded, let address = IPAddress(peer), isTrusted(address) else { return client }
      for entry in forwarded.split(separator: ",", omittingEmptySubsequences: false).reversed() {
        let words = entry.split { $0 == " " || $0 == "\t" }
        guard words.count == 1 else { break }
        let text = Self.withoutPort(String(words[0]))
        guard let address = IPAddress(text) else { break }
        client = text
        guard isTrusted(address) else { break }
      }
      return client
    }

    private func isTrusted(_ address: IPAddress) -> Bool { contains { $0.contains(address) } }

    /// Returns an address of `192.0.2.1:4711` or `[2001:db8::1]:4711`, as some proxies write them.
    private static func withoutPort(_ text: String) -> String {
      if text.hasPrefix("["), let end = text.firstIndex(of: "]") { return String(text[..<end].dropFirst()) }
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      return parts.count == 2 ? String(parts[0]) : text
    }
  }
#endif
