#if Server
  import NIOCore

  /// A body with its header fields, before the client's wishes are looked at.
  struct Answer: Sendable {
    var body: ByteBuffer
    var contentType: String
    /// The entity tag; nil where the answer may be another one each time.
    var tag: String?
    var headers: HeaderFields = [:]
    /// The compressed form of a body that is the same each time.
    var stored: Gzip.Stored?
  }

  /// The response to a request.
  struct Response: Sendable {
    var status: Int
    var headers: HeaderFields
    var body: ByteBuffer? = nil
    /// The reserved memory, held until the body is with the system.
    var reservation: ResponseBudget.Reservation? = nil
  }

  /// The error of a question that needs a grid which another thread is making.
  struct Unfinished: Error {
    let grid: PlaceGridMaker
  }

  /// The error of a question that an event loop leaves to other threads, though it could answer it.
  struct NotHere: Error {}
#endif
