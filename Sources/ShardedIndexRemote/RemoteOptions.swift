import ShardedIndex

/// The options of an index on another machine, beside those of any index.
public struct RemoteOptions: Sendable {
  /// How much of a shard's file a request asks for.
  public enum Fetch: String, Sendable, CaseIterable {
    /// Whole files where the round trip at the opening takes over 5 ms, else ranges.
    case automatic = "auto"
    /// All of a file of at most 96 KiB, which later queries of the same shard then need not ask for.
    case shards
    /// The header and the parts that a query reads: fewer bytes, more requests.
    case ranges
  }

  /// How much of a shard's file a request asks for.
  public var fetch: Fetch
  /// The directory of the disk cache, which several processes may share; nil for none. It is made if it is missing.
  public var cacheDirectory: String?
  /// The most bytes of files in the disk cache; with 0 there is none.
  public var cacheLimitBytes: Int

  /// Makes the options.
  ///
  /// - Parameters:
  ///   - fetch: Default: the round trip at the opening decides.
  ///   - cacheDirectory: Default: `$XDG_CACHE_HOME/shardq`, or `~/.cache/shardq`.
  ///   - cacheLimitBytes: In bytes. Default: 256 MiB.
  public init(
    fetch: Fetch = .automatic, cacheDirectory: String? = RemoteOptions.usualCacheDirectory,
    cacheLimitBytes: Int = 256 << 20
  ) {
    self.fetch = fetch
    self.cacheDirectory = cacheDirectory
    self.cacheLimitBytes = max(0, cacheLimitBytes)
  }

  /// Makes the options of a program's words.
  ///
  /// - Parameters:
  ///   - fetch: A raw value of ``Fetch``; another one counts as `auto`.
  ///   - cacheDirectory: Empty for the user's.
  ///   - cacheBytes: The most bytes in the disk cache; nil for the usual ones.
  package init(fetch: String, cacheDirectory: String, cacheBytes: Int?) {
    self.init(fetch: Fetch(rawValue: fetch) ?? .automatic)
    if !cacheDirectory.isEmpty { self.cacheDirectory = cacheDirectory }
    if let cacheBytes { cacheLimitBytes = max(0, cacheBytes) }
  }

  /// The cache directory of the user: `$XDG_CACHE_HOME/shardq`, else `~/.cache/shardq`; nil without a home directory.
  ///
  /// Source: XDG Base Directory Specification 0.8; a relative path there counts as none.
  public static var usualCacheDirectory: String? {
    if let path = environment("XDG_CACHE_HOME"), path.hasPrefix("/") { return path + "/shardq" }
    return environment("HOME").map { $0 + "/.cache/shardq" }
  }
}
