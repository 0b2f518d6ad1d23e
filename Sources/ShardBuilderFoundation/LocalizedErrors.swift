import Foundation
import ShardBuilder

/// The `localizedDescription` of a build error is the error's own message.
extension BuildError: LocalizedError {
  /// The message: the fault, the file, and the remedy.
  public var errorDescription: String? { description }
}

extension PackError: LocalizedError {
  /// The message: the fault, the pack or the index, and the remedy.
  public var errorDescription: String? { description }
}

extension RepairError: LocalizedError {
  /// The message: the fault, the index or the copy, and the remedy.
  public var errorDescription: String? { description }
}
