import CLibrary
import QueryOutput

/// The executable that knows the whole command line.
enum Commands {
  static let name = "shardq-commands"

  /// Becomes that executable, arguments unchanged, so that the user sees one command.
  static func run(_ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Never {
    let started = arguments[0].map { String(cString: $0) } ?? ""
    guard let own = InstalledProgram.ownPath(startedAs: started) else {
      fail("cannot find the directory of shardq, which has " + name + "; start shardq by its full path")
    }
    let directory = InstalledProgram.directory(of: own)
    var refused: (path: String, errno: CInt)?
    for path in InstalledProgram.paths(of: name, beside: directory) {
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
