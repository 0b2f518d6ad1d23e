/// How far a build is.
public struct BuildProgress: Sendable {
  public enum Phase: Sendable { case reading, sorting, writing }
  public var phase: Phase
  /// Of `total`: bytes of input when reading, records when writing.
  public var done: Int
  public var total: Int?
  public var records: Int
}
