#if Server
  /// A path that the server answers.
  enum Route: String, CaseIterable {
    case page = "/"
    case box = "/shardq-box.js"
    case search = "/v1/search"
    case facets = "/v1/facets"
    /// The id of the record follows.
    case record = "/v1/record/"
    case within = "/v1/within"
    case dots = "/v1/dots"
    case status = "/v1/status"
    case description = "/v1/openapi.json"
    case photon = "/api"
    case reverse = "/reverse"
    case structured = "/structured"
    case photonStatus = "/status"
    case health = "/healthz"
    case metrics = "/metrics"
    case none = ""

    var name: String {
      switch self {
      case .page: "page"
      case .box: "box"
      case .search: "search"
      case .facets: "facets"
      case .record: "record"
      case .within: "within"
      case .dots: "dots"
      case .status: "status"
      case .description: "openapi"
      case .photon: "photon"
      case .reverse: "reverse"
      case .structured: "structured"
      case .photonStatus: "photon-status"
      case .health: "healthz"
      case .metrics: "metrics"
      case .none: "none"
      }
    }

    init(path: Substring) {
      if path.utf8.starts(with: Route.record.rawValue.utf8) {
        self = .record
      } else if let route = Route(rawValue: String(path)) {
        self = route
      } else if path.hasSuffix("/"), let route = Route(rawValue: String(path.dropLast())), route.isPhotons {
        // Photon's clients write paths with and without a slash at the end.
        self = route
      } else {
        self = .none
      }
    }

    /// Whether the answer is a file of the server, which is the same for every index of one kind.
    var isFile: Bool { self == .page || self == .box || self == .description }

    /// Whether a server whose indexes have names answers the route without a name.
    var isOfServer: Bool {
      switch self {
      case .page, .box, .description, .status, .health, .metrics: true
      default: false
      }
    }

    /// Whether the route is one of the geocoder Photon.
    var isPhotons: Bool {
      switch self {
      case .photon, .reverse, .structured, .photonStatus: true
      default: false
      }
    }
  }
#endif
