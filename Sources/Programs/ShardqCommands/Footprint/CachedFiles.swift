#if CommandLineTool
  import CLibrary

  /// Files and their pages in the system's cache, which decide the time of a first start.
  struct CachedFiles {
    /// Takes files out of the system's cache.
    ///
    /// A file that was just written lies there in pieces of up to 2 MiB. One touch of such an executable counts 2 MiB
    /// as resident, which it does not after a restart.
    func evict(_ paths: [String]) {
      #if os(Linux)
        for path in paths {
          let file = open(path, O_RDONLY | O_CLOEXEC)
          guard file >= 0 else { continue }
          fsync(file)
          posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
          close(file)
        }
      #endif
    }

    /// Brings files to the system's cache.
    ///
    /// A design that loads everything does so at its first start. One that does not would otherwise be measured with
    /// the disk in its answers.
    func read(_ paths: [String]) {
      withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
        for path in paths {
          let file = open(path, O_RDONLY | O_CLOEXEC)
          guard file >= 0 else { continue }
          while CLibrary.read(file, buffer.baseAddress!, buffer.count) > 0 {}
          close(file)
        }
      }
    }

    /// The paths of a directory's files, those whose names begin with a dot aside.
    static func names(in directory: String) -> [String] {
      guard let stream = opendir(directory) else { return [] }
      defer { closedir(stream) }
      var paths: [String] = []
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
            String(cString: $0)
          }
        }
        if !name.hasPrefix(".") { paths.append(directory + "/" + name) }
      }
      return paths
    }

    /// The size of a file in bytes; 0 where there is none.
    static func size(of path: String) -> Int {
      var status = stat()
      return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
  }
#endif
