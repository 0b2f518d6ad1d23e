// Apple's systems have the module; on Linux it is in a package of its own, and a path is `path.string`.
#if canImport(System) && !hasFeature(Embedded)
  import System

  extension ShardedIndex {
    /// Opens the index in a directory.
    ///
    /// - Parameters:
    ///   - path: The directory that holds `manifest` and the shard files.
    ///   - options: The memory that it may keep, and whether it follows rebuilds.
    /// - Throws: As ``init(opening:options:)`` with a `String`.
    public convenience init(opening path: FilePath, options: Options = Options()) throws(IndexError) {
      try self.init(opening: path.string, options: options)
    }
  }
#endif
