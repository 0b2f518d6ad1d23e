import ShardBuilder
import ShardedIndex

/// The reason why there is no plan.
@nonexhaustive
package enum PlanError: Error, Equatable, Sendable {
  /// The log could not be read.
  case log(QueryLogError)
  /// The log is read once for each candidate, and a pipe or a directory cannot be.
  case logNotRegular(path: String)
  /// The log has fewer than two sessions, so that it has no halves.
  case tooFewSessions(path: String, sessions: Int)
  /// The log has changed since it was read first.
  case logChanged(path: String)
  /// The index that is planned for, or a candidate, could not be read.
  case index(IndexError)
  /// An index could not be built.
  case build(BuildError)
  /// The directory's file system has fewer bytes left than a candidate may take.
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
      "\(path) is no file that can be read again and again: write the log to one"
    case .tooFewSessions(let path, let sessions):
      "\(path): \(sessions == 0 ? "nothing is typed in it" : "all of it is one session");"
        + " two at least are needed, one to choose by and one to check with: a line without a text begins another"
    case .logChanged(let path): "\(path) has changed while it was read; plan again, with a log that is finished"
    case .index(let error): error.description
    case .build(let error): error.description
    case .noRoom(let path, let needed, let available):
      "\(path) has room for \(available) bytes, and an index to try may take \(needed); name another directory"
    case .noneFits(let limit, let smallest):
      "no candidate takes \(limit) bytes on disk or less; the smallest takes \(smallest)"
    }
  }
}
