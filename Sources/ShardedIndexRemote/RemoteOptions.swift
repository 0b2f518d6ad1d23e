import ShardedIndex

/// The options of an index on another machine, in addition to the options of any index.
public struct RemoteOptions: Sendable {
  /// The extent of a request: whole files of shards, or ranges of them.
  public enum Fetch: String, Sendable, CaseIterable {
    /// Whole files if the round trip at the opening takes over 5 ms, ranges otherwise.
    case automatic = "auto"
    /// The whole file if it has at most 96 KiB. Later queries of the same shard then need no request.
    case shards
    /// The header and the parts that a query reads: fewer bytes and more requests than with whole files.
    case ranges
  }

  /// The extent of a request.
  public var fetch: Fetch
  /// The directory of the disk cache, which several processes may share; nil for no disk cache. Opening an index makes
  /// the directory, and refuses one with other files.
  public var cacheDirectory: String?
  /// The most bytes of files in the disk cache; with 0 there is no disk cache.
  public var cacheLimitBytes: Int
  /// The most bytes of a file that a request fetches whole, where requests fetch whole files.
  package var wholeLimit = FetchPlan.wholeShard

  /// Makes the options.
  ///
  /// - Parameters:
  ///   - fetch: The extent of a request. Default: the round trip at the opening decides.
  ///   - cacheDirectory: The directory of the disk cache. Default: `$XDG_CACHE_HOME/shardq`, or `~/.cache/shardq`.
  ///   - cacheLimitBytes: The most bytes in the disk cache. Default: 256 MiB.
  public init(
    fetch: Fetch = .automatic, cacheDirectory: String? = RemoteOptions.usualCacheDirectory,
    cacheLimitBytes: Int = 256 << 20
  ) {
    self.fetch = fetch
    self.cacheDirectory = cacheDirectory
    self.cacheLimitBytes = max(0, cacheLimitBytes)
  }

  /// Makes the options from the values that a program was given.
  ///
  /// - Parameters:
  ///   - fetch: A raw value of ``Fetch``; any other text counts as `auto`.
  ///   - cacheDirectory: A directory; the user's cache directory if it is empty.
  ///   - cacheBytes: The most bytes in the disk cache; nil for the default.
  package init(fetch: String, cacheDirectory: String, cacheBytes: Int?) {
    self.init(fetch: Fetch(rawValue: fetch) ?? .automatic)
    if !cacheDirectory.isEmpty { self.cacheDirectory = cacheDirectory }
    if let cacheBytes { cacheLimitBytes = max(0, cacheBytes) }
  }

  /// The cache directory of the user: `$XDG_CACHE_HOME/shardq`, else `~/.cache/shardq`; nil without a home directory.
  ///
  /// A relative path in `XDG_CACHE_HOME` does not count. Source: XDG Base Directory Specification 0.8.
  public static var usualCacheDirectory: String? {
    if let path = environment("XDG_CACHE_HOME"), path.hasPrefix("/") { return path + "/shardq" }
    return environment("HOME").map { $0 + "/.cache/shardq" }
  }
}
