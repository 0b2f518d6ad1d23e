#if CommandLineTool
  import Answers
  import CLibrary
  import Footprint
  import QueryOutput
  import ShardedIndex

  /// The reason why a command ends early, and its exit status.
  struct CommandFailure: Error {
    var status: ExitStatus
    var message: String
  }

  extension CommandFailure {
    init(_ error: IndexError) {
      self.init(status: QueryRunner.exitStatus(of: error), message: error.commandMessage)
    }

    init(_ error: QueryLogError) { self.init(status: error.status, message: error.description) }

    static func cannotWrite(_ path: String, _ code: CInt) -> CommandFailure {
      CommandFailure(status: .inputOutput, message: "cannot write \(path): \(String(cString: strerror(code)))")
    }
  }

  extension InstalledProgram {
    /// Returns the path of this program with links resolved.
    static func ownPath() throws(CommandFailure) -> String {
      guard let path = ownPath(startedAs: CommandLine.arguments.first ?? "") else {
        throw CommandFailure(
          status: .notFound, message: "cannot find the directory of shardq; start shardq by its full path")
      }
      return path
    }

    /// Returns the path of another program of this installation.
    ///
    /// - Parameter hint: The advice for an installation that lacks it.
    static func path(_ name: String, hint: String = "Scripts/build.sh makes it") throws(CommandFailure) -> String {
      let directory = directory(of: try ownPath())
      guard let path = paths(of: name, beside: directory).first(where: { access($0, X_OK) == 0 }) else {
        throw CommandFailure(
          status: .notFound, message: "\(name) is missing in \(directory); \(hint)")
      }
      return path
    }
  }

  /// Writes a file.
  ///
  /// - Parameters:
  ///   - flags: `O_TRUNC` to replace a file at the path, `O_EXCL` to refuse one.
  ///   - shown: The path for messages.
  func writeFile(_ bytes: [UInt8], to path: String, _ flags: CInt, shown: String) throws(CommandFailure) {
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0o644)
    guard file >= 0 else { throw .cannotWrite(shown, errno) }
    defer { close(file) }
    var output = Output(file)
    do throws(WriteError) {
      try output.write(bytes)
      try output.flush()
    } catch {
      throw .cannotWrite(shown, error.errno)
    }
  }
#endif
