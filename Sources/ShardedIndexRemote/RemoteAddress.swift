import CLibrary
import ShardedIndex

/// Returns the value of an environment variable; nil if the value is empty.
func environment(_ name: String) -> String? {
  guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
  return unsafe String(validatingCString: value)
}

#if Remote
  import CCurl

  /// The address of an index: a URL of http, https or s3. A URL that ends with a slash names a directory, any other URL
  /// an archive.
  ///
  /// The parts that may be secret (user, password and the text after `?`) stand in no message and in no file.
  struct RemoteAddress: Sendable {
    /// The user and the password, which only the first host gets.
    struct Credentials: Sendable {
      let user: String
      let password: String
      /// libcurl's text for signing requests; nil for plain authentication.
      let signature: String?
    }

    /// The URL without secret parts, for messages.
    let shown: String
    /// The URL without secret parts for names in the disk cache. The URL of a bucket has its endpoint, since another
    /// store may have the bucket's name as well.
    let cached: String
    let isArchive: Bool
    let credentials: Credentials?
    /// The name of the manifest at the URL. The manifest of a certain generation has another name than `manifest`.
    let manifestName: String
    /// The session token of temporary keys.
    private let sessionToken: String?
    /// The URL before a file's name.
    private let base: String
    /// The URL of the bucket, and the key before a file's name; nil for a URL of http and https.
    private let bucket: (url: String, key: String)?
    /// The text after a file's name: empty, or `?` and more.
    private let query: String

    /// The SHA-256 of no bytes, which S3 requires in a GET.
    private static let emptyDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    /// The most bytes of a URL.
    private static let sizeLimit = 4096

    /// - Parameter manifestName: The name of the manifest at the URL.
    /// - Throws: ``IndexError/unreachable(path:reason:)`` for a text that is not such a URL.
    init(_ text: String, manifestName: String = "manifest") throws(IndexError) {
      guard text.utf8.count <= Self.sizeLimit, !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }) else {
        throw .unreachable(path: "the URL", reason: "it has a space or a control character, or over 4,096 bytes")
      }
      let isArchive = text.split(separator: "?", maxSplits: 1).first.map { !$0.hasSuffix("/") } ?? false
      if let path = Self.bucketPath(text) {
        try self.init(bucketPath: path, isArchive: isArchive, manifestName)
      } else {
        try self.init(url: text, isArchive: isArchive, manifestName)
      }
    }

    private init(url: String, isArchive: Bool, _ manifestName: String) throws(IndexError) {
      guard let scheme = Self.part(CURLUPART_SCHEME, of: url), scheme == "http" || scheme == "https",
        let host = Self.part(CURLUPART_HOST, of: url), !host.isEmpty, let port = Self.part(CURLUPART_PORT, of: url),
        let path = Self.part(CURLUPART_PATH, of: url), let query = Self.part(CURLUPART_QUERY, of: url),
        let user = Self.part(CURLUPART_USER, of: url, isDecoded: true),
        let password = Self.part(CURLUPART_PASSWORD, of: url, isDecoded: true)
      else { throw .unreachable(path: "the URL", reason: "write it as https://host/cities/ or s3://bucket/cities/") }
      let isUsual = port == (scheme == "http" ? "80" : "443")
      base = scheme + "://" + host + (isUsual ? "" : ":" + port) + path
      (shown, cached) = (base, base)
      self.query = query.isEmpty ? "" : "?" + query
      self.isArchive = isArchive
      credentials = user.isEmpty && password.isEmpty ? nil : Credentials(user: user, password: password, signature: nil)
      (self.manifestName, sessionToken, bucket) = (manifestName, nil, nil)
    }

    private init(bucketPath path: String, isArchive: Bool, _ manifestName: String) throws(IndexError) {
      shown = "s3://" + path
      let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let letters = parts[0].utf8.allSatisfy {
        (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d || $0 == 0x2e || $0 == 0x5f
      }
      guard !parts[0].isEmpty, letters else {
        throw .unreachable(path: shown, reason: "it names no bucket; write s3://bucket/cities/")
      }
      let region = environment("AWS_REGION") ?? environment("AWS_DEFAULT_REGION") ?? "us-east-1"
      let bucketURL: String
      if let endpoint = environment("AWS_ENDPOINT_URL_S3") ?? environment("AWS_ENDPOINT_URL") {
        guard let scheme = Self.part(CURLUPART_SCHEME, of: endpoint), scheme == "http" || scheme == "https" else {
          throw .unreachable(path: shown, reason: "AWS_ENDPOINT_URL is not a URL; write it as https://host/")
        }
        bucketURL = (endpoint.hasSuffix("/") ? endpoint : endpoint + "/") + parts[0] + "/"
      } else if parts[0].contains(".") {
        bucketURL = "https://s3.\(region).amazonaws.com/\(parts[0])/"
      } else {
        bucketURL = "https://\(parts[0]).s3.\(region).amazonaws.com/"
      }
      let key = parts.count > 1 ? parts[1] : ""
      base = bucketURL + Self.escaped(key, keepsSlashes: true)
      bucket = (bucketURL, key)
      let endpoint = Self.origin(of: bucketURL).map { "\($0.scheme)://\($0.host):\($0.port)" } ?? ""
      cached = shown + "\0" + endpoint + (Self.part(CURLUPART_PATH, of: bucketURL) ?? "")
      query = ""
      self.isArchive = isArchive
      self.manifestName = manifestName
      sessionToken = environment("AWS_SESSION_TOKEN")
      guard let user = environment("AWS_ACCESS_KEY_ID"), let password = environment("AWS_SECRET_ACCESS_KEY") else {
        credentials = nil
        return
      }
      credentials = Credentials(user: user, password: password, signature: "aws:amz:\(region):s3")
    }

    /// Returns lines of a request's header, for the first host alone.
    ///
    /// - Parameter digest: The SHA-256 of the request's body, in hexadecimal.
    func headers(bodyDigest digest: String = emptyDigest) -> [String] {
      guard credentials?.signature != nil else { return [] }
      return ["x-amz-content-sha256: " + digest] + (sessionToken.map { ["x-amz-security-token: " + $0] } ?? [])
    }

    /// Returns the URL of an object whose key has slashes; nil for a URL of http and https, which has no writable
    /// objects.
    func url(ofObject name: String) -> String? {
      bucket.map { $0.url + Self.escaped($0.key + name, keepsSlashes: true) }
    }

    /// Returns the URL of a page of a list of objects; nil for a URL of http and https. The objects' names begin with
    /// `start` and have no slash after it.
    ///
    /// - Parameter token: The store's token for the page; nil for the first page.
    func url(ofListBehind start: String, token: String?) -> String? {
      // The parameters stand in the order of their names, as signatures require.
      guard let bucket else { return nil }
      let page = token.map { "continuation-token=" + Self.escaped($0, keepsSlashes: false) + "&" } ?? ""
      return bucket.url + "?" + page + "delimiter=%2F&encoding-type=url&list-type=2&prefix="
        + Self.escaped(bucket.key + start, keepsSlashes: false)
    }

    /// The key before a file's name; nil for a URL of http and https.
    var keyPrefix: String? { bucket?.key }

    /// Returns the URL of a file of the index; that of the archive for nil.
    func url(of name: String?) -> String {
      base + (name.map { Self.escaped(fileName($0), keepsSlashes: false) } ?? "") + query
    }

    /// Returns the name of a file of the index at the URL.
    func fileName(_ name: String) -> String { name == "manifest" ? manifestName : name }

    /// Returns the scheme, the host and the port of a URL; nil if the scheme is neither http nor https.
    static func origin(of url: String) -> (scheme: String, host: String, port: String)? {
      guard let scheme = part(CURLUPART_SCHEME, of: url), scheme == "http" || scheme == "https",
        let host = part(CURLUPART_HOST, of: url), let port = part(CURLUPART_PORT, of: url)
      else { return nil }
      return (scheme, host, port)
    }

    /// Returns the bucket and the key of a URL of S3; nil for another URL.
    private static func bucketPath(_ text: String) -> String? {
      text.hasPrefix("s3://") || text.hasPrefix("S3://") ? String(text.dropFirst(5)) : nil
    }

    private static func part(_ part: CURLUPart, of url: String, isDecoded: Bool = false) -> String? {
      String(capacity: 2 * sizeLimit) { unsafe url_part(url, part, isDecoded, &$0, $1) }
    }

    /// Returns a text with all characters but letters, digits and `-._~` as `%` and two digits.
    private static func escaped(_ text: String, keepsSlashes: Bool) -> String {
      var bytes: [UInt8] = []
      for byte in text.utf8 {
        switch byte {
        case 0x41...0x5a, 0x61...0x7a, 0x30...0x39, 0x2d, 0x2e, 0x5f, 0x7e: bytes.append(byte)
        case 0x2f where keepsSlashes: bytes.append(byte)
        default:
          let digits = Array("0123456789ABCDEF".utf8)
          bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
#endif
