import Foundation
import ShardBuilder

/// `localizedDescription` of a build's error is its own message.
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
