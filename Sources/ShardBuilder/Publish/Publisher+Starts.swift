import CLibrary
import ShardedIndex

extension Publisher {
  /// The name of the directory for making starts, below the directory of the index.
  static let startsName = ".shardq-starts"

  /// Removes the directory of starts, of this build or of a killed one.
  func removeStarts() {
    OwnFile.removeDirectory(Self.startsName, in: descriptor)
  }
}
