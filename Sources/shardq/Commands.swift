import CSystem
import QueryOutput

/// The executable that knows the whole command line.
enum Commands {
  static let name = "shardq-commands"

  /// Becomes that executable, arguments unchanged, so that the user sees one command.
  static func run(_ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Never {
    guard let own = ownPath(arguments[0]), let slash = own.lastIndex(of: UInt8(ascii: "/")) else {
      fail("cannot find out where it is installed, to look for " + name + " beside it")
    }
    let directory = String(decoding: own[..<slash], as: UTF8.self)
    let places = [directory + "/" + name, directory + "/../libexec/shardq/" + name]
    var refused: (path: String, errno: CInt)? = nil
    for path in places {
      execv(path, arguments)  // Returns only where it fails.
      if errno != ENOENT, errno != ENOTDIR { refused = refused ?? (path, errno) }
    }
    if let refused { fail("cannot run " + refused.path + ": " + String(cString: strerror(refused.errno))) }
    fail(
      name + " is missing: it belongs beside this program, in " + (directory.isEmpty ? "/" : directory)
        + ". Queries work without it; install it for everything else")
  }

  private static func fail(_ message: String) -> Never {
    Diagnostics.report(message)
    _exit(ExitStatus.notFound.rawValue)
  }

  /// The path of this program with links resolved.
  private static func ownPath(_ called: UnsafeMutablePointer<CChar>?) -> [UInt8]? {
    #if os(Linux)
      if let path = resolved("/proc/self/exe") { return path }
    #elseif canImport(Darwin)
      var size: UInt32 = 0
      _ = _NSGetExecutablePath(nil, &size)
      var path = [CChar](repeating: 0, count: Int(size) + 1)
      if _NSGetExecutablePath(&path, &size) == 0, let path = resolved(path) { return path }
    #endif
    guard let called else { return nil }
    if strchr(called, CInt(UInt8(ascii: "/"))) != nil { return resolved(called) }
    // Called by name: the first of that name in the search path.
    guard let search = getenv("PATH") else { return nil }
    for directory in String(cString: search).split(separator: ":", omittingEmptySubsequences: false) {
      let path = (directory.isEmpty ? "." : String(directory)) + "/" + String(cString: called)
      if access(path, X_OK) == 0 { return resolved(path) }
    }
    return nil
  }

  private static func resolved(_ path: UnsafePointer<CChar>) -> [UInt8]? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return Array(UnsafeBufferPointer(start: real, count: strlen(real))).map { UInt8(bitPattern: $0) }
  }
}
