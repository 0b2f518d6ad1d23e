#if Remote
  import CCurl
  import CLibrary

  /// The reason of a failed fetch.
  struct FetchFailure: Error {
    /// ENOENT for a missing file, ESTALE for a file that has changed, 0 where `reason` says all.
    let number: CInt
    let reason: String
    /// Whether another attempt may succeed.
    var mayPass = false
    /// Whether a limit of time ended the request.
    private(set) var isStall = false

    init(_ reason: String, mayPass: Bool = false) { (number, self.reason, self.mayPass) = (0, reason, mayPass) }
    init(number: CInt) { (self.number, reason) = (number, "") }

    /// Makes the failure of a request without an answer.
    ///
    /// - Parameter code: curl's number for the failure.
    init(ofTransport code: CInt) {
      switch code {
      case CInt(CURLE_COULDNT_RESOLVE_HOST.rawValue):
        self.init("the name of the host cannot be resolved", mayPass: true)
      case CInt(CURLE_COULDNT_CONNECT.rawValue): self.init("the host accepts no connection", mayPass: true)
      case CInt(CURLE_OPERATION_TIMEDOUT.rawValue):
        self.init("the host did not answer in time", mayPass: true)
        isStall = true
      case CInt(CURLE_PARTIAL_FILE.rawValue): self.init("the host sent a part of the answer", mayPass: true)
      case CInt(CURLE_PEER_FAILED_VERIFICATION.rawValue): self.init("the host's certificate is not valid for it")
      default:
        let text = unsafe String(cString: transfers_error(code))
        self.init(text.prefix(1).lowercased() + text.dropFirst(), mayPass: true)
      }
    }

    /// Makes the failure of a request whose answer has the status of an error.
    init(ofStatus status: Int64, _ answer: StoreAnswer) {
      switch answer.code {
      case "RequestTimeTooSkewed", "RequestExpired":
        self.init("the store refuses this machine's time; set the clock")
      case "InvalidAccessKeyId", "SignatureDoesNotMatch":
        self.init("the store does not accept AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
      case "NoSuchBucket": self.init("there is no such bucket")
      case "PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed":
        self.init("the bucket is in another region; set AWS_REGION")
      case "XAmzContentSHA256Mismatch", "BadDigest", "RequestTimeout":
        self.init("a part of the upload was lost", mayPass: true)
      default:
        switch status {
        case 401: self.init("the host asks for a user and a password (status 401)")
        case 403: self.init("the host does not permit it (status 403)")
        case 408, 429, 500...599: self.init("the host is in trouble (status \(status))", mayPass: true)
        default: self.init("the host answers with status \(status)")
        }
      }
    }
  }

  /// The body of an answer with the status of an error. Source: Amazon S3 API Reference, Error responses.
  struct StoreAnswer {
    /// The store's word for the error; nil if it gives none.
    let code: Substring?

    init(_ body: [UInt8]) {
      let text = String(decoding: body.prefix(4096), as: UTF8.self)
      code = text.split(separator: "<Code>", maxSplits: 1).dropFirst().first?.split(separator: "<").first
    }
  }
#endif
