#if Server
  import NIOCore

  enum RequestLimits {
    /// The most bytes of the request line, without its end.
    static let line = 8000
    static let fields = 64
    /// The most bytes of all header lines, with their ends.
    static let fieldBytes = 8192
  }

  /// The head of one request: its line and its header fields. Requests to this server have no body.
  struct Request: Sendable {
    enum Method: Sendable, Equatable {
      case get, head, options
      case other(String)

      var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .options: "OPTIONS"
        case .other(let name): name
        }
      }
    }

    let method: Method
    /// The path and the query as the request has them, without an authority in front.
    let target: String
    let destination: Destination
    var route: Route { destination.route }
    /// The part of the target after the `?`; nil without one.
    let query: Substring?
    let arrival = ContinuousClock.now
    /// The target's authority, else the `Host` field; nil for a request of HTTP/1.0 without both.
    let authority: String?
    /// Whether the connection may stay open after the answer.
    let keepsConnection: Bool
    /// Whether the answer has to tell the client that the connection stays open.
    let saysKeepAlive: Bool
    private let head: ByteBuffer
    private let fields: [HeaderField]

    /// The position of a header field in the head.
    struct HeaderField: Sendable {
      var name: Range<Int>
      var value: Range<Int>
    }

    init(
      method: Method, target: String, authority: String?, keepsConnection: Bool, saysKeepAlive: Bool, head: ByteBuffer,
      fields: [HeaderField], names: IndexNames
    ) {
      self.method = method
      self.target = target
      let question = target.firstIndex(of: "?")
      destination = names.destination(of: target[..<(question ?? target.endIndex)])
      query = question.map { target[target.index(after: $0)...] }
      self.authority = authority
      self.keepsConnection = keepsConnection
      self.saysKeepAlive = saysKeepAlive
      self.head = head
      self.fields = fields
    }

    /// The target as part of a URL, in ASCII. Another byte could control the terminal that shows the log.
    var targetInASCII: String {
      if target.utf8.allSatisfy({ $0 < 0x80 }) { return target }
      let digits = Array("0123456789ABCDEF".utf8)
      var bytes: [UInt8] = []
      for byte in target.utf8 {
        bytes += byte < 0x80 ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the value of a header field; all values, with commas between them, if the name occurs several times; nil
    /// if there is no such field.
    ///
    /// - Parameter name: A name in lower case.
    func field(_ name: StaticString) -> String? {
      head.withUnsafeReadableBytes { bytes in
        var value: String?
        for field in fields where Request.isName(bytes[field.name], name) {
          let text = String(decoding: bytes[field.value], as: UTF8.self)
          value = value.map { $0 + ", " + text } ?? text
        }
        return value
      }
    }

    /// Returns whether a name equals `wanted`, which is in lower case.
    static func isName(_ name: Slice<UnsafeRawBufferPointer>, _ wanted: StaticString) -> Bool {
      guard name.count == wanted.utf8CodeUnitCount else { return false }
      return wanted.withUTF8Buffer { wanted in
        for (at, byte) in name.enumerated() {
          let lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
          if lower != wanted[at] { return false }
        }
        return true
      }
    }
  }
#endif
