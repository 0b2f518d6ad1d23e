import Glibc
import ShardedIndex

/// A process that answers ranked queries with the library, linked as a user's program is.
///
///     ranked INDEX PREFIXES CACHE_LIMIT_BYTES ROUNDS LIMIT
///
/// searches for every line of PREFIXES, ROUNDS times over; with a limit of 0 bytes nothing stays in the cache. For each
/// line it prints the median time in nanoseconds, the shards and the parts that the search opened, and the position of
/// each hit in the index.
@main
enum Ranked {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 6, let limit = Int(arguments[3]), let rounds = Int(arguments[4]),
      let count = Int(arguments[5]), let file = fopen(arguments[2], "r")
    else { exit(64) }
    var lines: [String] = []
    while let line = readLine(of: file) { lines.append(line) }
    let index = try ShardedIndex(opening: arguments[1], options: .init(cacheLimitBytes: limit))
    var times = [[UInt64]](repeating: [], count: lines.count)
    for _ in 0..<max(1, rounds) {
      for (number, line) in lines.enumerated() {
        let start = now()
        let answer = try index.search(line, limit: count)
        times[number].append(now() - start)
        withExtendedLifetime(answer) {}
      }
    }
    for (number, line) in lines.enumerated() {
      let answer = try index.search(line, limit: count)
      let opened = answer.certificate
      print(
        times[number].sorted()[times[number].count / 2], opened.shardsOpened, opened.partsOpened,
        answer.hits.map { String($0.rank.position) }.joined(separator: ","), separator: "\t")
    }
  }

  private static func readLine(of file: UnsafeMutablePointer<FILE>) -> String? {
    var (text, capacity): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
    defer { free(text) }
    let size = getline(&text, &capacity, file)
    guard size >= 0, let text else { return nil }
    let bytes = UnsafeRawBufferPointer(start: text, count: size)
    return String(decoding: bytes.last == 0x0a ? bytes.dropLast() : bytes[...], as: UTF8.self)
  }

  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
