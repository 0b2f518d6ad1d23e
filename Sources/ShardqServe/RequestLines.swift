#if Server
  import NIOCore
  import NIOHTTP1

  /// Looks at the bytes of requests before the decoder does, for what that one would refuse without a good reason.
  ///
  /// - A target may have letters outside ASCII as they are, which the decoder refuses: `curl` sends them so. They go on
  ///   percent-encoded.
  /// - A request line that is too long, has no version or ends without CR is refused as what it is. The decoder would
  ///   call the first too many headers, wait for more after the second, and call the third another version.
  ///
  /// Bytes go on as they come; nothing is kept but where in a head they stand. Requests have no bodies here (one that has
  /// is the last of its connection), so that a head begins where the one before ended.
  final class RequestLines: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum Place {
      /// Before a request: lines without a byte may stand here.
      case start
      case method
      case target
      case version
      /// In a header line that has bytes, and at the beginning of one.
      case header, lineStart
      /// Nothing goes on any more.
      case refused
    }

    private var place = Place.start
    /// Whether the byte before was a CR.
    private var isAfterReturn = false
    /// Bytes of the request line so far.
    private var count = 0
    /// The bytes of a letter of which more are to come.
    private var letter: [UInt8] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var buffer = unwrapInboundIn(data)
      if case .refused = place { return }
      var problem: Problem?
      // Made as soon as a byte has to go on as something else.
      var encoded: ByteBuffer?
      let end = buffer.withUnsafeReadableBytes { bytes in
        var at = 0
        while at < bytes.count, problem == nil {
          var next = at + 1
          switch place {
          case .header, .lineStart: (next, problem) = takeHeader(bytes, from: at)
          default: problem = take(bytes[at])
          }
          guard problem == nil else { break }
          if next == at + 1, bytes[at] >= 0x80, case .target = place {
            if encoded == nil { encoded = ByteBuffer(bytes: bytes[..<at]) }
            encoded!.writeBytes([0x25, Self.digit(bytes[at] >> 4), Self.digit(bytes[at] & 15)])
          } else {
            encoded?.writeBytes(bytes[at..<next])
          }
          at = next
        }
        return at
      }
      let rest = encoded ?? buffer.readSlice(length: end)!
      // What came before the mistake is answered first.
      if rest.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(rest)) }
      if let problem {
        place = .refused
        context.fireErrorCaught(problem)
      }
    }

    /// Moves on by one byte of a request line; gives what is wrong with it.
    private func take(_ byte: UInt8) -> Problem? {
      defer { isAfterReturn = byte == 0x0d }
      if byte == 0x0a { return endLine() }
      if case .start = place {
        if byte == 0x0d { return nil }
        place = .method
        count = 0
      }
      count += 1
      // One more for the CR.
      guard count <= RequestLimits.line + 1 else { return .tooLong }
      if byte == 0x20 {
        if case .method = place { place = .target } else if case .target = place { place = .version }
      }
      if case .target = place { return takeLetter(byte) }
      return letter.isEmpty ? nil : .notUTF8
    }

    /// Moves on to the end of a header line, or of the bytes.
    private func takeHeader(_ bytes: UnsafeRawBufferPointer, from start: Int) -> (next: Int, Problem?) {
      let end = bytes[start...].firstIndex(of: 0x0a) ?? bytes.count
      let isEmpty = end == start || (end == start + 1 && bytes[start] == 0x0d)
      if end > start { isAfterReturn = bytes[end - 1] == 0x0d }
      guard end < bytes.count else {
        if !isEmpty { place = .header }
        return (end, nil)
      }
      guard isAfterReturn else { return (end, .bareLineFeed) }
      isAfterReturn = false
      if isEmpty, case .lineStart = place { place = .start } else { place = .lineStart }
      return (end + 1, nil)
    }

    private func endLine() -> Problem? {
      guard isAfterReturn else { return .bareLineFeed }
      switch place {
      case .start: return nil
      case .version:
        place = .lineStart
        return nil
      default: return .noVersion
      }
    }

    /// Checks that bytes outside ASCII are letters of UTF-8.
    private func takeLetter(_ byte: UInt8) -> Problem? {
      if byte < 0x80 { return letter.isEmpty ? nil : .notUTF8 }
      letter.append(byte)
      let size = letter[0] < 0xe0 ? 2 : letter[0] < 0xf0 ? 3 : 4
      guard letter[0] >= 0xc2, letter.count <= size else { return .notUTF8 }
      guard letter.count == size else { return nil }
      defer { letter.removeAll(keepingCapacity: true) }
      return String(validating: letter, as: UTF8.self) == nil ? .notUTF8 : nil
    }

    private static func digit(_ number: UInt8) -> UInt8 { number < 10 ? 0x30 + number : 0x37 + number }

    /// Of a target in absolute form the authority counts, not the Host header (RFC 9112 3.2.2).
    static func useAuthority(of head: inout HTTPRequestHead) {
      guard head.uri.utf8.first != UInt8(ascii: "/"), let start = head.uri.firstRange(of: "://") else { return }
      let rest = head.uri[start.upperBound...]
      var authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
      if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
      head.headers.replaceOrAdd(name: "host", value: String(authority))
    }
  }

  @available(*, unavailable)
  extension RequestLines: Sendable {}

  extension Problem {
    static let tooLong = Problem(status: 414, detail: "A request line has at most \(RequestLimits.line) bytes.")
    fileprivate static let noVersion = Problem(
      status: 400, detail: "A request line is a method, a target and a version: GET /healthz HTTP/1.1.")
    fileprivate static let bareLineFeed = Problem(status: 400, detail: "The lines of a request end with CR and LF.")
    fileprivate static let notUTF8 = Problem(
      status: 400,
      detail: "The target is no UTF-8: send letters outside ASCII as UTF-8, or percent-encode them, as in "
        + "curl -G --data-urlencode 'q=são'.")
  }
#endif
