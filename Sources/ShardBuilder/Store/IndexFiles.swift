import CLibrary
import ShardedIndex

/// The files of an index in a store: the manifest, and all files that it names.
package struct IndexFiles: Sendable {
  /// A file that a manifest names.
  package struct File: Sendable {
    let archived: ArchivedFile

    package var name: String { archived.name.text }
    /// The size in bytes.
    package var size: Int { archived.size }
    /// The first 16 bytes of its SHA-256.
    package var digest: [UInt8] { archived.digest }
  }

  package let index: ShardedIndex
  private var files: ArchivedFiles { ArchivedFiles(index: index) }

  /// Opens the index in a directory or in an archive.
  ///
  /// - Throws: ``PackError``; ``PackError/unshippable(path:reason:)`` if the index has changes beside its shards.
  package init(opening path: String) throws(PackError) {
    index = try ArchivedFiles.reading { () throws(IndexError) in
      try ShardedIndex(opening: path, options: .init(cacheLimitBytes: 0))
    }
    try ShardBuilder.refuseOverlay(of: index)
  }

  /// - Parameter index: An index from anywhere, opened with the expected digest of its manifest.
  package init(of index: ShardedIndex) { self.index = index }

  /// Returns all bytes of the manifest, after a check of each frame.
  package func manifest() throws(PackError) -> [UInt8] {
    try ArchivedFiles.reading { () throws(IndexError) in
      try index.generation.manifest.checkFrames()
      return try index.generation.manifest.fileBytes()
    }
  }

  /// Returns the files that the manifest and the manifest of the entries name, each file once.
  ///
  /// - Complexity: O(*n*), where *n* is the number of files. Memory holds a name, a size and a digest of each.
  package func all() throws(PackError) -> [File] {
    var known: Set<String> = []
    var found: [File] = []
    try files.forEach { (file) throws(PackError) in
      if let file, known.insert(file.name.text).inserted { found.append(File(archived: file)) }
    }
    return found
  }

  /// Returns the bytes of a file, after a check of its digest.
  package func bytes(of file: File) throws(PackError) -> [UInt8] { try files.bytes(of: file.archived) }

  /// Returns the bytes of a file at a path.
  package static func bytes(ofFileAt path: String) throws(BuildError) -> [UInt8] {
    let file = SystemFile.open(path, in: AT_FDCWD, O_RDONLY | O_NONBLOCK)
    guard file >= 0 else { throw .io(operation: "open", path: path, errno: errno) }
    defer { _ = close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { throw .io(operation: "examine", path: path, errno: errno) }
    return try SystemFile.bytes(of: file, limit: Int(status.st_size), path: path)
  }
}
