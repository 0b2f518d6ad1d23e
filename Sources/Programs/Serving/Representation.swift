#if Server
  import NIOCore

  /// A body with its header fields, before the server reads which coding the client accepts.
  struct Representation: Sendable {
    var body: ByteBuffer
    var contentType: String
    /// The entity tag; nil if the same request may get different answers.
    var tag: String?
    var headers: HeaderFields = [:]
    /// The compressed form of a body that never changes.
    var stored: Gzip.Stored?
    /// The text that no record matches, if this is the first page of its answer; otherwise nil.
    var unmatchedText: String?
  }

  /// The response to a request.
  struct Response: Sendable {
    var status: Int
    var headers: HeaderFields
    var body: ByteBuffer? = nil
    /// The reserved memory, which is held until the system has taken the body.
    var reservation: ResponseBudget.Reservation? = nil
  }

  /// The error of a request that an event loop could answer, but leaves to other threads.
  struct NotHere: Error {}
#endif
