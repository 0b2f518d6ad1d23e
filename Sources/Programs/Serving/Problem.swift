#if Server
  import Answers
  import QueryOutput

  /// The reason why a request is refused, which a client gets as problem details (RFC 9457).
  struct Problem: Error {
    var status: Int
    /// The mistake in the request, and the remedy.
    var detail: String
    /// The wrong parameter.
    var parameter: String? = nil
    /// The allowed methods, if the method is wrong.
    var allowed: String? = nil
    /// The seconds that a client has to wait before it tries again.
    var retryAfter: Int? = nil

    static func badParameter(_ name: String, _ detail: String) -> Problem {
      Problem(status: 400, detail: detail, parameter: name)
    }

    static let noCoordinates = Problem(status: 404, detail: "The records of this index have no coordinates.")

    static let noIDs = Problem(
      status: 404, detail: "The records of this index have no ids; build the index with shardq build --id FIELD.")

    static let internalFailure = Problem(
      status: 500, detail: "The server could not read its index. The server's log has the reason.")

    static let fullMemory = Problem(
      status: 503,
      detail: "Other answers use the memory for large records. Ask again, or ask for fewer records.",
      retryAfter: 1)

    static let largeRecords = Problem(
      status: 503, detail: "The records of this answer have over 64 MiB. Ask for fewer records, or send more letters.",
      parameter: "limit")

    static let noStore = Problem(
      status: 503, detail: "The store of the index does not answer. Ask again.", retryAfter: 1)

    static let overtaken = Problem(
      status: 503, detail: "The index was rebuilt while the server read it. Ask again.", retryAfter: 1)

    static let noDescriptors = Problem(
      status: 503, detail: "The server has too many open files. Ask again.", retryAfter: 1)

    /// The problem as a JSON object.
    var json: String {
      var text = "{\"type\":\"about:blank\",\"title\":" + JSONText.string(Self.title(of: status))
      text += ",\"status\":\(status),\"detail\":" + JSONText.string(detail)
      if let parameter { text += ",\"parameter\":" + JSONText.string(parameter) }
      return text + "}\n"
    }

    static func title(of status: Int) -> String {
      switch status {
      case 200: "OK"
      case 204: "No Content"
      case 304: "Not Modified"
      case 400: "Bad Request"
      case 404: "Not Found"
      case 405: "Method Not Allowed"
      case 408: "Request Timeout"
      case 413: "Content Too Large"
      case 414: "URI Too Long"
      case 421: "Misdirected Request"
      case 431: "Request Header Fields Too Large"
      case 500: "Internal Server Error"
      case 503: "Service Unavailable"
      case 505: "HTTP Version Not Supported"
      default: "Error"
      }
    }
  }
#endif
