#if CommandLineTool
  import CLibrary

  /// A temporary directory for the files of one `footprint`.
  struct ScratchDirectory {
    let path: String

    init?() {
      let base = getenv("TMPDIR").flatMap { $0[0] == 0 ? nil : String(cString: $0) } ?? "/tmp"
      var template = Array((base + "/shardq-footprint.XXXXXX").utf8CString)
      guard mkdtemp(&template) != nil else { return nil }
      path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func remove() {
      for directory in [path + "/index", path] {
        for file in CachedFiles.names(in: directory) { unlink(file) }
        unlink(directory + "/.lock")
        rmdir(directory)
      }
    }
  }
#endif
