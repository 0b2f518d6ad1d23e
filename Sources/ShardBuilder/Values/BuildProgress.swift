/// The progress of a build.
public struct BuildProgress: Sendable {
  public enum Phase: Sendable { case reading, sorting, writing }
  public var phase: Phase
  /// The finished part of `total`: bytes of input while reading, records while writing.
  public var done: Int
  public var total: Int?
  public var records: Int
}

/// The progress of a pack, of an archive or of a repair.
public struct FileProgress: Sendable, Equatable {
  public enum Phase: Sendable {
    /// Writing a pack, and applying one.
    case packing, applying
    /// Writing an archive, and making a directory from one.
    case archiving, unarchiving
    /// Comparing the shards of an index with their digests, then verifying the whole index.
    case comparing, verifying
  }
  public var phase: Phase
  /// The number of finished files, and of all files of the phase.
  public var done: Int
  public var total: Int

  public init(phase: Phase, done: Int, total: Int) { (self.phase, self.done, self.total) = (phase, done, total) }
}
