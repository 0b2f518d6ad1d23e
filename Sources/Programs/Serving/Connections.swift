#if Server
  import NIOCore
  import NIOPosix
  import QueryOutput

  import CLibrary

  /// The limits of connections that follow from the number of files that the process may have open.
  struct ConnectionLimits: Sendable {
    /// The most connections that the server answers.
    let answered: Int
    /// The most further connections that get status 503. The server closes any more at once.
    let refused: Int

    /// - Parameters:
    ///   - wanted: The most connections.
    ///   - descriptors: The number of files that the process may have open.
    init(wanted: Int, descriptors: Int) {
      // Shard files take up to an eighth (``Options/openFileLimit``). The index, the event loops, a reload and /metrics
      // take the others.
      let kept = min(128, descriptors / 8) + min(64, descriptors / 4)
      refused = max(1, min(16, descriptors / 16))
      answered = max(1, min(wanted, descriptors - kept - refused))
    }

    /// Raises the limit of open files to the most that the system allows, and returns it.
    static func raiseDescriptors() -> Int {
      #if canImport(Glibc)
        let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      #else
        let descriptors = RLIMIT_NOFILE
      #endif
      var limit = rlimit()
      guard getrlimit(descriptors, &limit) == 0 else { return 256 }
      let before = limit.rlim_cur
      limit.rlim_cur = limit.rlim_max
      if setrlimit(descriptors, &limit) != 0 { limit.rlim_cur = before }
      return Int(clamping: limit.rlim_cur)
    }
  }

  /// A pause of accepting when there is no descriptor for a connection. Without the pause the event loop would try
  /// again all the time, because the connection still waits. (NIO's `AcceptBackoffHandler` does not hold back the
  /// current read.)
  private final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let log: ServerLog
    private static let duration = TimeAmount.milliseconds(200)

    init(_ log: ServerLog) { self.log = log }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      guard let number = (error as? IOError)?.errnoCode, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(number) else {
        return
      }
      log.complain("cannot accept", ["reason": String(cString: strerror(number))])
      let options = context.channel.syncOptions!
      try? options.setOption(.autoRead, value: false)
      context.eventLoop.assumeIsolated().scheduleTask(in: Self.duration) {
        try? options.setOption(.autoRead, value: true)
      }
    }
  }

  @available(*, unavailable)
  extension AcceptPause: Sendable {}

  /// The event loops and the listening socket.
  final class Listener: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let states: [ObjectIdentifier: NIOLoopBound<LoopState>]
    private let channel: any Channel
    private let metrics: Metrics

    /// The size of a connection's receive buffer in the system, in bytes.
    private static let receiveBuffer: SocketOptionValue = 64 << 10

    /// - Throws: The system's error if the socket cannot listen on the address.
    init(
      _ settings: ServeSettings, limits: ConnectionLimits, _ group: MultiThreadedEventLoopGroup,
      _ responder: Responder, _ gate: EngineGate, _ metrics: Metrics, _ log: ServerLog
    ) throws {
      self.group = group
      self.metrics = metrics
      var states: [ObjectIdentifier: NIOLoopBound<LoopState>] = [:]
      for loop in group.makeIterator() {
        states[ObjectIdentifier(loop)] = try loop.submit {
          NIOLoopBound(
            LoopState(responder: responder, gate: gate, settings: settings, metrics: metrics), eventLoop: loop)
        }.wait()
      }
      self.states = states
      channel = try ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 1024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        // Connections inherit this option.
        .serverChannelOption(.socketOption(.so_rcvbuf), value: Self.receiveBuffer)
        .serverChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(AcceptPause(log))
          }
        }
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelInitializer { [states] channel in
          let open = metrics.openConnections.add(1, ordering: .relaxed).newValue
          channel.closeFuture.whenComplete { _ in metrics.openConnections.subtract(1, ordering: .relaxed) }
          let isRefused = open > limits.answered
          if isRefused { metrics.refusedConnections.add(1, ordering: .relaxed) }
          guard open <= limits.answered + limits.refused else { return channel.close() }
          return channel.eventLoop.makeCompletedFuture {
            let state = states[ObjectIdentifier(channel.eventLoop)]!.value
            try channel.pipeline.syncOperations.addHandler(ConnectionHandler(state, isRefused: isRefused))
          }
        }
        .bind(to: SocketAddress(ipAddress: settings.address, port: settings.port)).wait()
    }

    var port: Int? { channel.localAddress?.port }

    /// Closes the socket, and each connection once the requests that have arrived are answered.
    func stop() {
      channel.close(promise: nil)
      for loop in group.makeIterator() {
        let state = states[ObjectIdentifier(loop)]!
        loop.execute { state.value.stop() }
      }
    }
  }
#endif
