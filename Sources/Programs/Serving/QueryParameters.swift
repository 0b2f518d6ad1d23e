#if Server
  import CLibrary

  /// The parameters of a request's query. The route reads each parameter once.
  ///
  /// The server refuses a parameter that the route does not read, and a parameter that is sent twice. Only `_` is
  /// ignored: libraries put a number in `_` to get past caches.
  struct QueryParameters {
    private var values: [(name: String, value: String, isRead: Bool)] = []

    /// - Parameters:
    ///   - query: The part of the target after the `?`, as it was sent; nil without one.
    ///   - repeatable: The parameters that may be sent several times: ``texts(_:)``.
    init(_ query: Substring?, repeatable: Set<String> = []) throws(Problem) {
      for pair in query?.split(separator: "&") ?? [] {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts[0] == "_" { continue }
        guard let name = Self.decoded(parts[0]), let value = parts.count > 1 ? Self.decoded(parts[1]) : "" else {
          let name = Self.decoded(parts[0])
          throw .badParameter(
            name ?? String(parts[0]), "The parameter is not percent-encoded UTF-8; send a percent sign as %25.")
        }
        guard repeatable.contains(name) || !values.contains(where: { $0.name == name }) else {
          throw .badParameter(name, "\(name) is sent twice; send \(name) once.")
        }
        values.append((name, value, false))
      }
    }

    /// Decodes a text of `application/x-www-form-urlencoded`; nil if it is not valid.
    ///
    /// - Parameter isPath: Whether the text is of a path, where a plus sign stands for itself.
    static func decoded(_ text: Substring, isPath: Bool = false) -> String? {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.utf8.count)
      var rest = text.utf8.makeIterator()
      while let byte = rest.next() {
        switch byte {
        case UInt8(ascii: "+") where !isPath: bytes.append(0x20)
        case UInt8(ascii: "%"):
          guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
          bytes.append(high << 4 | low)
        default: bytes.append(byte)
        }
      }
      return String(utf8: bytes)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
      switch byte {
      case 0x30...0x39: byte - 0x30
      case 0x41...0x46: byte - 0x37
      case 0x61...0x66: byte - 0x57
      default: nil
      }
    }

    mutating func text(_ name: String) -> String? {
      guard let at = values.firstIndex(where: { $0.name == name }) else { return nil }
      values[at].isRead = true
      return values[at].value
    }

    /// Returns whether a parameter is sent and not empty.
    mutating func hasValue(_ name: String) -> Bool { !(text(name) ?? "").isEmpty }

    /// Returns all values of a parameter that may be repeated, without the empty ones.
    mutating func texts(_ name: String) -> [String] {
      var texts: [String] = []
      for at in values.indices where values[at].name == name {
        values[at].isRead = true
        if !values[at].value.isEmpty { texts.append(values[at].value) }
      }
      return texts
    }

    mutating func number(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
      guard let text = text(name) else { return nil }
      guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(text), range.contains(number) else {
        throw .badParameter(name, "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
      }
      return number
    }

    mutating func flag(_ name: String) throws(Problem) -> Bool {
      switch text(name) {
      case nil, "false": return false
      case "true": return true
      default: throw .badParameter(name, "\(name) must be true or false.")
      }
    }

    /// Returns a number of degrees in units of 1e-7 degrees.
    mutating func degrees(_ name: String, limit: Double) throws(Problem) -> Int32 {
      guard let text = text(name) else {
        throw .badParameter(name, "\(name) is missing; send a number of degrees from -\(Int(limit)) to \(Int(limit)).")
      }
      guard let number = Self.decimal(text), number.magnitude <= limit else {
        throw .badParameter(name, "\(name) must be a number of degrees from -\(Int(limit)) to \(Int(limit)).")
      }
      return PlaceGrid.units(number)
    }

    /// Reads a decimal number with or without an exponent; nil for anything else.
    static func decimal(_ text: some StringProtocol) -> Double? {
      // Signs, the point, digits and the exponent's letter. `Double` itself also reads words and hexadecimal digits.
      let isPlain = text.utf8.allSatisfy {
        ($0 >= 0x2b && $0 <= 0x39 && $0 != 0x2c && $0 != 0x2f) || $0 | 0x20 == UInt8(ascii: "e")
      }
      guard isPlain, let number = Double(text), number.isFinite else { return nil }
      return number
    }

    /// Refuses parameters that the route did not read.
    func finish() throws(Problem) {
      guard let unread = values.first(where: { !$0.isRead }) else { return }
      throw .badParameter(
        unread.name, "This path has no parameter \(unread.name); /v1/openapi.json lists the parameters.")
    }
  }
#endif
