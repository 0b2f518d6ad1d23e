#if !hasFeature(Embedded)
  import CLibrary

  /// A number of bytes: `8388608`, `8M`, `8MiB`, `8MB`, `1.5KiB`.
  package struct ByteSize: Equatable, Sendable {
    package var bytes: Int

    package init(bytes: Int) { self.bytes = bytes }

    package init?(argument: String) {
      let isDigit = { (character: Character) in character.isASCII && character.isNumber }
      let digits = argument.prefix(while: isDigit)
      var rest = argument.dropFirst(digits.count)
      var decimals: Substring = ""
      if rest.first == "." {
        decimals = rest.dropFirst().prefix(while: isDigit)
        rest = rest.dropFirst(1 + decimals.count)
        guard !decimals.isEmpty, decimals.count <= 6 else { return nil }
      }
      guard !digits.isEmpty, let number = Int(digits + decimals) else { return nil }
      let unit: Int
      switch rest.lowercased() {
      case "", "b": unit = 1
      case "k", "kib": unit = 1 << 10
      case "m", "mib": unit = 1 << 20
      case "g", "gib": unit = 1 << 30
      case "t", "tib": unit = 1 << 40
      case "kb": unit = 1_000
      case "mb": unit = 1_000_000
      case "gb": unit = 1_000_000_000
      case "tb": unit = 1_000_000_000_000
      default: return nil
      }
      let (product, overflow) = number.multipliedReportingOverflow(by: unit)
      let scale = decimals.reduce(1) { (scale, _) in scale * 10 }
      // Half a byte is none.
      guard !overflow, product % scale == 0 else { return nil }
      bytes = product / scale
    }

    package var defaultValueDescription: String {
      if bytes >= 1 << 20, bytes % (1 << 20) == 0 { return "\(bytes >> 20)MiB" }
      if bytes % 1024 == 0 { return "\(bytes >> 10)KiB" }
      return bytes > 1024 && bytes % 512 == 0 ? "\(bytes >> 10).5KiB" : "\(bytes)"
    }
  }

  /// An address and a port: `127.0.0.1:7878`, `[::1]:7878`, `localhost:7878`, `7878`.
  package struct ListenAddress: CustomStringConvertible, Equatable, Sendable {
    package var address: String
    package var port: Int

    package init(address: String, port: Int) { (self.address, self.port) = (address, port) }

    package init?(argument: String) {
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
        guard unsafe inet_pton(AF_INET6, name, &six) == 1 else { return nil }
      } else {
        guard unsafe inet_pton(AF_INET, name, &four) == 1 else { return nil }
      }
      (address, self.port) = (name, port)
    }

    /// Whether no other machine reaches the address.
    package var isLoopback: Bool {
      if !address.contains(":") { return address.hasPrefix("127.") }
      var six = in6_addr()
      _ = unsafe inet_pton(AF_INET6, address, &six)
      return unsafe withUnsafeBytes(of: &six) { unsafe $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    }

    package var description: String { (address.contains(":") ? "[\(address)]" : address) + ":\(port)" }
    package var defaultValueDescription: String { description }
  }

  /// A time in seconds, with or without a fraction: a millisecond at least, a day at most.
  package struct Seconds: Equatable, Sendable {
    package var milliseconds: Int

    package init(_ seconds: Int) { milliseconds = seconds * 1000 }

    package init?(argument: String) {
      guard let seconds = Double(argument), seconds >= 0.001, seconds <= 86_400 else { return nil }
      milliseconds = Int((seconds * 1000).rounded())
    }

    package var defaultValueDescription: String { "\(milliseconds / 1000)" }
  }
#endif
