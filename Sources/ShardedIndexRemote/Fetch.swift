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
  /// `request` has the range, and the most bytes of a whole file that the fetch takes in place of the range.
  final class Fetch: Exchange {
    /// The size that the file must have; nil if the size is not known yet.
    let total: Int64?
    /// Whether the file's name follows from its content.
    let isNamedByContent: Bool
    /// The known name of the content at the host; nil to get the content in any case.
    let tag: String?
    /// Checks the body and stores it on disk. The network's thread calls it, without the lock. If it returns false, the
    /// fetch is repeated.
    let accept: @Sendable (FetchedBody) -> Bool

    // Only the network's thread uses these.
    private var began: Int64 = 0
    private var attempts = 0
    private var redirects = 0
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
      (self.total, self.tag, self.isAnew, self.accept) = (total, tag, isAnew, accept)
      self.isNamedByContent = isNamedByContent
      var request = HTTPRequest(url: address.url(of: name), range: range, limit: wholeLimit)
      (request.connectLimit, request.firstByteLimit) = (Self.connectLimit, Self.firstByteLimit)
      super.init(request, at: address)
    }

    override func prepare() {
      let now = clock_now()
      if began == 0 { began = now }
      request.totalLimit = max(1, began + Self.totalLimit - now)
      let getsSecrets = redirects == 0 || isFirstHost
      request.credentials = getsSecrets ? address.credentials : nil
      request.headers = getsSecrets ? address.headers() : []
      if isAnew { request.headers.append("Cache-Control: no-cache") }
      if let tag { request.headers.append("If-None-Match: " + tag) }
    }

    private var isFirstHost: Bool {
      guard let first = RemoteAddress.origin(of: address.url(of: nil)),
        let now = RemoteAddress.origin(of: request.url)
      else { return false }
      return first == now
    }

    override func end(_ answer: HTTPAnswer) -> Result<FetchedBody?, FetchFailure>? {
      do throws(FetchFailure) {
        guard let body = try FetchAnswer(answer, of: self).body() else { return .success(nil) }
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

    override func fail(_ failure: FetchFailure) -> Result<FetchedBody?, FetchFailure>? {
      attempts += 1
      guard failure.mayPass, attempts == 1, clock_now() - began < Self.totalLimit - 500 else {
        return .failure(failure)
      }
      (request.reconnects, isAnew) = (true, true)
      return nil
    }

    /// Goes to another URL.
    func follow(_ location: String) throws(FetchFailure) -> Never {
      redirects += 1
      guard redirects <= Self.redirectLimit else {
        throw FetchFailure("the host redirects over \(Self.redirectLimit) times")
      }
      guard let next = RemoteAddress.origin(of: location), let now = RemoteAddress.origin(of: request.url) else {
        throw FetchFailure("the host redirects to a URL that is neither http nor https")
      }
      guard next.scheme == "https" || now.scheme == "http" else {
        throw FetchFailure("the host redirects from https to http, which others can read")
      }
      request.url = location
      throw FetchFailure(number: EAGAIN)
    }
  }
#endif
