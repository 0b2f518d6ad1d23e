import CLibrary
import QueryOutput

/// The executables of other command lines than plain queries.
enum Commands {
  /// The executable that knows the whole command line.
  static let name = "shardq-commands"

  /// Becomes an executable, arguments unchanged, so that the user sees one command.
  ///
  /// - Parameter isFar: Whether the command needs another machine. If `shardq-remote` is not installed, the other
  ///   executable prints the command's help, or says which package is missing.
  static func run(_ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, isFar: Bool = false) -> Never {
    let started = arguments[0].map { String(cString: $0) } ?? ""
    guard let own = InstalledProgram.ownPath(startedAs: started) else {
      fail("cannot find the directory of shardq, which has " + name + "; start shardq by its full path")
    }
    let directory = InstalledProgram.directory(of: own)
    var refused: (path: String, errno: CInt)?
    for path in ((isFar ? ["shardq-remote"] : []) + [name]).flatMap({
      InstalledProgram.paths(of: $0, beside: directory)
    }) {
      execv(path, arguments)  // Returns only where it fails.
      if errno != ENOENT, errno != ENOTDIR { refused = refused ?? (path, errno) }
    }
    if let refused { fail("cannot run " + refused.path + ": " + String(cString: strerror(refused.errno))) }
    fail(
      name + " is missing in " + (directory.isEmpty ? "/" : directory)
        + "; install it, since this command needs it and only queries do not")
  }

  private static func fail(_ message: String) -> Never {
    Diagnostics.report(message)
    _exit(ExitStatus.notFound.rawValue)
  }
}
