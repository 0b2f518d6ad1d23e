// Apple's systems have the module System. On Linux it is a package of its own: pass `path.string` instead.
#if canImport(System) && !hasFeature(Embedded)
  import System

  extension ShardedIndex {
    /// Opens the index in a directory.
    ///
    /// - Parameters:
    ///   - path: The directory that holds `manifest` and the shard files.
    ///   - options: The memory limits, and whether the index follows rebuilds.
    /// - Throws: As ``init(opening:options:)`` with a `String`.
    public convenience init(opening path: FilePath, options: Options = Options()) throws(IndexError) {
      try self.init(opening: path.string, options: options)
    }
  }
#endif
