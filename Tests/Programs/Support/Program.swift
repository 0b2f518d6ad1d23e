import CLibrary
import TestSupport

/// The real programs, run as a shell would.
enum Program {
  /// The directory of `shardq` and `shardq-commands`: `$SHARDQ_BIN`, else that of the test bundle; nil if they are
  /// missing.
  static let directory: String? = {
    if let set = getenv("SHARDQ_BIN") { return String(cString: set) }
    var path = CommandLine.arguments.first ?? ""
    #if os(Linux)
      if let real = realpath("/proc/self/exe", nil) {
        path = String(cString: real)
        free(real)
      }
    #endif
    var parts = path.split(separator: "/", omittingEmptySubsequences: false)
    while parts.count > 1 {
      parts.removeLast()
      let directory = parts.joined(separator: "/")
      if access(directory + "/shardq", X_OK) == 0, access(directory + "/shardq-commands", X_OK) == 0 {
        return directory
      }
    }
    return nil
  }()

  #if CommandLineTool
    static let isThere = directory != nil
  #else
    static let isThere = false
  #endif

  static let absence: String =
    "skipped: shardq and shardq-commands, built with --traits CommandLineTool, are neither in $SHARDQ_BIN nor beside the tests"

  struct Result: Equatable {
    /// The status as a shell shows it: 128 plus the signal's number if a signal ended the program.
    var status: Int
    var output: String
    var error: String
  }

  /// Runs `shardq`, or another program, to its end; its environment has the given variables alone.
  static func run(
    _ arguments: [String], input: String = "", index: String? = nil, output: String? = nil,
    program: String? = nil, variables: [String] = []
  ) -> Result {
    let scratch = TemporaryDirectory()
    scratch.write(input, to: "in")
    let path = program ?? directory! + "/shardq"
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, scratch.path + "/in", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output ?? scratch.path + "/out", O_WRONLY | O_CREAT, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, scratch.path + "/err", O_WRONLY | O_CREAT, 0o600)
    // The threads of tests may block signals, and their child processes would inherit the mask.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments: [UnsafeMutablePointer<CChar>?] = (["shardq"] + arguments).map { strdup($0) } + [nil]
    let variables = variables + (index.map { ["SHARDQ_INDEX=" + $0] } ?? [])
    var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
    defer {
      for argument in arguments { free(argument) }
      for variable in environment { free(variable) }
    }
    var process: pid_t = 0
    // A program that was just written is busy until each process that another test started meanwhile has closed the
    // files that it inherited.
    var started = ETXTBSY
    for _ in 0..<500 where started == ETXTBSY {
      started = posix_spawn(&process, path, &actions, &attributes, &arguments, &environment)
      if started == ETXTBSY { usleep(10_000) }
    }
    guard started == 0 else {
      return Result(status: -1, output: "", error: "cannot start " + path)
    }
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let isExit = status & 0x7f == 0
    return Result(
      status: Int(isExit ? status >> 8 & 0xff : 128 + status & 0x7f), output: scratch.read("out"),
      error: scratch.read("err"))
  }
}
