#if Remote
  import CCurl
  import ShardedIndex

  /// The objects below a prefix of a bucket. Callers put, list and remove objects, and ask for their state.
  ///
  /// Each call waits for its end. Several threads may call at once; each thread has its own connection, which later
  /// calls use again. After a temporary failure (no connection, status 5xx, a stall) the request is made again, five
  /// times in all.
  package final class ObjectStore: Sendable {
    /// The state of an object.
    package struct State: Equatable, Sendable {
      /// The size in bytes.
      package let size: Int
      /// The seconds since it was put, by the store's clock; nil if the store does not say.
      package let age: Int64?
    }

    /// The times after which a request fails.
    package struct Limits: Sendable {
      /// The most milliseconds until there is a connection.
      package var connect = 5000
      /// The most seconds for which fewer than 1,000 bytes a second may pass.
      package var stall = 20

      package init() {}
    }

    /// The most requests under way at a time.
    package static let width = 8

    let address: RemoteAddress
    private let limits: Limits
    private let idle = Lock<[Request]>([])

    /// The milliseconds before the second, third, ... attempt.
    private static let pauses: [Int64] = [100, 400, 1600, 3200]
    /// The most attempts that may end in a stall: each takes long.
    private static let stallLimit = 2
    /// The most bytes of a page of a list: 1,000 keys of 1,024 bytes, each byte as three characters, and the tags.
    private static let pageLimit = 4 << 20

    /// - Parameter url: `s3://bucket/prefix/`.
    /// - Throws: ``StoreError`` for another text.
    package init(_ url: String, limits: Limits = Limits()) throws(StoreError) {
      do throws(IndexError) {
        address = try RemoteAddress(url)
      } catch {
        throw StoreError(.usage, error.fault)
      }
      guard let prefix = address.keyPrefix, prefix.isEmpty || prefix.hasSuffix("/") else {
        throw StoreError(.usage, "\(address.shown) is not a prefix of a store; write it as s3://bucket/cities/")
      }
      self.limits = limits
      guard requests_set_up() else { throw StoreError(.inputOutput, "libcurl does not start") }
    }

    deinit { for request in idle.withLock({ $0 }) { request_free(request) } }

    /// The URL of the prefix, for messages.
    package var shown: String { address.shown }

    /// Returns the URL of an object, for messages.
    package func shown(_ name: String) -> String { address.shown + name }

    // MARK: Objects

    /// Puts an object.
    ///
    /// - Parameter ifAbsent: Whether an existing object stays.
    /// - Returns: Whether the store took the object; false if an object of that name exists.
    /// - Throws: ``StoreError``; of the kind `noConditions` if the store has no create-if-absent.
    package func put(_ name: String, _ bytes: [UInt8], ifAbsent: Bool) throws(StoreError) -> Bool {
      var call = Call("PUT", try url(name), bytes)
      if ifAbsent { call.headers.append("If-None-Match: *") }
      let answer = try perform(call, "put", shown(name))
      switch answer.status {
      case 200, 201, 204: return true
      case 412 where ifAbsent: return false
      case 501 where ifAbsent:
        throw StoreError(.noConditions, "\(shown) is in a store that has no create-if-absent (status 501)")
      default: throw failure("put", shown(name), FetchFailure(ofStatus: answer.status, StoreAnswer(answer.body)))
      }
    }

    /// Returns the state of an object; nil if there is none.
    package func state(of name: String) throws(StoreError) -> State? {
      let answer = try perform(Call("HEAD", try url(name)), "look at", shown(name))
      switch answer.status {
      case 200:
        guard let size = answer.size else {
          throw StoreError(
            .inputOutput, "cannot get the size of \(shown(name)): the store does not say it; look at AWS_ENDPOINT_URL")
        }
        return State(size: size, age: answer.modified.flatMap { modified in answer.date.map { max(0, $0 - modified) } })
      case 404, 410: return nil
      default: throw failure("look at", shown(name), FetchFailure(ofStatus: answer.status, StoreAnswer(answer.body)))
      }
    }

    /// Returns the bytes of an object; nil if there is none.
    ///
    /// - Parameter limit: The most bytes that the object may have.
    package func bytes(of name: String, limit: Int) throws(StoreError) -> [UInt8]? {
      var call = Call("GET", try url(name))
      call.limit = limit
      let answer = try perform(call, "fetch", shown(name))
      switch answer.status {
      case 200:
        if answer.isTooLong {
          throw StoreError(.badData, "\(shown(name)) has over \(limit) bytes, and belongs to no index; remove it")
        }
        return answer.body
      case 404, 410: return nil
      default: throw failure("fetch", shown(name), FetchFailure(ofStatus: answer.status, StoreAnswer(answer.body)))
      }
    }

    /// Removes an object, if there is one.
    package func remove(_ name: String) throws(StoreError) {
      let answer = try perform(Call("DELETE", try url(name)), "remove", shown(name))
      switch answer.status {
      case 200, 202, 204, 404, 410: return
      default: throw failure("remove", shown(name), FetchFailure(ofStatus: answer.status, StoreAnswer(answer.body)))
      }
    }

    /// A name of the list, without the prefix.
    package struct Listed: Equatable, Sendable {
      package let name: String
      package let size: Int
      /// The seconds since it was put, by the store's clock; nil if the store does not say.
      package let age: Int64?

      package init(name: String, size: Int, age: Int64?) { (self.name, self.size, self.age) = (name, size, age) }
    }

    /// Calls `body` with each page of the list of the objects whose names begin with `start` and have no slash after
    /// it.
    ///
    /// - Parameter body: Returns whether the caller wants the next page.
    /// - Complexity: One request for each 1,000 objects. Memory holds one page.
    package func forEachPage(
      of start: String, _ body: ([Listed]) throws(StoreError) -> Bool
    ) throws(StoreError) {
      var token: String?
      var last = ""
      let prefix = address.keyPrefix ?? ""
      let wanted = prefix + start
      while true {
        guard let url = address.url(ofListBehind: start, token: token) else { return }
        var call = Call("GET", url)
        call.limit = Self.pageLimit
        let answer = try perform(call, "list", shown(start))
        guard answer.status == 200 else {
          if answer.status == 404 {
            throw StoreError(.notFound, "cannot list \(shown(start)): there is no such bucket")
          }
          throw failure("list", shown(start), FetchFailure(ofStatus: answer.status, StoreAnswer(answer.body)))
        }
        let page = try listing(answer, start)
        var listed: [Listed] = []
        for object in page.objects {
          // The names must rise, so that the list has an end.
          let key = object.key.utf8
          guard key.starts(with: wanted.utf8), last.utf8.lexicographicallyPrecedes(key) else {
            throw broken(start, "has keys outside of the prefix, or out of order")
          }
          last = object.key
          let now = answer.date ?? time_now()
          listed.append(
            Listed(
              name: String(decoding: key.dropFirst(prefix.utf8.count), as: UTF8.self), size: object.size,
              age: object.modified.map { max(0, now - $0) }))
        }
        guard try body(listed), let next = page.next else { return }
        guard next != token else { throw broken(start, "begins again after the last page") }
        token = next
      }
    }

    private func listing(_ answer: Answer, _ start: String) throws(StoreError) -> ObjectListing {
      if answer.isTooLong { throw broken(start, "has a page of over \(Self.pageLimit) bytes") }
      do throws(ObjectListing.Flaw) {
        return try ObjectListing(answer.body)
      } catch {
        throw broken(start, error.reason)
      }
    }

    private func broken(_ start: String, _ reason: String) -> StoreError {
      StoreError(
        .inputOutput, "cannot list \(shown(start)): the store's answer \(reason); look at AWS_ENDPOINT_URL")
    }

    // MARK: Requests

    private struct Call {
      let method: String
      let url: String
      let body: [UInt8]
      var headers: [String] = []
      /// The most bytes of the body.
      var limit = 4096

      init(_ method: String, _ url: String, _ body: [UInt8] = []) {
        (self.method, self.url, self.body) = (method, url, body)
      }
    }

    private struct Answer {
      var status: Int64
      var body: [UInt8]
      /// Whether the body has more bytes than the limit.
      var isTooLong: Bool
      /// The size that the store reports, in bytes.
      var size: Int?
      /// The date of the answer, in seconds since 1970.
      var date: Int64?
      var modified: Int64?
    }

    private func url(_ name: String) throws(StoreError) -> String {
      guard let url = address.url(ofObject: name) else {
        throw StoreError(.usage, "\(shown) cannot be written; write it as s3://bucket/cities/")
      }
      return url
    }

    private func failure(_ action: String, _ what: String, _ failure: FetchFailure) -> StoreError {
      StoreError(.inputOutput, "cannot \(action) \(what): \(failure.reason)")
    }

    private func perform(_ call: Call, _ action: String, _ what: String) throws(StoreError) -> Answer {
      var attempts = 0
      var stalls = 0
      let request = try idleRequest()
      defer { idle.withLock { $0.append(request) } }
      while true {
        begin(request, call, isAnew: attempts > 0)
        let code = unsafe request_perform(request, call.body, Int64(call.body.count))
        let isAnswered = code == 0 || request_is_too_long(request)
        let status = request_status(request)
        let reason: FetchFailure
        if !isAnswered {
          reason = FetchFailure(ofTransport: code)
          if code == CInt(CURLE_OPERATION_TIMEDOUT.rawValue) { stalls += 1 }
        } else if status == 409, call.method == "PUT" {
          // Another put of the same name is under way. Source: Amazon S3 User Guide, Conditional writes.
          reason = FetchFailure("another program is writing it (status 409)", mayPass: true)
        } else {
          let answer = answer(request, status)
          let isRefused = status == 501 && !call.headers.isEmpty
          reason = FetchFailure(ofStatus: status, StoreAnswer(answer.body))
          guard status >= 400, reason.mayPass, !isRefused else { return answer }
        }
        guard reason.mayPass, attempts < Self.pauses.count, stalls < Self.stallLimit else {
          throw failure(action, what, reason)
        }
        pause_for(Self.pauses[attempts])
        attempts += 1
      }
    }

    private func idleRequest() throws(StoreError) -> Request {
      if let request = idle.withLock({ $0.popLast() }) { return request }
      var request = Request()
      guard unsafe request_new(&request) else { throw StoreError(.inputOutput, "memory is short") }
      return request
    }

    private func begin(_ request: Request, _ call: Call, isAnew: Bool) {
      unsafe request_begin(request, call.method, call.url, Int64(call.limit), limits.connect, limits.stall)
      if isAnew { request_reconnect(request) }
      // libcurl would sign a line without a value, but not send it.
      for line in ["Accept-Encoding: identity", "User-Agent: shardq"] + call.headers {
        unsafe request_header(request, line)
      }
      let digest = SHA256.text(SHA256.digest(ofBytes: call.body))
      for line in address.headers(bodyDigest: digest) { unsafe request_header(request, line) }
      if let credentials = address.credentials, let signature = credentials.signature {
        unsafe request_authenticate(request, credentials.user, credentials.password, signature)
      }
    }

    private func answer(_ request: Request, _ status: Int64) -> Answer {
      var body = [UInt8](repeating: 0, count: Int(request_size(request)))
      unsafe request_copy(request, &body)
      func date(_ name: String) -> Int64? {
        field(request, name).flatMap {
          let seconds = unsafe request_date($0)
          return seconds < 0 ? nil : seconds
        }
      }
      return Answer(
        status: status, body: body, isTooLong: request_is_too_long(request),
        size: field(request, "Content-Length").flatMap { Int($0) }, date: date("Date"), modified: date("Last-Modified"))
    }

    private func field(_ request: Request, _ name: String) -> String? {
      var text = [CChar](repeating: 0, count: 256)
      guard unsafe request_field(request, name, &text, Int64(text.count)) else { return nil }
      return String(validating: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
#endif
