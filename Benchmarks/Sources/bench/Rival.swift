import Glibc

/// A rival, which is a program of its own (`rivals/driver.c`): its name and its abilities.
struct RivalKind {
  let name: String
  let label: String
  /// Whether it has a cache of its own that can be limited; the others rely on the system's.
  var hasCacheLimit = false
  /// Whether one record can be changed; otherwise a change is a build.
  var isChangeable = true
  /// Whether it counts by searching both ends and not by walking all matches.
  var countsByEnds = false

  static let all = [
    RivalKind(name: "lmdb", label: "LMDB"),
    RivalKind(name: "sqlite", label: "SQLite", hasCacheLimit: true),
    RivalKind(name: "fts5", label: "SQLite FTS5", hasCacheLimit: true),
    RivalKind(name: "fst", label: "fst", isChangeable: false, countsByEnds: true),
    RivalKind(name: "marisa", label: "marisa-trie", isChangeable: false),
    RivalKind(name: "rocksdb", label: "RocksDB, zstd", hasCacheLimit: true),
  ]

  var program: String { name + "_query" }
}

/// A rival's process, which answers all prefixes at once and takes the times itself.
final class Rival: Answers {
  private let process: pid_t
  private let orders: CInt
  private let results: CInt
  private let count: Int
  private let label: String
  private var answers: [[UInt8]: (count: Int, texts: [[String]])] = [:]

  /// - Parameters:
  ///   - prefixes: The file of the queries, one a line.
  ///   - cacheLimitBytes: The limit of its cache; 0 for none.
  ///   - group: The group that limits its memory.
  init(
    _ label: String, program: String, database: String, prefixes: String, count: Int, cacheLimitBytes: Int,
    group: MemoryGroup? = nil
  ) {
    self.label = label
    self.count = count
    var (down, up): ([CInt], [CInt]) = ([0, 0], [0, 0])
    guard pipe(&down) == 0, pipe(&up) == 0 else { stop("no pipe") }
    // No other rival holds an end of the pipes.
    for end in down + up { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, down[0], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, up[1], STDOUT_FILENO)
    var command = [program, database, "--serve", prefixes, "\(cacheLimitBytes)"]
    if let group { command = ["/bin/sh", "-c", "echo $$ > \"$0\" && exec \"$@\"", group.members] + command }
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    let error = posix_spawn(&child, command[0], &actions, nil, &arguments, environ)
    guard error == 0 else { stop("cannot run \(command[0]): \(String(cString: strerror(error)))") }
    process = child
    close(down[0])
    close(up[1])
    (orders, results) = (down[1], up[0])
  }

  deinit {
    close(orders)
    close(results)
    waitpid(process, nil, 0)
  }

  /// Answers (`f`) or counts (`c`) all prefixes, each timed by itself.
  func pass(_ order: Character) -> Timing.Pass {
    { [self] _, times in
      guard let taken = self.times(order, within: -1) else { stop("\(label) ended") }
      for number in 0..<count { times[number] = Int(taken[number]) }
    }
  }

  /// Returns the times of one pass in nanoseconds. Returns nil if the process ended, or was ended because it took more
  /// than so many milliseconds; -1 waits forever.
  func times(_ order: Character, within milliseconds: CInt) -> [UInt32]? {
    send(order)
    var taken = [UInt32](repeating: 0, count: count)
    let isWhole = taken.withUnsafeMutableBytes { bytes in
      var done = 0
      while done < bytes.count {
        var event = pollfd(fd: results, events: Int16(POLLIN), revents: 0)
        guard poll(&event, 1, milliseconds) == 1 else {
          kill(process, SIGKILL)
          return false
        }
        let got = read(results, bytes.baseAddress! + done, bytes.count - done)
        guard got > 0 else { return false }
        done += got
      }
      return true
    }
    return isWhole ? taken : nil
  }

  private func send(_ order: Character) {
    var byte = order.asciiValue!
    // A failing read tells that the process has ended.
    signal(SIGPIPE, SIG_IGN)
    _ = write(orders, &byte, 1)
  }

  /// Reads the answers to all prefixes.
  func readAnswers(_ prefixes: [Prefix]) {
    send("a")
    guard let stream = fdopen(dup(results), "r") else { stop("no stream") }
    defer { fclose(stream) }
    var (line, capacity): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
    defer { free(line) }
    func next() -> Substring {
      let size = getline(&line, &capacity, stream)
      guard size > 0, let line else { stop("\(label) ended") }
      return String(cString: line).dropLast()
    }
    for prefix in prefixes {
      let head = next().split(separator: " ").compactMap { Int($0) }
      guard head.count == 2 else { stop("\(label) does not answer") }
      let texts = (0..<head[1]).map { _ in
        next().split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      }
      answers[Array(prefix.folded)] = (head[0], texts)
    }
    _ = next()
  }

  func count(_ prefix: Prefix) -> Int { answers[Array(prefix.folded)]?.count ?? -1 }
  func texts(_ prefix: Prefix) -> [[String]] { answers[Array(prefix.folded)]?.texts ?? [] }
}
