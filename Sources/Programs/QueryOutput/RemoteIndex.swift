/// An index on another machine.
package enum RemoteIndex {
  /// Whether the name of an index is a URL of an index on another machine. The case of the scheme does not matter.
  package static func isURL(_ index: String) -> Bool {
    // The bit makes a capital letter small, and changes neither a digit nor a colon nor a slash.
    ["http://", "https://", "s3://"].contains { index.utf8.lazy.map { $0 | 0x20 }.starts(with: $0.utf8) }
  }
}

#if !hasFeature(Embedded)
  /// The settings by which the files of an index on another machine are fetched and kept.
  package struct RemoteSettings: Equatable, Sendable {
    /// The amount of a shard that a request asks for: a value of `--fetch`.
    package var fetch = "auto"
    /// The directory of the disk cache; empty for the user's.
    package var cacheDirectory = ""
    /// The most bytes in the disk cache; nil for the default.
    package var cacheBytes: Int?

    package init() {}
  }
#endif
