import CLibrary
import ShardedIndex

extension Publisher {
  /// The directory, below that of an index, in which its starts are made.
  static let startsName = ".shardq-starts"

  /// Removes the directory of starts, of this build or of one that was killed.
  func removeStarts() {
    let directory = SystemFile.open(
      Self.startsName, in: descriptor, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    guard directory >= 0 else { return }
    defer { _ = close(directory) }
    for name in (try? list(directory)) ?? [] { _ = unsafe unlinkat(directory, name, 0) }
    _ = unsafe unlinkat(descriptor, Self.startsName, AT_REMOVEDIR)
  }
}
