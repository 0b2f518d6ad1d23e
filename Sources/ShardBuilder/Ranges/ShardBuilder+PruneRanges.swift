import CLibrary
import ShardedIndex

extension ShardBuilder {
  /// An entry of a directory that ``pruneRanges(in:olderThan:isDryRun:)`` removes.
  package struct PrunedFile: Equatable, Sendable {
    package var name: String
    /// The size in bytes; 0 for the directory of a killed writer.
    package var bytes: Int
  }

  /// Removes ranges that were never merged from a directory: the files that its index does not name, and the
  /// directories of killed writers.
  ///
  /// A file stays if no builder made it, or if it is younger than the age. Readers may still use the generation before
  /// the current one, so nothing is removed while the current manifest is younger than the age.
  ///
  /// - Parameters:
  ///   - age: The least age in seconds.
  ///   - isDryRun: Whether nothing is removed.
  /// - Returns: The removed entries, by name.
  /// - Throws: ``BuildError``, before anything is removed: ``BuildError/locked(path:)`` during a build or a merge, and
  ///   an error of the index if its manifest is damaged.
  /// - Complexity: Linear in the size of the removed files, whose contents prove their origin.
  package static func pruneRanges(
    in path: String, olderThan age: Int, isDryRun: Bool
  ) throws(BuildError) -> [PrunedFile] {
    let directory = SystemFile.open(path, in: AT_FDCWD, O_RDONLY | O_DIRECTORY)
    guard directory >= 0 else {
      if errno == ENOENT { throw .dataset(.missing, message: "\(displayed(path: path)): no such directory") }
      throw .io(operation: "open directory", path: path, errno: errno)
    }
    defer { _ = close(directory) }
    let proven = try unnamed(in: directory, path, age).filter { OwnFile.isOurs($0.name, in: directory) }
    // A directory of other files gets no lock file.
    if isDryRun || proven.isEmpty { return proven }
    let held = try HeldDirectory(creating: path)
    // A merge may have named files since, and a writer may have put them again.
    let files = try unnamed(in: held.descriptor, path, age).filter { proven.contains($0) }
    for file in files {
      if file.name.hasPrefix(Publisher.rangePrefix) {
        OwnFile.removeDirectory(file.name, in: held.descriptor)
      } else if unsafe unlinkat(held.descriptor, file.name, 0) != 0, errno != ENOENT {
        throw .io(operation: "remove", path: path + "/" + file.name, errno: errno)
      }
    }
    return files
  }

  /// Returns the entries with names of ranges that are old enough and that the directory's index does not name.
  private static func unnamed(in directory: CInt, _ path: String, _ age: Int) throws(BuildError) -> [PrunedFile] {
    let names = try Publisher.list(directory, path: path)
    var named: Set<String> = []
    if names.contains(Publisher.manifestName) {
      let index = try BuildError.ofIndex { () throws(IndexError) in
        try ShardedIndex(IndexDirectory(opening: path), options: .init())
      }
      guard let files = try PreviousIndex(index).fileNames else {
        throw .dataset(
          .bad, message: "\(displayed(path: path)): the manifest is damaged, so the files of the index are unknown")
      }
      guard old(Publisher.manifestName, in: directory, age) != nil else { return [] }
      named.formUnion(files)
    }
    return names.sorted().compactMap { name in
      let isOfRange =
        name.hasPrefix(Publisher.rangePrefix) || Publisher.isManifestName(name)
        || Publisher.isShardName(name) && !named.contains(name)
      return isOfRange ? old(name, in: directory, age) : nil
    }
  }

  /// Returns an entry; nil if its content has changed within the age, or if it is gone.
  private static func old(_ name: String, in directory: CInt, _ age: Int) -> PrunedFile? {
    var status = stat()
    guard unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    #if canImport(Darwin)
      let changed = Int(status.st_mtimespec.tv_sec)
    #else
      let changed = Int(status.st_mtim.tv_sec)
    #endif
    guard Int(time(nil)) - changed >= age else { return nil }
    return PrunedFile(name: name, bytes: status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0)
  }
}
