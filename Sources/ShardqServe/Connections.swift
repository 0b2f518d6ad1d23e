#if Server
  import HummingbirdCore
  import Logging
  import NIOCore
  import NIOHTTP1
  import NIOHTTPTypes
  import NIOHTTPTypesHTTP1
  import QueryOutput
  import ServeSettings

  /// How connections are set up: Hummingbird's HTTP/1.1, with ``ConnectionHandler`` right behind the decoder.
  struct ServerChannel: ServerChildChannel, HTTPChannelHandler {
    typealias Value = HTTP1Channel.Value

    let responder: HTTPChannelHandler.Responder
    let settings: ServeSettings
    let metrics: Metrics
    private let http: HTTP1Channel

    init(responder: @escaping HTTPChannelHandler.Responder, settings: ServeSettings, metrics: Metrics) {
      self.responder = responder
      self.settings = settings
      self.metrics = metrics
      http = HTTP1Channel(responder: responder)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
      let isOver = metrics.openConnections.add(1, ordering: .relaxed).newValue > settings.connections
      channel.closeFuture.whenComplete { [metrics] _ in metrics.openConnections.subtract(1, ordering: .relaxed) }
      if isOver { metrics.refusedConnections.add(1, ordering: .relaxed) }
      return channel.eventLoop.makeCompletedFuture {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = RequestLimits.decodedBytes
        limits.maxHeaderListSize = RequestLimits.decodedBytes
        limits.maxHeaderFieldCount = RequestLimits.headers + 1
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
          withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
          withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
        try channel.pipeline.syncOperations.addHandler(RequestLines(), position: .first)
        try channel.pipeline.syncOperations.addHandlers(
          ConnectionHandler(settings, metrics, isRefused: isOver), HTTP1ToHTTPServerCodec(secure: false),
          HTTPConnectionStateHandler(logger: logger))
        return try NIOAsyncChannel(
          wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
      }
    }

    func handle(value: Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
  }

  enum RequestLimits {
    /// Bytes of the request line: what servers should take at least (RFC 9112 3).
    static let line = 8000
    static let headers = 64
    /// Bytes of all headers.
    static let headerBytes = 8192
    /// What the decoder takes before anybody looks, of one header and of all of them with the target, each byte of which
    /// may have become three. Beyond it nobody knows what was too long.
    static let decodedBytes = 3 * line + 16384
  }

  /// What one connection may take: how long a request and its headers may be, and how long anything may last.
  ///
  /// A connection is idle, or a request arrives, or one is being answered; each has its deadline, and none is moved by
  /// single bytes. What is refused is refused behind the answers to what came before it, and then the connection ends.
  final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Phase {
      case idle, arriving, answering
      /// The last answer has been sent; the client may still be sending.
      case ending
    }

    private let settings: ServeSettings
    private let metrics: Metrics
    private let isRefused: Bool
    private var phase = Phase.idle
    private var deadline = NIODeadline.distantFuture
    private var timer: Scheduled<Void>?
    private var timerDeadline = NIODeadline.distantFuture
    /// Requests handed on whose answers have not gone out.
    private var unanswered = 0
    /// Whether something came since the last whole head.
    private var sawHead = false
    /// What the client is told once everything before it has been answered.
    private var refusal: Problem?
    /// Whether nothing more is taken in.
    private var isDeaf = false
    private var closesAfterAnswers = false
    /// Per unanswered request: whether the client has to be told that the connection goes on.
    private var saysKeepAlive = false

    init(_ settings: ServeSettings, _ metrics: Metrics, isRefused: Bool) {
      self.settings = settings
      self.metrics = metrics
      self.isRefused = isRefused
    }

    // MARK: Coming in

    func handlerAdded(context: ChannelHandlerContext) {
      if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
      begin(context)
      context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stopTimer() }

    func channelInactive(context: ChannelHandlerContext) {
      stopTimer()
      context.fireChannelInactive()
    }

    private func begin(_ context: ChannelHandlerContext) {
      guard timer == nil else { return }
      enter(.idle, context)
      if isRefused {
        refuse(Problem(status: 503, detail: "There are too many connections.", retryAfter: 1), context)
      }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !isDeaf else { return }
      switch unwrapInboundIn(data) {
      case .head(var head):
        sawHead = true
        if let problem = Self.problem(head) { return refuse(problem, context) }
        unanswered += 1
        saysKeepAlive = head.version.minor == 0 && head.isKeepAlive
        if !head.isKeepAlive || Self.hasBody(head) || Self.isLast(head) {
          closesAfterAnswers = true
          isDeaf = true
        }
        enter(.answering, context)
        RequestLines.useAuthority(of: &head)
        context.fireChannelRead(wrapInboundOut(.head(head)))
        // A body is not read: whoever sends one is told that nothing here takes it.
        if isDeaf { context.fireChannelRead(wrapInboundOut(.end(nil))) }
      case .body: break
      case .end: context.fireChannelRead(data)
      }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      // Bytes came, and they were no whole head.
      if !sawHead, phase == .idle { enter(.arriving, context) }
      sawHead = false
      context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case .ending = phase, let event = event as? ChannelEvent, event == .inputClosed {
        return context.close(promise: nil)
      }
      context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      // The decoder calls everything behind what it refused an error, and an error passed on closes the connection at
      // once, with bytes unread: the client would not get its answer.
      if isDeaf, error is ByteToMessageDecoderError { return }
      if let problem = error as? Problem {
        if !isDeaf { refuse(problem, context) }
        return
      }
      guard let error = error as? HTTPParserError else { return context.fireErrorCaught(error) }
      guard !isDeaf else { return }
      switch error {
      case .headerOverflow:
        refuse(
          Problem(
            status: 431,
            detail: "A request has at most \(RequestLimits.headers) headers of \(RequestLimits.headerBytes) bytes."),
          context)
      case .invalidVersion: refuse(Problem(status: 505, detail: "HTTP/1.1 and HTTP/1.0 are spoken here."), context)
      case .invalidEOFState:
        // Nobody waits for an answer any more.
        context.close(promise: nil)
      default: refuse(Problem(status: 400, detail: "This is no request of HTTP/1.1."), context)
      }
    }

    private static func hasBody(_ head: HTTPRequestHead) -> Bool {
      head.headers.contains(name: "transfer-encoding")
        || head.headers["content-length"].contains { $0.contains { $0 != "0" } }
    }

    /// Whether the decoder stops behind this request, for a protocol that nobody speaks here.
    private static func isLast(_ head: HTTPRequestHead) -> Bool {
      head.method == .CONNECT
        || head.headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
    }

    /// What is wrong with a head before anybody reads what it asks; nil for nothing.
    private static func problem(_ head: HTTPRequestHead) -> Problem? {
      var bytes = 0
      var hosts = 0
      for (name, value) in head.headers {
        bytes += name.utf8.count + value.utf8.count + 4
        if name.utf8.count == 4, name.lowercased() == "host" { hosts += 1 }
      }
      if bytes > RequestLimits.headerBytes || head.headers.count > RequestLimits.headers {
        return Problem(
          status: 431,
          detail:
            "A request has at most \(RequestLimits.headers) headers, of \(RequestLimits.headerBytes) bytes together.")
      }
      guard head.version.major == 1, head.version.minor <= 1 else {
        return Problem(status: 505, detail: "HTTP/1.1 and HTTP/1.0 are spoken here.")
      }
      if hosts > 1 || (hosts == 0 && head.version.minor == 1) {
        return Problem(status: 400, detail: "A request of HTTP/1.1 has one Host header.")
      }
      if hasBody(head), head.method == .GET || head.method == .HEAD {
        return Problem(status: 413, detail: "A request has no body here.")
      }
      return nil
    }

    // MARK: Going out

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      switch unwrapOutboundIn(data) {
      case .head(var head):
        if closesAfterAnswers, unanswered == 1, refusal == nil {
          head.headers.replaceOrAdd(name: "connection", value: "close")
        } else if saysKeepAlive {
          head.headers.replaceOrAdd(name: "connection", value: "keep-alive")
        }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
      case .body: context.write(data, promise: promise)
      case .end:
        let sent = promise ?? context.eventLoop.makePromise()
        sent.futureResult.assumeIsolated().whenSuccess { self.answered(context) }
        context.write(data, promise: sent)
      }
    }

    /// An answer is with the system.
    private func answered(_ context: ChannelHandlerContext) {
      unanswered -= 1
      guard unanswered == 0 else { return enter(.answering, context) }
      if let refusal {
        send(refusal, context)
      } else if closesAfterAnswers {
        end(context)
      } else {
        enter(.idle, context)
      }
    }

    // MARK: Refusing

    private func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
      isDeaf = true
      refusal = problem
      metrics.count(.none, status: problem.status, microseconds: 0)
      if unanswered == 0 { send(problem, context) }
    }

    private func send(_ problem: Problem, _ context: ChannelHandlerContext) {
      let body = ByteBuffer(string: problem.json)
      var headers: HTTPHeaders = [
        "content-type": "application/problem+json", "content-length": "\(body.readableBytes)",
        "cache-control": "no-store", "x-content-type-options": "nosniff", "connection": "close",
      ]
      if let retryAfter = problem.retryAfter { headers.add(name: "retry-after", value: "\(retryAfter)") }
      let status = HTTPResponseStatus(statusCode: problem.status, reasonPhrase: Problem.title(of: problem.status))
      context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers))), promise: nil)
      context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
      let sent = context.eventLoop.makePromise(of: Void.self)
      sent.futureResult.assumeIsolated().whenComplete { _ in self.end(context) }
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
    }

    /// Ends the connection once the client has had time to read what it was sent: closed at once, with bytes unread,
    /// the system would take the answer back.
    private func end(_ context: ChannelHandlerContext) {
      isDeaf = true
      enter(.ending, context)
      context.close(mode: .output, promise: nil)
    }

    // MARK: Time

    private func enter(_ phase: Phase, _ context: ChannelHandlerContext) {
      let milliseconds: Int
      switch phase {
      case .idle: milliseconds = settings.idleMilliseconds
      case .arriving: milliseconds = settings.requestMilliseconds
      case .answering: milliseconds = settings.responseMilliseconds
      case .ending: milliseconds = 1000
      }
      self.phase = phase
      deadline = .now() + .milliseconds(Int64(milliseconds))
      // A timer that comes too early sets itself again, which costs less than moving it at every request.
      if timer == nil || deadline < timerDeadline { startTimer(context) }
    }

    private func startTimer(_ context: ChannelHandlerContext) {
      timer?.cancel()
      timerDeadline = deadline
      timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.timerFired(context) }
    }

    private func stopTimer() {
      timer?.cancel()
      timer = nil
    }

    private func timerFired(_ context: ChannelHandlerContext) {
      timer = nil
      guard deadline <= .now() else { return startTimer(context) }
      switch phase {
      case .arriving:
        metrics.timedOutConnections.add(1, ordering: .relaxed)
        refuse(Problem(status: 408, detail: "The request did not arrive in time."), context)
      case .idle, .answering:
        metrics.timedOutConnections.add(1, ordering: .relaxed)
        context.close(promise: nil)
      case .ending: context.close(promise: nil)
      }
    }
  }

  @available(*, unavailable)
  extension ConnectionHandler: Sendable {}
#endif
