/// The progress of a build.
public struct BuildProgress: Sendable {
  public enum Phase: Sendable { case reading, sorting, writing }
  public var phase: Phase
  /// The part of `total` that is done: bytes of input when reading, records when writing.
  public var done: Int
  public var total: Int?
  public var records: Int
}

/// The progress of a pack, of an archive or of a repair.
public struct FileProgress: Sendable, Equatable {
  public enum Phase: Sendable {
    /// A pack is written, or applied.
    case packing, applying
    /// An archive is written, or made a directory.
    case archiving, unarchiving
    /// The shards of an index are compared with their digests; then all of the index is verified.
    case comparing, verifying
  }
  public var phase: Phase
  /// The files that are done, and all files of the phase.
  public var done: Int
  public var total: Int

  public init(phase: Phase, done: Int, total: Int) { (self.phase, self.done, self.total) = (phase, done, total) }
}
