#if Server
  import NIOCore
  import QueryOutput

  import CLibrary

  /// The state that the connections of one event loop share. Only that loop uses the state.
  final class LoopState {
    let responder: Responder
    let gate: EngineGate
    let settings: ServeSettings
    let metrics: Metrics
    private var connections: [ObjectIdentifier: ConnectionHandler] = [:]
    private(set) var isStopping = false
    private var dateLines = ByteBuffer()
    private var dateSecond = -1

    init(responder: Responder, gate: EngineGate, settings: ServeSettings, metrics: Metrics) {
      self.responder = responder
      self.gate = gate
      self.settings = settings
      self.metrics = metrics
    }

    fileprivate func add(_ connection: ConnectionHandler) { connections[ObjectIdentifier(connection)] = connection }
    fileprivate func remove(_ connection: ConnectionHandler) { connections[ObjectIdentifier(connection)] = nil }

    /// Makes every connection answer its requests, and end.
    func stop() {
      isStopping = true
      for connection in Array(connections.values) { connection.stop() }
    }

    /// Writes the header lines that every answer has.
    fileprivate func writeCommonLines(to buffer: inout ByteBuffer) {
      let second = Int(time(nil))
      if second != dateSecond {
        dateSecond = second
        dateLines = ByteBuffer(string: "Date: " + HTTPDate.text(second) + "\r\nServer: shardq\r\n")
      }
      buffer.writeImmutableBuffer(dateLines)
    }
  }

  /// One connection. A connection reads requests from the arriving bytes, answers them in order and keeps the
  /// deadlines.
  ///
  /// A connection is idle, receives a request, or answers a request. Each state has its deadline, and a single byte
  /// moves no deadline. While another thread answers, or the client does not take its answers, the connection reads
  /// nothing.
  final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
      case idle, arriving, answering
      /// The last answer has been sent; the client may still be sending.
      case ending
    }

    private let loop: LoopState
    private let isRefused: Bool
    private var context: ChannelHandlerContext?
    /// The address of the client, for the log only. The handler asks the system for the address once.
    private var address: SocketAddress?
    private var phase = Phase.idle
    private var deadline = NIODeadline.distantFuture
    private var timer: Scheduled<Void>?
    private var timerDeadline = NIODeadline.distantFuture
    private var reader: RequestReader
    private var input = ByteBuffer()
    /// Whether another thread is answering a request.
    private var isAsking = false
    /// The number of answers that the system has not taken yet.
    private var unsent = 0
    /// Whether arriving bytes are ignored.
    private var isDeaf = false
    /// Whether the client has closed its side.
    private var hasInputEnded = false
    private var holdsRead = false

    /// The largest body that is sent together with its head, in bytes.
    private static let joinedSize = 16 << 10

    init(_ loop: LoopState, isRefused: Bool) {
      self.loop = loop
      self.isRefused = isRefused
      reader = RequestReader(loop.responder.indexes.names)
    }

    // MARK: Coming in

    func handlerAdded(context: ChannelHandlerContext) {
      if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
      begin(context)
      context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { gone() }

    func channelInactive(context: ChannelHandlerContext) {
      gone()
      context.fireChannelInactive()
    }

    private func begin(_ context: ChannelHandlerContext) {
      guard self.context == nil else { return }
      self.context = context
      if loop.settings.logsRequests { address = context.remoteAddress }
      loop.add(self)
      enter(.idle, context)
      if isRefused {
        refuse(Problem(status: 503, detail: "The server has too many connections. Ask again.", retryAfter: 1), context)
      }
      if loop.isStopping { stop() }
    }

    private func gone() {
      timer?.cancel()
      timer = nil
      isDeaf = true
      context = nil
      loop.remove(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !isDeaf else { return }
      var bytes = unwrapInboundIn(data)
      if input.readableBytes == 0 { input = bytes } else { input.writeBuffer(&bytes) }
      answerRequests(context)
    }

    /// Holds a read back while requests or answers are waiting.
    func read(context: ChannelHandlerContext) {
      if isBusy(context) { holdsRead = true } else { context.read() }
    }

    private func isBusy(_ context: ChannelHandlerContext) -> Bool {
      !isDeaf && (isAsking || !context.channel.isWritable)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      answerRequests(context)
      context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      guard let event = event as? ChannelEvent, event == .inputClosed else {
        return context.fireUserInboundEventTriggered(event)
      }
      hasInputEnded = true
      if phase == .ending || !isAnswering { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private var isAnswering: Bool { isAsking || unsent > 0 }

    /// Answers the requests that have arrived, while the client takes the answers.
    private func answerRequests(_ context: ChannelHandlerContext) {
      var hasWritten = false
      requests: while !isBusy(context), !isDeaf {
        switch reader.next(from: &input) {
        case .incomplete: break requests
        case .refused(let problem):
          refuse(problem, context)
        case .request(let request):
          isDeaf = !request.keepsConnection
          enter(.answering, context)
          if let response = loop.responder.respondHere(to: request, from: address) {
            write(response, to: request, context)
            hasWritten = true
          } else {
            answerElsewhere(request, context)
          }
        }
      }
      if input.readableBytes == 0 { input = ByteBuffer() }
      if hasWritten { context.flush() }
      if phase == .idle, !isDeaf, reader.hasBegun(input) { enter(.arriving, context) }
      if holdsRead, !isBusy(context) {
        holdsRead = false
        context.read()
      }
    }

    /// Answers a request on a thread that may wait.
    private func answerElsewhere(_ request: Request, _ context: ChannelHandlerContext) {
      guard self.context != nil else { return }
      isAsking = true
      loop.metrics.handedOver.add(1, ordering: .relaxed)
      let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      let (responder, address, eventLoop) = (loop.responder, address, context.eventLoop)
      let isAsked = loop.gate.run({
        let outcome = responder.respond(to: request, from: address)
        switch outcome {
        case .answered(let response):
          eventLoop.execute { here.value.0.finishAnswer(response, to: request, here.value.1) }
        case .later(let unfinished):
          unfinished.whenMade { eventLoop.execute { here.value.0.answerElsewhere(request, here.value.1) } }
        }
      }) {
        let response = responder.refusal(EngineGate.isLate, to: request, from: address)
        eventLoop.execute { here.value.0.finishAnswer(response, to: request, here.value.1) }
      }
      if !isAsked {
        finishAnswer(responder.refusal(EngineGate.isFull, to: request, from: address), to: request, context)
      }
    }

    private func finishAnswer(_ response: Response, to request: Request, _ context: ChannelHandlerContext) {
      isAsking = false
      guard self.context != nil else { return }
      write(response, to: request, context)
      context.flush()
      answerRequests(context)
    }

    // MARK: Going out

    private func write(_ response: Response, to request: Request?, _ context: ChannelHandlerContext) {
      let size = response.body?.readableBytes ?? 0
      let isJoined = size <= Self.joinedSize
      var buffer = context.channel.allocator.buffer(capacity: 1024 + (isJoined ? size : 0))
      buffer.writeStaticString("HTTP/1.1 ")
      buffer.writeString("\(response.status) \(Problem.title(of: response.status))\r\n")
      response.headers.write(to: &buffer)
      loop.writeCommonLines(to: &buffer)
      if isDeaf {
        buffer.writeStaticString("Connection: close\r\n")
      } else if request?.saysKeepAlive == true {
        buffer.writeStaticString("Connection: keep-alive\r\n")
      }
      buffer.writeStaticString("\r\n")
      if isJoined, let body = response.body { buffer.writeImmutableBuffer(body) }
      let sent = context.eventLoop.makePromise(of: Void.self)
      unsent += 1
      let reservation = response.reservation
      sent.futureResult.assumeIsolated().whenComplete { _ in
        withExtendedLifetime(reservation) { self.wasSent(context) }
      }
      if !isJoined, let body = response.body {
        context.write(wrapOutboundOut(buffer), promise: nil)
        context.write(wrapOutboundOut(body), promise: sent)
      } else {
        context.write(wrapOutboundOut(buffer), promise: sent)
      }
    }

    /// Notes that the system has taken an answer, or that the connection is gone.
    private func wasSent(_ context: ChannelHandlerContext) {
      unsent -= 1
      guard self.context != nil else { return }
      if isAnswering { return enter(.answering, context) }
      if isDeaf { return end(context) }
      enter(.idle, context)
      answerRequests(context)
      if hasInputEnded || loop.isStopping, !isAnswering { end(context) }
    }

    private func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
      isDeaf = true
      input = ByteBuffer()
      loop.metrics.count(loop.responder.indexes.names.destination(of: ""), status: problem.status, microseconds: 0)
      enter(.answering, context)
      write(loop.responder.refusal(problem), to: nil, context)
      context.flush()
    }

    /// Ends the connection once the client has had time to read the answer. If the handler closed the connection at
    /// once, with bytes unread, the system would discard the answer.
    private func end(_ context: ChannelHandlerContext) {
      guard phase != .ending else { return }
      isDeaf = true
      if hasInputEnded { return context.close(promise: nil) }
      enter(.ending, context)
      context.close(mode: .output, promise: nil)
      if holdsRead {
        holdsRead = false
        context.read()
      }
    }

    /// Ends the connection after the answers to the requests that have arrived.
    fileprivate func stop() {
      guard let context, !isAnswering, phase != .ending else { return }
      context.close(promise: nil)
    }

    // MARK: Time

    private func enter(_ phase: Phase, _ context: ChannelHandlerContext) {
      let settings = loop.settings
      let milliseconds =
        switch phase {
        case .idle: settings.idleMilliseconds
        case .arriving: settings.requestMilliseconds
        case .answering: settings.responseMilliseconds
        case .ending: 1000
        }
      self.phase = phase
      deadline = .now() + .milliseconds(Int64(milliseconds))
      // A timer that fires too early starts again. That costs less than moving the timer at every request.
      if timer == nil || deadline < timerDeadline { startTimer(context) }
    }

    private func startTimer(_ context: ChannelHandlerContext) {
      timer?.cancel()
      timerDeadline = deadline
      timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.timerFired(context) }
    }

    private func timerFired(_ context: ChannelHandlerContext) {
      timer = nil
      guard self.context != nil else { return }
      guard deadline <= .now() else { return startTimer(context) }
      if phase != .ending { loop.metrics.timedOutConnections.add(1, ordering: .relaxed) }
      switch phase {
      case .arriving: refuse(Problem(status: 408, detail: "The request did not arrive in time."), context)
      case .idle, .answering, .ending: context.close(promise: nil)
      }
    }
  }

  @available(*, unavailable)
  extension ConnectionHandler: Sendable {}

  enum HTTPDate {
    /// The date of a header field, such as `Sun, 06 Nov 1994 08:49:37 GMT`: RFC 9110, section 5.6.7.
    static func text(_ second: Int) -> String {
      var second = time_t(second)
      var parts = tm()
      gmtime_r(&second, &parts)
      func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
      let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
      let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
      return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(1900 + parts.tm_year) "
        + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
  }
#endif
