import Glibc

/// Programs started and measured, all through `baseline/spawn`.
struct Programs {
  /// The directory of spawn and the other small programs.
  let directory: String
  let work: String

  struct Run {
    /// The time from spawn to wait.
    var nanoseconds: Int
    var peakKiB: Int
    var status: Int
    var printed: Int
  }

  func path(_ name: String) -> String { directory + "/" + name }
  func has(_ name: String) -> Bool { access(path(name), X_OK) == 0 }

  private var errors: String { work + "/errors" }
  /// The standard error of the last run.
  var said: String { String(decoding: Files.read(errors), as: UTF8.self) }

  /// Runs every command `rounds` times, in turn.
  ///
  /// - Returns: The runs of each command, and the peak of the program that started them, below which no peak can be
  ///   seen.
  func run(_ commands: [[String]], rounds: Int) -> (runs: [[Run]], floorKiB: Int) {
    Files.write(commands.map { $0.joined(separator: "\t") + "\n" }.joined(), to: work + "/spec")
    let output = work + "/runs"
    let status = Self.start([path("spawn"), "\(rounds)", work + "/spec", errors], output: output)
    guard status == 0 else { stop("spawn failed with status \(status)") }
    var runs = [[Run]](repeating: [], count: commands.count)
    var floor = 0
    for line in String(decoding: Files.read(output), as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      if words[0] == "self" {
        floor = Int(words[1])!
      } else {
        runs[Int(words[0])!].append(
          Run(
            nanoseconds: Int(words[1])!, peakKiB: Int(words[2])!, status: Int(words[3])!,
            printed: Int(words[4])!))
      }
    }
    return (runs, floor)
  }

  /// Runs one program with its standard output in a file, and returns its exit status.
  @discardableResult
  static func start(_ command: [String], output: String) -> Int {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    let error = posix_spawnp(&child, command[0], &actions, nil, &arguments, environ)
    guard error == 0 else { stop("cannot run \(command[0]): \(String(cString: strerror(error)))") }
    var status: CInt = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? Int(status >> 8 & 0xff) : 128 + Int(status & 0x7f)
  }

  /// Returns the numbers that a program prints.
  static func numbers(_ command: [String], work: String) -> [Int] {
    let output = work + "/printed"
    let status = start(command, output: output)
    let text = String(decoding: Files.read(output), as: UTF8.self)
    guard status == 0 else { stop("\(command[0]) failed with status \(status): \(text)") }
    return text.split(whereSeparator: { $0 == " " || $0 == "\n" }).compactMap { Int($0) }
  }
}
