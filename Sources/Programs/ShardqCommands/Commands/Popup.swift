#if CommandLineTool
  import Answers
  import QueryOutput

  import CLibrary

  /// The list in a popup of tmux: a process of its own, whose output this one prints.
  struct Popup {
    private let place: PopupPlace

    /// nil outside tmux, where the list is drawn as usual.
    init?(_ place: PopupPlace) {
      guard EnvironmentVariable.value("TMUX") != nil else { return nil }
      self.place = place
    }

    /// The variables that the list in the popup has of this process: tmux starts it with the server's.
    private static let variables = [
      "HOME", "PATH", "LANG", "LC_ALL", "LC_CTYPE", "NO_COLOR", "CLICOLOR_FORCE", "ESCDELAY", "XDG_CONFIG_HOME",
      "XDG_DATA_HOME", "SHARDQ_INDEX", "SHARDQ_OPTS", "SHARDQ_UI_OPTS", "SHARDQ_CONFIG",
    ]

    /// Runs `shardq ui` with these arguments, prints its output, and returns its status.
    func run(_ arguments: [String]) -> ExitStatus {
      guard let own = InstalledProgram.ownPath(startedAs: CommandLine.arguments[0]),
        let directory = Self.temporaryDirectory()
      else {
        Diagnostics.report("cannot make a temporary directory: \(String(cString: strerror(errno))); set TMPDIR")
        return .inputOutput
      }
      defer {
        for file in ["output", "errors", "status"] { unlink(directory + "/" + file) }
        rmdir(directory)
      }
      var line = ["tmux", "display-popup", "-E"] + place.arguments
      if let current = getcwd(nil, 0) {
        line += ["-d", String(cString: current)]
        free(current)
      }
      for name in Self.variables {
        if let value = EnvironmentVariable.value(name) { line += ["-e", name + "=" + value] }
      }
      // Outside tmux, as far as the list knows: else it would open the next popup.
      let script = #"unset TMUX; p=$1; d=$2; shift 2; "$p" "$@" >"$d/output" 2>"$d/errors"; echo $? >"$d/status""#
      let ended = Self.wait(for: line + ["sh", "-c", script, "sh", own, directory] + arguments)
      var said: [UInt8] = []
      Self.read(directory + "/status") { said += $0 }
      guard let status = CInt(String(decoding: said.prefix { $0 >= 0x30 }, as: UTF8.self)) else {
        if ended == 0 { return .cancelled }
        Diagnostics.report(
          ended == 127
            ? "tmux is not installed; leave out --tmux"
            : "tmux opened no popup; use tmux 3.3 or newer, or leave out --tmux")
        return .usage
      }
      return Self.relay(directory) ?? ExitStatus(rawValue: status) ?? .cancelled
    }

    private static func temporaryDirectory() -> String? {
      var template = Array(((EnvironmentVariable.value("TMPDIR") ?? "/tmp") + "/shardq-popup.XXXXXX").utf8CString)
      guard mkdtemp(&template) != nil else { return nil }
      return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Runs a program of the search path; returns its status, 127 where it cannot be started.
    private static func wait(for line: [String]) -> CInt {
      let names = variables + ["TMUX", "TMUX_PANE", "TMUX_TMPDIR", "TERM"]
      let environment = names.compactMap { name in EnvironmentVariable.value(name).map { name + "=" + $0 } }
      var process: pid_t = 0
      let code = withCStrings(line) { words in
        withCStrings(environment) { posix_spawnp(&process, line[0], nil, nil, &words, &$0) }
      }
      guard code == 0 else { return 127 }
      var status: CInt = 0
      while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return 127 } }
      return status & 0x7f == 0 ? status >> 8 & 0xff : 1
    }

    /// Prints the output of the list; returns the status of a write that failed.
    private static func relay(_ directory: String) -> ExitStatus? {
      do throws(WriteError) {
        var errors = Output(STDERR_FILENO)
        try copy(directory + "/errors", to: &errors)
        var output = Output()
        try copy(directory + "/output", to: &output)
        return nil
      } catch {
        return Diagnostics.failed(error)
      }
    }

    private static func copy(_ path: String, to output: inout Output) throws(WriteError) {
      var failure: WriteError?
      read(path) { bytes in
        do throws(WriteError) { if failure == nil { try output.write(bytes) } } catch { failure = error }
      }
      if let failure { throw failure }
      try output.flush()
    }

    private static func read(_ path: String, _ body: ([UInt8]) -> Void) {
      let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
      guard file >= 0 else { return }
      defer { close(file) }
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let size = CLibrary.read(file, &chunk, chunk.count)
        if size < 0, errno == EINTR { continue }
        guard size > 0 else { return }
        body(Array(chunk[..<size]))
      }
    }
  }
#endif
