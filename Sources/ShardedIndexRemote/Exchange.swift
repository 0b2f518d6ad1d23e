#if Remote
  import CCurl

  /// A request to a host.
  struct HTTPRequest {
    var method = "GET"
    var url: String
    /// The lines of the header, without those that each request has.
    var headers: [String] = []
    var credentials: RemoteAddress.Credentials?
    /// The wanted bytes; nil for the whole file.
    var range: Range<Int64>?
    /// The body of a PUT.
    var body: [UInt8] = []
    /// The most bytes of a body with status 200.
    var limit: Int64 = 4096
    /// Whether the request has a new connection.
    var reconnects = false
    /// The most milliseconds until there is a connection.
    var connectLimit: Int64 = 5000
    /// The most milliseconds until the first byte of the answer.
    var firstByteLimit = Int64.max
    /// The most milliseconds of the whole request; 0 for any number.
    var totalLimit: Int64 = 0
    /// The most seconds for which fewer than 1,000 bytes a second may pass; 0 for any number.
    var stallLimit = 0

    /// Makes the transfer with a number; returns nil if memory is short.
    func transfer(_ number: Int) -> Transfer? {
      var made = Transfer()
      let text = range.map { "\($0.lowerBound)-\($0.upperBound - 1)" }
      let partLimit = range.map { $0.upperBound - $0.lowerBound } ?? 0
      guard unsafe transfer_new(&made, Int64(number), method, url, text, partLimit, limit) else { return nil }
      var lines = ["Accept-Encoding: identity", "User-Agent: shardq"] + headers
      if method == "PUT" {
        guard unsafe transfer_body(made, body, Int64(body.count)) else {
          transfer_free(made)
          return nil
        }
        // Without this line libcurl adds the type of a form; a line without a value it signs, but does not send. S3 gives
        // this type to an object that is put without a type.
        lines.append("Content-Type: binary/octet-stream")
      }
      for line in lines { unsafe transfer_header(made, line) }
      transfer_limit(made, Int(connectLimit), Int(totalLimit), stallLimit)
      if reconnects { transfer_reconnect(made) }
      if let credentials {
        unsafe transfer_authenticate(made, credentials.user, credentials.password, credentials.signature)
      }
      return made
    }
  }

  /// The answer of a host to a request.
  struct HTTPAnswer {
    /// curl's number for the result of the request: 0 for a whole answer.
    let code: CInt
    let status: Int64
    let body: [UInt8]
    /// Whether the body has more bytes than the limit.
    let isTooLong: Bool
    /// The microseconds from the request to the first byte of the answer.
    let roundTrip: Int64
    /// The URL of a redirect.
    let location: String?
    /// The fields of the header that some caller reads, by name.
    let fields: [String: String]

    private static let names = [
      "Content-Encoding", "Content-Length", "Content-Range", "Date", "ETag", "Last-Modified",
    ]

    init(_ transfer: Transfer, code: CInt) {
      self.code = code
      (status, isTooLong) = (transfer_status(transfer), transfer_is_too_long(transfer))
      roundTrip = transfer_first_byte(transfer)
      var bytes = [UInt8](repeating: 0, count: Int(transfer_size(transfer)))
      unsafe transfer_copy(transfer, &bytes)
      body = bytes
      location = String(capacity: 4096) { unsafe transfer_redirect(transfer, &$0, $1) }
      let found = Self.names.compactMap { name in
        String(capacity: 1024) { unsafe transfer_field(transfer, name, &$0, $1) }.map { (name, $0) }
      }
      fields = Dictionary(uniqueKeysWithValues: found)
    }

    /// Returns a date of the header, in seconds since 1970.
    func date(_ name: String) -> Int64? {
      guard let text = fields[name] else { return nil }
      let seconds = unsafe Int64(curl_getdate(text, nil))
      return seconds < 0 ? nil : seconds
    }
  }

  /// The work of the network for a caller: one request, or the requests of a ``Fetch``.
  ///
  /// The network's thread owns it from ``Network/start(_:)`` on; other threads read `result` alone, under the network's
  /// lock, and then `answer`.
  class Exchange {
    /// The address, for its credentials.
    let address: RemoteAddress
    /// The result; nil while requests are under way. A nil body means that the content still has the known tag, or
    /// that `answer` has the body. Under the network's lock.
    final var result: Result<FetchedBody?, FetchFailure>?
    /// The time of the start, in milliseconds. Under the network's lock.
    final var asked: Int64 = 0
    /// The last answer; set before the result.
    final var answer: HTTPAnswer?
    /// The next request.
    final var request: HTTPRequest

    init(_ request: HTTPRequest, at address: RemoteAddress) { (self.request, self.address) = (request, address) }

    /// Completes the next request.
    func prepare() {}

    /// Ends a request; returns the result, or nil if there is another request.
    func end(_ answer: HTTPAnswer) -> Result<FetchedBody?, FetchFailure>? {
      // An error's body may have been cut off.
      answer.code == 0 || answer.isTooLong ? .success(nil) : .failure(FetchFailure(ofTransport: answer.code))
    }

    /// Ends a request without an answer; returns the result, or nil if there is another request.
    func fail(_ failure: FetchFailure) -> Result<FetchedBody?, FetchFailure>? { .failure(failure) }
  }

  extension String {
    /// Makes the text that a function of C writes; nil for a text that is too long or not UTF-8.
    init?(capacity: Int, _ fill: (inout [CChar], Int64) -> Bool) {
      var text = [CChar](repeating: 0, count: capacity)
      guard fill(&text, Int64(capacity)) else { return nil }
      self.init(utf8: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
    }
  }
#endif
