import CLibrary

/// The executables that are installed together.
package enum InstalledProgram {
  /// Returns the path of the running executable with links resolved; nil if the system does not tell.
  ///
  /// - Parameter name: The name by which the executable was started: the first of its arguments.
  package static func ownPath(startedAs name: String) -> String? {
    #if os(Linux)
      if let path = resolved("/proc/self/exe") { return path }
    #elseif canImport(Darwin)
      var size: UInt32 = 0
      _ = unsafe _NSGetExecutablePath(nil, &size)
      var path = [CChar](repeating: 0, count: Int(size) + 1)
      if unsafe _NSGetExecutablePath(&path, &size) == 0, let path = unsafe resolved(String(cString: path)) {
        return path
      }
    #endif
    if name.utf8.contains(UInt8(ascii: "/")) { return resolved(name) }
    // A name without a directory names the first such executable in the search path.
    guard let search = unsafe getenv("PATH") else { return nil }
    for directory in unsafe String(cString: search).split(separator: ":", omittingEmptySubsequences: false) {
      let path = (directory.isEmpty ? "." : String(directory)) + "/" + name
      if unsafe access(path, X_OK) == 0 { return resolved(path) }
    }
    return nil
  }

  /// Returns the directory of an executable.
  package static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return String(path[..<slash])
  }

  /// Returns the paths at which to look for another executable, in order: beside this one, then in libexec.
  package static func paths(of name: String, beside directory: String) -> [String] {
    [directory + "/" + name, directory + "/../libexec/shardq/" + name]
  }

  private static func resolved(_ path: String) -> String? {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(validatingCString: real)
  }
}
