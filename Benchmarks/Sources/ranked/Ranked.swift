import Glibc
import ShardedIndex

/// A process that answers ranked queries with the library, linked as a user's program is.
///
///     ranked INDEX TEXTS CACHE_LIMIT_BYTES ROUNDS LIMIT
///
/// searches for every line of TEXTS, ROUNDS times over; with a limit of 0 bytes nothing stays in the cache. The first
/// line that it prints has the resident memory before the index is opened and the peak behind all searches, in KiB.
/// The others have, for each text, the median time in nanoseconds, the shards and the parts that the search opened,
/// and the weight and the key of each hit. Columns are separated by tabs.
@main
enum Ranked {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 6, let limit = Int(arguments[3]), let rounds = Int(arguments[4]),
      let count = Int(arguments[5]), let file = fopen(arguments[2], "r")
    else { exit(64) }
    var lines: [String] = []
    while let line = readLine(of: file) { lines.append(line) }
    var times = [[UInt64]](repeating: .init(repeating: 0, count: max(1, rounds)), count: lines.count)
    beginPeakAnew()
    let idle = memory("VmRSS:")
    let index = try ShardedIndex(opening: arguments[1], options: .init(cacheLimitBytes: limit))
    for round in 0..<max(1, rounds) {
      for (number, line) in lines.enumerated() {
        let start = now()
        let answer = try index.search(line, limit: count)
        times[number][round] = now() - start
        withExtendedLifetime(answer) {}
      }
    }
    print(idle, memory("VmHWM:"), separator: "\t")
    for (number, line) in lines.enumerated() {
      let answer = try index.search(line, limit: count)
      let opened = answer.certificate
      let hits = answer.map { "\t\($0.rank.weight) \($0.record.key)" }.joined()
      print(
        times[number].sorted()[times[number].count / 2], opened.shardsOpened, "\(opened.partsOpened)\(hits)",
        separator: "\t")
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

  private static func beginPeakAnew() {
    guard let file = fopen("/proc/self/clear_refs", "w") else { exit(74) }
    fputs("5", file)
    guard fclose(file) == 0 else { exit(74) }
  }

  /// Returns a figure of the kernel's about this process, in KiB.
  private static func memory(_ name: String) -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    while let line = readLine(of: file) {
      if line.hasPrefix(name) { return line.split(separator: " ").compactMap { Int($0) }.first ?? 0 }
    }
    return 0
  }

  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
