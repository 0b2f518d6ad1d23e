#if Remote
  import CCurl
  import CLibrary
  import ShardedIndex

  /// The bytes of an answer.
  struct FetchedBody {
    /// The bytes from the first byte of the range on; from the first byte of the file on if `isWhole`.
    var bytes: [UInt8]
    /// The size of the file, in bytes.
    var total: Int64
    /// Whether the host sent the whole file.
    var isWhole: Bool
    /// The host's name for the content; nil if it gave none.
    var tag: String?
  }

  /// A request for bytes of a file, with its redirects and its second attempt.
  ///
  /// The network's thread owns it from ``Network/start(_:)`` on; other threads read `result` alone, under the network's
  /// lock.
  final class Fetch: @unchecked Sendable {
    /// The address, for its credentials.
    let address: RemoteAddress
    /// The wanted bytes; nil for the whole file.
    let range: Range<Int64>?
    /// The size that the file must have; nil if the size is not known yet.
    let total: Int64?
    /// Whether the file's name follows from its content.
    let isNamedByContent: Bool
    /// The most bytes of a whole file that the fetch takes in place of a range.
    let wholeLimit: Int64
    /// The known name of the content at the host; nil to get the content in any case.
    let tag: String?
    /// Checks the body and stores it on disk. The network's thread calls it, without the lock. If it returns false, the
    /// fetch is repeated.
    let accept: @Sendable (FetchedBody) -> Bool

    /// The result; nil while the fetch is under way. A nil body means that the content still has the known tag. Under
    /// the network's lock.
    var result: Result<FetchedBody?, FetchFailure>?
    /// The time of the start, in milliseconds. Under the network's lock.
    var asked: Int64 = 0
    /// The microseconds from the last request to the first byte of its answer; set before the result.
    private(set) var roundTrip: Int64 = 0

    // Only the network's thread uses these.
    private var url: String
    private(set) var began: Int64 = 0
    private(set) var attemptBegan: Int64 = 0
    private var attempts = 0
    private var redirects = 0
    private var reconnects = false
    private var isAnew: Bool
    private var wasRefused = false

    /// The limits of the connection, of the first byte and of the whole, in milliseconds.
    static let (connectLimit, firstByteLimit, totalLimit) = (Int64(1000), Int64(2000), Int64(4500))
    private static let redirectLimit = 5

    /// - Parameter isAnew: Whether the host itself must answer, and no cache on the way.
    init(
      _ address: RemoteAddress, _ name: String?, range: Range<Int64>?, total: Int64?, wholeLimit: Int64,
      isNamedByContent: Bool = false, tag: String? = nil, isAnew: Bool = false,
      accept: @escaping @Sendable (FetchedBody) -> Bool = { _ in true }
    ) {
      (self.address, self.range, self.total, self.wholeLimit) = (address, range, total, wholeLimit)
      (self.tag, self.isAnew, self.accept, self.isNamedByContent) = (tag, isAnew, accept, isNamedByContent)
      url = address.url(of: name)
    }

    /// Makes the next request; returns nil if memory is short.
    func transfer(_ number: Int) -> Transfer? {
      let now = clock_now()
      if began == 0 { began = now }
      attemptBegan = now
      var made = Transfer()
      let text = range.map { "\($0.lowerBound)-\($0.upperBound - 1)" }
      guard
        unsafe transfer_new(
          &made, Int64(number), url, text, range.map { $0.upperBound - $0.lowerBound } ?? 0, wholeLimit)
      else { return nil }
      transfer_limit(made, Int(Self.connectLimit), Int(max(1, began + Self.totalLimit - now)))
      if reconnects { transfer_reconnect(made) }
      for line in ["Accept-Encoding: identity", "User-Agent: shardq"] { unsafe transfer_header(made, line) }
      if isAnew { unsafe transfer_header(made, "Cache-Control: no-cache") }
      if let tag { unsafe transfer_header(made, "If-None-Match: " + tag) }
      if redirects == 0 || isFirstHost {
        for line in address.headers() { unsafe transfer_header(made, line) }
        if let credentials = address.credentials {
          unsafe transfer_authenticate(made, credentials.user, credentials.password, credentials.signature)
        }
      }
      return made
    }

    private var isFirstHost: Bool {
      guard let first = RemoteAddress.origin(of: address.url(of: nil)), let now = RemoteAddress.origin(of: url) else {
        return false
      }
      return first == now
    }

    /// Ends a request; returns the result, or nil if the fetch makes another request.
    ///
    /// - Parameter code: curl's number for the result of the request.
    func end(_ transfer: Transfer, code: CInt) -> Result<FetchedBody?, FetchFailure>? {
      roundTrip = transfer_first_byte(transfer)
      do throws(FetchFailure) {
        guard let body = try FetchAnswer(transfer, code: code, of: self).body() else { return .success(nil) }
        if !accept(body), !wasRefused {
          // The body is damaged, on the way or in a cache: the next request goes to the host itself.
          (wasRefused, isAnew) = (true, true)
          return nil
        }
        return .success(body)
      } catch {
        return error.number == EAGAIN ? nil : fail(error)
      }
    }

    /// Ends an attempt without an answer; returns the result, or nil if the fetch makes another attempt.
    func fail(_ failure: FetchFailure) -> Result<FetchedBody?, FetchFailure>? {
      attempts += 1
      guard failure.mayPass, attempts == 1, clock_now() - began < Self.totalLimit - 500 else {
        return .failure(failure)
      }
      (reconnects, isAnew) = (true, true)
      return nil
    }

    /// Goes to another URL.
    func follow(_ location: String) throws(FetchFailure) -> Never {
      redirects += 1
      guard redirects <= Self.redirectLimit else {
        throw FetchFailure("the host redirects over \(Self.redirectLimit) times")
      }
      guard let next = RemoteAddress.origin(of: location), let now = RemoteAddress.origin(of: url) else {
        throw FetchFailure("the host redirects to a URL that is neither http nor https")
      }
      guard next.scheme == "https" || now.scheme == "http" else {
        throw FetchFailure("the host redirects from https to http, which others can read")
      }
      url = location
      throw FetchFailure(number: EAGAIN)
    }
  }
#endif
