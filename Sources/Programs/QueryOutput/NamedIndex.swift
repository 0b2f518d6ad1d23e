#if !hasFeature(Embedded)
  /// An index of a server, and its name in the paths of requests.
  package struct NamedIndex: Equatable, Sendable {
    /// The name; nil if the server has this index only, and its paths have no name.
    package var name: String?
    /// The directory or the URL.
    package var path: String

    package init(name: String?, path: String) { (self.name, self.path) = (name, path) }

    /// The first parts of the server's own paths, which no index may have as its name.
    static let reserved: Set<String> = [
      "api", "dots", "facets", "healthz", "metrics", "record", "reverse", "search", "status", "structured", "v1",
      "within",
    ]
    /// The most bytes of a name.
    private static let sizeLimit = 64

    /// Reads the values of `--index`: a directory or URL, or several with names, each as `NAME=DIR`.
    ///
    /// The text before the first `=` is a name if it has no slash; `./a=b` is a directory.
    ///
    /// - Returns: The indexes, at least one. A path is nil if no value is given.
    package static func list(
      _ values: [String]
    ) throws(UserSettings.SettingsError) -> [(name: String?, path: String?)] {
      func wrong(_ message: String) -> UserSettings.SettingsError {
        UserSettings.SettingsError(message: "--index: " + message, status: .usage)
      }
      if values.isEmpty { return [(nil, nil)] }
      var indexes: [(name: String?, path: String?)] = []
      for value in values {
        let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count > 1, !parts[0].contains("/") else {
          guard !value.isEmpty else { throw wrong("the value is empty; name a directory") }
          guard values.count == 1 else { throw wrong("\(value) has no name; with several indexes write NAME=\(value)") }
          return [(nil, value)]
        }
        let name = String(parts[0])
        guard isName(name) else {
          throw wrong(
            "\(name.isEmpty ? "the name before = is empty" : name + " is not a name"); write up to \(sizeLimit) letters of "
              + "ASCII, digits, - and _, as in cities=DIR, or ./ before a directory with =")
        }
        guard !reserved.contains(name) else {
          throw wrong("\(name) is a path of the server; choose another name")
        }
        guard !indexes.contains(where: { $0.name == name }) else {
          throw wrong("two indexes have the name \(name); give each its own name")
        }
        guard !parts[1].isEmpty else { throw wrong("\(name) has no directory; write \(name)=DIR") }
        indexes.append((name, String(parts[1])))
      }
      return indexes
    }

    private static func isName(_ text: String) -> Bool {
      func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
      }
      guard let first = text.utf8.first, text.utf8.count <= sizeLimit, isLetterOrDigit(first) else { return false }
      return text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }
  }
#endif
