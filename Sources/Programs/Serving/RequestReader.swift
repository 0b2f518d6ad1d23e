#if Server
  import CLibrary
  import NIOCore

  /// The reader of requests in the bytes of a connection: HTTP/1.1 and 1.0 without bodies, RFC 9112.
  ///
  /// The reader is strict, so that a proxy in front cannot see another request in the same bytes: lines end with CR LF,
  /// field names are tokens, no line is folded, no request has two lengths. The reader never reads a body: a request
  /// with a body is the last of its connection.
  struct RequestReader {
    enum Result {
      /// A part of the request has not arrived.
      case incomplete
      case request(Request)
      /// The connection ends after the answer.
      case refused(Problem)
    }

    private struct RequestLine {
      var method: Range<Int>
      var target: Range<Int>
      var minorVersion: UInt8
    }

    private let names: IndexNames
    /// The number of bytes of the head that were read as lines.
    private var position = 0
    /// The number of bytes after `position` that were searched for the end of a line.
    private var searched = 0
    private var line: RequestLine?
    private var fieldStart = 0
    private var fields: [Request.HeaderField] = []

    init(_ names: IndexNames) { self.names = names }

    /// Takes the next request from the front of `input`.
    mutating func next(from input: inout ByteBuffer) -> Result {
      do {
        guard try input.withUnsafeReadableBytes({ try read($0) }) else { return .incomplete }
        let head = input.readSlice(length: position)!
        let request = try head.withUnsafeReadableBytes { try self.request(head, $0) }
        self = RequestReader(names)
        return .request(request)
      } catch let problem as Problem {
        return .refused(problem)
      } catch {
        return .refused(Self.malformed)
      }
    }

    /// Whether bytes of a request have arrived.
    func hasBegun(_ input: ByteBuffer) -> Bool { line != nil || input.readableBytes > 0 }

    // MARK: Lines

    /// Reads lines up to the empty line, and returns whether the empty line has arrived.
    private mutating func read(_ bytes: UnsafeRawBufferPointer) throws(Problem) -> Bool {
      while let end = try lineEnd(bytes) {
        let content = position..<end
        position = end + 2
        searched = position
        if line == nil {
          // A reader ignores empty lines before a request: RFC 9112, section 2.2.
          if content.isEmpty, position <= RequestLimits.line { continue }
          line = try Self.line(bytes, content)
          fieldStart = position
        } else if content.isEmpty {
          return true
        } else {
          try addField(bytes, content)
        }
      }
      return false
    }

    /// Returns the end of the next line, before its CR LF; nil if the end has not arrived.
    private mutating func lineEnd(_ bytes: UnsafeRawBufferPointer) throws(Problem) -> Int? {
      while searched < bytes.count, bytes[searched] != 0x0a {
        // A head has no control character but the tab between words.
        guard bytes[searched] >= 0x20 || bytes[searched] == 0x0d || bytes[searched] == 0x09, bytes[searched] != 0x7f
        else { throw Self.malformed }
        searched += 1
      }
      let isThere = searched < bytes.count
      let end = isThere ? searched - 1 : searched
      if line == nil {
        guard end - position <= RequestLimits.line + (isThere ? 0 : 1) else {
          throw bytes[position..<end].prefix(32).contains(0x20) ? Self.longLine : Self.malformed
        }
      } else {
        guard end + 2 - fieldStart <= RequestLimits.fieldBytes + 2 else { throw Self.manyFields }
      }
      guard isThere else { return nil }
      guard end >= position, bytes[end] == 0x0d else { throw Self.bareLineFeed }
      return end
    }

    private static func line(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(Problem) -> RequestLine {
      let words = bytes[range].split(separator: 0x20, maxSplits: 3, omittingEmptySubsequences: false)
      guard !words[0].isEmpty, words[0].allSatisfy(isToken) else { throw malformed }
      guard words.count == 3 else { throw words.count < 3 ? noVersion : malformed }
      guard !words[1].isEmpty, words[1].allSatisfy({ $0 > 0x20 }) else { throw malformed }
      let version = words[2]
      guard version.count == 8, version.prefix(5).elementsEqual("HTTP/".utf8),
        isDigit(version[version.startIndex + 5]), version[version.startIndex + 6] == 0x2e,
        isDigit(version[version.startIndex + 7])
      else { throw malformed }
      let minor = version[version.startIndex + 7] - 0x30
      guard version[version.startIndex + 5] == 0x31, minor <= 1 else { throw otherVersion }
      return RequestLine(
        method: words[0].startIndex..<words[0].endIndex, target: words[1].startIndex..<words[1].endIndex,
        minorVersion: minor)
    }

    private mutating func addField(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(Problem) {
      guard fields.count < RequestLimits.fields else { throw Self.manyFields }
      // A line that begins with a space or a tab would continue the line before.
      guard let colon = bytes[range].firstIndex(of: 0x3a), colon > range.lowerBound,
        bytes[range.lowerBound..<colon].allSatisfy(Self.isToken)
      else { throw Self.malformed }
      var value = colon + 1..<range.upperBound
      guard !bytes[value].contains(0x0d) else { throw Self.malformed }
      while let first = value.first, Self.isBlank(bytes[first]) { value = first + 1..<value.upperBound }
      while let last = value.last, Self.isBlank(bytes[last]) { value = value.lowerBound..<last }
      fields.append(Request.HeaderField(name: range.lowerBound..<colon, value: value))
    }

    // MARK: Meaning

    private func request(_ head: ByteBuffer, _ bytes: UnsafeRawBufferPointer) throws(Problem) -> Request {
      let line = line!
      var host: String?
      var (closes, keepsAlive, isOther) = (false, false, false)
      var (length, isCoded): (Slice<UnsafeRawBufferPointer>?, Bool) = (nil, false)
      for field in fields {
        let (name, value) = (bytes[field.name], bytes[field.value])
        if Request.isName(name, "host") {
          guard host == nil else { throw Self.badHost }
          host = String(decoding: value, as: UTF8.self)
        } else if Request.isName(name, "connection") {
          for word in value.split(separator: 0x2c) {
            let option = word.filter { !Self.isBlank($0) }
            option.withUnsafeBytes {
              let option = $0[0..<$0.count]
              closes = closes || Request.isName(option, "close")
              keepsAlive = keepsAlive || Request.isName(option, "keep-alive")
              isOther = isOther || Request.isName(option, "upgrade")
            }
          }
        } else if Request.isName(name, "content-length") {
          guard length == nil, !value.isEmpty, value.allSatisfy(Self.isDigit) else { throw Self.malformed }
          length = value
        } else if Request.isName(name, "transfer-encoding") {
          isCoded = true
        }
      }
      guard host != nil || line.minorVersion == 0 else { throw Self.badHost }
      guard length == nil || !isCoded else { throw Self.malformed }
      let method = Self.method(bytes[line.method])
      let hasBody = isCoded || length.map { $0.contains { $0 != 0x30 } } ?? false
      if hasBody, method == .get || method == .head {
        throw Problem(status: 413, detail: "The server reads no body; send the request without a body.")
      }
      let (authority, target) = try Self.target(bytes[line.target], isTunnel: method == .other("CONNECT"))
      // The server speaks no other protocol after an upgrade or in a tunnel, and reads no body.
      let isLast = closes || hasBody || isOther || method == .other("CONNECT")
      let keeps = !isLast && (line.minorVersion > 0 || keepsAlive)
      return Request(
        method: method, target: target, authority: authority ?? host, keepsConnection: keeps,
        saysKeepAlive: keeps && line.minorVersion == 0, head: head, fields: fields,
        names: names)
    }

    private static func method(_ name: Slice<UnsafeRawBufferPointer>) -> Request.Method {
      if name.elementsEqual("GET".utf8) { return .get }
      if name.elementsEqual("HEAD".utf8) { return .head }
      if name.elementsEqual("OPTIONS".utf8) { return .options }
      return .other(String(decoding: name, as: UTF8.self))
    }

    /// Returns the authority of a target in its absolute form, and its path and query: RFC 9112, section 3.2.
    private static func target(
      _ bytes: Slice<UnsafeRawBufferPointer>, isTunnel: Bool
    ) throws(Problem) -> (authority: String?, String) {
      // Some programs send letters as typed, without encoding. The server accepts letters in valid UTF-8.
      guard let text = String(utf8: bytes) else { throw otherText }
      if bytes.first == 0x2f || isTunnel || text == "*" { return (nil, text) }
      guard let scheme = text.firstIndex(where: { !$0.isLetter }), text[scheme...].hasPrefix("://") else {
        throw malformed
      }
      let rest = text[scheme...].dropFirst(3)
      let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
      let path = rest[end...]
      return (String(rest[..<end]), path.hasPrefix("/") ? String(path) : "/" + path)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Returns whether a byte may be part of a method or of a field's name: RFC 9110, section 5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
      // ! # $ % & ' * + - . ^ _ ` | ~
      case 0x21, 0x23...0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x5e...0x60, 0x7c, 0x7e: true
      default: false
      }
    }

    // MARK: Refusals

    private static let malformed = Problem(status: 400, detail: "The request is not valid HTTP/1.1.")
    private static let noVersion = Problem(
      status: 400, detail: "A request line must be a method, a target and a version: GET /healthz HTTP/1.1.")
    private static let bareLineFeed = Problem(status: 400, detail: "The lines of a request must end with CR and LF.")
    private static let otherText = Problem(
      status: 400,
      detail: "The target is not UTF-8; percent-encode letters outside ASCII, as in "
        + "curl -G --data-urlencode 'q=s\u{e3}o'.")
    private static let otherVersion = Problem(status: 505, detail: "The server speaks HTTP/1.1 and HTTP/1.0.")
    private static let badHost = Problem(status: 400, detail: "A request of HTTP/1.1 must have one Host header.")
    private static let longLine = Problem(
      status: 414, detail: "A request line may have at most \(RequestLimits.line) bytes.")
    private static let manyFields = Problem(
      status: 431,
      detail:
        "A request may have at most \(RequestLimits.fields) headers, of \(RequestLimits.fieldBytes) bytes together.")
  }
#endif
