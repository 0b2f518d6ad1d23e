/// The progress of a build.
public struct BuildProgress: Sendable {
  public enum Phase: Sendable { case reading, sorting, writing }
  public var phase: Phase
  /// The part of `total` that is done: bytes of input when reading, records when writing.
  public var done: Int
  public var total: Int?
  public var records: Int
}
