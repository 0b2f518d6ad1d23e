import Glibc

/// A rival that is a program of its own, `rivals/driver.c`: what it is called and what it can do.
struct RivalKind {
  let name: String
  let label: String
  /// Whether it has a cache of its own that can be limited; what the others read lies in the system's.
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

  /// shardq itself, in a process that holds nothing else either: `resident`.
  static let own = RivalKind(name: "shardq", label: "shardq")

  var program: String { name + "_query" }
}

/// A rival's process, which answers all prefixes at a time and takes the times itself.
final class Rival: Answers {
  private let process: pid_t
  private let orders: CInt
  private let results: CInt
  private let count: Int
  private let label: String
  private var answers: [[UInt8]: (count: Int, texts: [[String]])] = [:]

  /// - Parameters:
  ///   - prefixes: The file that it answers the lines of, so many.
  ///   - cacheLimitBytes: 0 for none.
  init(
    _ kind: RivalKind, program: String, database: String, prefixes: String, count: Int, cacheLimitBytes: Int
  ) {
    label = kind.label
    self.count = count
    var (down, up): ([CInt], [CInt]) = ([0, 0], [0, 0])
    guard pipe(&down) == 0, pipe(&up) == 0 else { stop("no pipe") }
    // No other rival holds an end.
    for end in down + up { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, down[0], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, up[1], STDOUT_FILENO)
    let command = [program, database, "--serve", prefixes, "\(cacheLimitBytes)"]
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    let error = posix_spawn(&child, program, &actions, nil, &arguments, environ)
    guard error == 0 else { stop("cannot run \(program): \(String(cString: strerror(error)))") }
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

  /// Has all prefixes answered (`f`) or counted (`c`), each timed by itself.
  func pass(_ order: Character) -> Timing.Pass {
    { [self] _, times in
      send(order)
      var taken = [UInt32](repeating: 0, count: count)
      taken.withUnsafeMutableBytes { bytes in
        var done = 0
        while done < bytes.count {
          let got = read(results, bytes.baseAddress! + done, bytes.count - done)
          guard got > 0 else { stop("\(label) ended") }
          done += got
        }
      }
      for number in 0..<count { times[number] = Int(taken[number]) }
    }
  }

  private func send(_ order: Character) {
    var byte = order.asciiValue!
    // One that has ended is told by what cannot be read.
    signal(SIGPIPE, SIG_IGN)
    _ = write(orders, &byte, 1)
  }

  /// Reads what it answers to all prefixes.
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
