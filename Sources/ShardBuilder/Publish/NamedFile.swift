import ShardedIndex

/// A file that a manifest names; the digest is the first 16 bytes of its SHA-256.
package typealias NamedFile = (name: FileName, size: Int, digest: [UInt8])

extension IndexDirectory {
  /// Throws if a file has another size or digest than the manifest says, or cannot be read.
  func compare(_ file: NamedFile) throws(IndexError) {
    var hash = Digest.Stream()
    _ = try forEachRun(of: file.name, size: file.size, at: nil) { unsafe hash.update($0.span.bytes) }
    guard hash.finish().starts(with: file.digest) else {
      throw .corrupt(path: filePath(file.name.text), cause: .wrongDigest)
    }
  }
}

extension PreviousIndex {
  /// The bytes for which another thread is started.
  private static let threadShare = 4 << 20

  /// Compares each frame of the manifest with its checksum, and files that the manifests name with their digests. A
  /// generation that keeps files unread, or lays an overlay over them, would pass their damage on.
  ///
  /// In the directory of its build, a file that the system has not changed since the manifest came has the bytes of that
  /// build, unless the medium has lost them: each read of a frame, and `verify`, notice that. Of a copy all files are
  /// compared.
  ///
  /// - Complexity: One system call for each file, and O(*n*) in the size of the changed files. Memory holds 256 KiB for
  ///   each thread.
  func compareFiles(in publisher: Publisher, threads: Int) throws(BuildError) {
    let files = try BuildError.ofIndex { () throws(IndexError) in
      try index.generation.manifest.checkFrames()
      let files = try namedFiles()
      let changed = publisher.changedSinceMark(files.map(\.name.text))
      return files.filter { changed.contains($0.name.text) }
    }
    let failure = Lock<IndexError?>(nil)
    let directory = index.directory
    let bytes = files.reduce(0) { $0 + $1.size }
    WorkerPool.forEach(files.count, threads: min(threads, 1 + bytes / Self.threadShare)) { number in
      guard failure.withLock({ $0 == nil }) else { return }
      do throws(IndexError) {
        try directory.compare(files[number])
      } catch {
        failure.withLock { if $0 == nil { $0 = error } }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw .index(failure) }
    noteCompared()
  }

  private func namedFiles() throws(IndexError) -> [NamedFile] {
    let manifest = index.generation.manifest
    var files: [NamedFile] = shards.map { unsafe ($0.source.fileName, $0.file.size, Array($0.digest)) }
    files += try manifest.sidePages().map { ($0.fileName, $0.fileSize, $0.digest) }
    // The file of the entries comes before them: damage there hides them.
    if let head = try manifest.entriesHead() { files.append((head.fileName, head.fileSize, head.digest)) }
    return files + (try entries?.namedFiles() ?? [])
  }
}
