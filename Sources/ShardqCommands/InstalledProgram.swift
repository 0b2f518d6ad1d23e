#if CommandLineTool
  import QueryOutput

  import CSystem

  /// Why a command cannot go on, and with which status it ends.
  struct CommandFailure: Error {
    var status: ExitStatus
    var message: String
  }

  /// The programs that are installed with this one.
  enum InstalledProgram {
    /// The path of this program with links resolved.
    static func ownPath() throws(CommandFailure) -> String {
      var own = CommandLine.arguments.first ?? ""
      #if os(Linux)
        own = "/proc/self/exe"
      #endif
      guard let real = realpath(own, nil) else {
        throw CommandFailure(
          status: .notFound, message: "cannot find out where shardq is installed")
      }
      defer { free(real) }
      return String(cString: real)
    }

    /// A program beside this one, or where an installation puts it.
    ///
    /// - Parameter hint: What to do where it is not there.
    static func path(_ name: String, hint: String = "Scripts/build.sh makes it") throws(CommandFailure) -> String {
      let directory = try ownPath().split(separator: "/").dropLast().map { "/" + $0 }.joined()
      let places = [directory + "/" + name, directory + "/../libexec/shardq/" + name]
      guard let path = places.first(where: { access($0, X_OK) == 0 }) else {
        throw CommandFailure(
          status: .notFound, message: "\(name) is missing: it belongs beside shardq-commands, in \(directory). \(hint)")
      }
      return path
    }
  }
#endif
