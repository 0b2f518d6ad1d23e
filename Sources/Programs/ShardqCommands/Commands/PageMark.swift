#if CommandLineTool
  import QueryOutput
  import ShardBuilder

  import CLibrary

  /// The mark of a folder that `shardq page` wrote: a file with the SHA-256 and the name of each other file.
  ///
  /// The command replaces a folder only if each file there is as the command wrote it. The files of the index in the
  /// folder carry their own proof, because an update may have changed them.
  enum PageMark {
    static let name = ".shardq-page"
    private static let firstLine = "written by shardq page"
    private static let index = "index"

    /// Writes the mark of a folder.
    ///
    /// - Parameter shown: The path of the folder for messages.
    static func write(in folder: String, shown: String) throws(CommandFailure) {
      var text = firstLine + "\n"
      for file in files(in: folder) ?? [] where file != index {
        guard let digest = OwnFile.digest(ofFileAt: folder + "/" + file) else {
          throw .cannotWrite("\(shown)/\(file)", errno)
        }
        text += digest + "  " + file + "\n"
      }
      try writeFile(Array(text.utf8), to: "\(folder)/\(name)", O_EXCL, shown: "\(shown)/\(name)")
    }

    /// Throws unless the path is free, an empty directory, or a folder of the command with no other files.
    static func check(_ path: String) throws {
      var status = stat()
      if lstat(path, &status) != 0 { return }
      guard status.st_mode & S_IFMT == S_IFDIR, let files = files(in: path) else {
        throw PackError.exists(path: path)
      }
      if files.isEmpty { return }
      guard files.contains(name), let lines = lines(of: path) else { throw PackError.exists(path: path) }
      for file in files where file != name {
        let isOurs =
          file == index
          ? OwnFile.isDirectory(path + "/" + index)
          : OwnFile.digest(ofFileAt: path + "/" + file).map { lines.contains($0 + "  " + file) } ?? false
        guard isOurs else {
          throw CommandFailure(
            status: .badData,
            message: "\(printable(path))/\(printable(file)) is not as shardq page wrote it; "
              + "move it elsewhere, or name another folder")
        }
      }
    }

    private static func lines(of path: String) -> Set<String>? {
      let file = open("\(path)/\(name)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      // The most files of a folder take a quarter of this.
      var bytes = [UInt8](repeating: 0, count: 64 << 10)
      let count = read(file, &bytes, bytes.count)
      guard count > 0 else { return nil }
      let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
      return lines.first == firstLine ? Set(lines) : nil
    }

    private static func files(in folder: String) -> [String]? {
      guard let stream = opendir(folder) else { return nil }
      defer { closedir(stream) }
      var names: [String] = []
      while let entry = readdir(stream) {
        // A name that is not UTF-8 is no name of the command.
        let name = fileName(of: &entry.pointee) ?? "?"
        if name != ".", name != ".." { names.append(name) }
      }
      return names.sorted()
    }
  }
#endif
