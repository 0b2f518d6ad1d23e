import Foundation
import ShardedIndex

/// Makes `localizedDescription` of an index's error its message.
extension IndexError: LocalizedError {
  /// The message: the fault, the file, and the remedy.
  public var errorDescription: String? { description }
}

extension FormatError: LocalizedError {
  /// The message: the fault, and its place in the file.
  public var errorDescription: String? { description }
}
