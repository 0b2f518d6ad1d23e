#if Server
  import NIOCore

  /// The header fields of an answer in the order in which they were set, each name once.
  struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral {
    struct Name: Sendable {
      fileprivate let text: StaticString
      init(_ text: StaticString) { self.text = text }

      fileprivate static func == (one: Name, other: Name) -> Bool {
        one.text.utf8Start == other.text.utf8Start
          || (one.text.utf8CodeUnitCount == other.text.utf8CodeUnitCount
            && one.text.withUTF8Buffer { mine in other.text.withUTF8Buffer { mine.elementsEqual($0) } })
      }
    }

    private var fields: [(name: Name, value: String)] = []

    init(dictionaryLiteral fields: (Name, String)...) {
      self.fields.reserveCapacity(16)
      for (name, value) in fields { self[name] = value }
    }

    subscript(_ name: Name) -> String? {
      get { fields.first { $0.name == name }?.value }
      set {
        let at = fields.firstIndex { $0.name == name }
        switch (at, newValue) {
        case (let at?, let value?): fields[at].value = value
        case (let at?, nil): fields.remove(at: at)
        case (nil, let value?): fields.append((name, value))
        case (nil, nil): break
        }
      }
    }

    /// Sets all fields of `other`, and replaces fields of the same names.
    mutating func append(contentsOf other: HeaderFields) {
      for (name, value) in other.fields { self[name] = value }
    }

    func write(to buffer: inout ByteBuffer) {
      for (name, value) in fields {
        buffer.writeStaticString(name.text)
        buffer.writeStaticString(": ")
        buffer.writeString(value)
        buffer.writeStaticString("\r\n")
      }
    }
  }

  extension HeaderFields.Name {
    static let accessControlAllowHeaders = Self("Access-Control-Allow-Headers")
    static let accessControlAllowMethods = Self("Access-Control-Allow-Methods")
    static let accessControlAllowOrigin = Self("Access-Control-Allow-Origin")
    static let accessControlExposeHeaders = Self("Access-Control-Expose-Headers")
    static let accessControlMaxAge = Self("Access-Control-Max-Age")
    static let allow = Self("Allow")
    static let cacheControl = Self("Cache-Control")
    static let connection = Self("Connection")
    static let contentEncoding = Self("Content-Encoding")
    static let contentLength = Self("Content-Length")
    static let contentSecurityPolicy = Self("Content-Security-Policy")
    static let contentType = Self("Content-Type")
    static let crossOriginResourcePolicy = Self("Cross-Origin-Resource-Policy")
    static let eTag = Self("ETag")
    static let referrerPolicy = Self("Referrer-Policy")
    static let retryAfter = Self("Retry-After")
    static let serverTiming = Self("Server-Timing")
    static let shardqCost = Self("Shardq-Cost")
    static let shardqCount = Self("Shardq-Count")
    static let shardqCursor = Self("Shardq-Cursor")
    static let timingAllowOrigin = Self("Timing-Allow-Origin")
    static let vary = Self("Vary")
    static let xContentTypeOptions = Self("X-Content-Type-Options")
  }
#endif
