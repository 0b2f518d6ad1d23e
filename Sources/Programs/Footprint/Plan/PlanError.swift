import ShardBuilder
import ShardedIndex

/// The reason why there is no plan.
@nonexhaustive
package enum PlanError: Error, Equatable, Sendable {
  /// The log could not be read.
  case log(QueryLogError)
  /// The log is a pipe or a directory. A plan reads the log once for each candidate.
  case logNotRegular(path: String)
  /// The log has fewer than two sessions, so that a half would be empty.
  case tooFewSessions(path: String, sessions: Int)
  /// The log has changed since the plan first read it.
  case logChanged(path: String)
  /// The source index or a candidate could not be read.
  case index(IndexError)
  /// An index could not be built.
  case build(BuildError)
  /// The directory's file system has fewer bytes free than a candidate may take.
  case noRoom(path: String, needed: Int, available: Int)
  /// Every candidate takes more of the disk than the limit. Both sizes are in bytes.
  case noneFits(limit: Int, smallest: Int)
}

extension PlanError {
  static func ofIndex<Value>(_ body: () throws(IndexError) -> Value) throws(PlanError) -> Value {
    do throws(IndexError) { return try body() } catch { throw .index(error) }
  }

  static func ofBuild<Value>(_ body: () throws(BuildError) -> Value) throws(PlanError) -> Value {
    do throws(BuildError) { return try body() } catch { throw .build(error) }
  }
}

extension PlanError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .log(let error): error.description
    case .logNotRegular(let path):
      "\(path) is a pipe or a directory, and a plan reads the log many times; write the log to a file"
    case .tooFewSessions(let path, let sessions):
      "\(path): the log has \(sessions == 0 ? "no text" : "one session"); a plan needs two sessions, one to choose"
        + " the sizes and one to check the choice (an empty line begins another session)"
    case .logChanged(let path): "\(path) changed during the plan; plan again once the log is complete"
    case .index(let error): error.description
    case .build(let error): error.description
    case .noRoom(let path, let needed, let available):
      "\(path) has \(available) bytes free, and a candidate may take \(needed) bytes; name another directory"
    case .noneFits(let limit, let smallest):
      "no candidate fits in \(limit) bytes on disk; allow \(smallest) bytes, the size of the smallest candidate"
    }
  }
}
