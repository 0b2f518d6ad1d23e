import CLibrary
import ShardedIndex

extension Publisher {
  /// The name of the directory for making starts, below the directory of the index.
  static let startsName = ".shardq-starts"

  /// Removes the directory of starts, of this build or of a killed one.
  func removeStarts() {
    let directory = SystemFile.open(
      Self.startsName, in: descriptor, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    guard directory >= 0 else { return }
    defer { _ = close(directory) }
    for name in (try? list(directory)) ?? [] { _ = unsafe unlinkat(directory, name, 0) }
    _ = unsafe unlinkat(descriptor, Self.startsName, AT_REMOVEDIR)
  }
}
