import Glibc
import ShardedIndex

/// A process that answers queries with the library and does nothing else, linked as a user's program is.
///
///     resident INDEX PREFIXES CACHE_LIMIT_BYTES
///
/// answers every line of PREFIXES (the first 20 matches, decoded). It prints the resident memory and the private
/// dirty pages in KiB.
///
///     resident INDEX --serve PREFIXES CACHE_LIMIT_BYTES
///
/// reads commands from its standard input, as the rivals' programs do: at an `f` it answers every line, at a `c` it
/// counts. For each line it writes the nanoseconds, in 32 bits.
@main
enum Resident {
  static func main() {
    let (arguments, count) = (CommandLine.unsafeArgv, CommandLine.argc)
    guard count == 4 || count == 5, let path = arguments[1],
      let option = arguments[2], let prefixes = arguments[Int(count) - 2], let number = arguments[Int(count) - 1],
      count == 4 || strcmp(option, "--serve") == 0
    else { exit(64) }
    // Read digit by digit: the C library's functions bring tables of the locale to memory.
    var limit = 0
    for digit in UnsafeBufferPointer(start: number, count: strlen(number)) {
      guard digit >= 0x30, digit <= 0x39, limit < 1 << 50 else { exit(64) }
      limit = limit * 10 + Int(digit - 0x30)
    }
    // The prefixes are mapped, so that they can be given back whole: a hole in the heap would count as resident.
    let file = open(prefixes, O_RDONLY | O_CLOEXEC)
    let size = Int(lseek(file, 0, SEEK_END))
    guard file >= 0, size > 0, let bytes = mmap(nil, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0),
      bytes != MAP_FAILED
    else { exit(66) }
    // The index gets a constant name: making a text at run time brings a part of the standard library to memory.
    guard chdir(path) == 0 else { exit(66) }
    do throws(IndexError) {
      let index = try ShardedIndex(opening: ".", options: .init(cacheLimitBytes: limit))
      let lines = UnsafeBufferPointer(
        start: UnsafePointer(bytes.assumingMemoryBound(to: UInt8.self)), count: size)
      let buffer = RecordBuffer()
      if count == 5 { return try serve(lines, index, buffer) }
      var start = 0
      for end in lines.indices where lines[end] == 0x0a {
        let line = UnsafeBufferPointer(rebasing: lines[start..<end])
        try index.search(utf8: line, order: .key, limit: 20).read(0..<20, into: buffer)
        start = end + 1
      }
      munmap(bytes, size)
      let (resident, dirty) = withExtendedLifetime(index) { memory() }
      print(resident, dirty)
    } catch {
      print(error)
      exit(65)
    }
  }

  private static func serve(
    _ lines: UnsafeBufferPointer<UInt8>, _ index: ShardedIndex, _ buffer: RecordBuffer
  ) throws(IndexError) {
    @inline(__always) func now() -> UInt64 {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
    var count = 0
    for byte in lines where byte == 0x0a { count += 1 }
    let times = UnsafeMutablePointer<UInt32>.allocate(capacity: count)
    var order: UInt8 = 0
    while read(STDIN_FILENO, &order, 1) == 1 {
      var (start, number) = (0, 0)
      while number < count {
        let end = lines[start...].firstIndex(of: 0x0a)!
        let line = UnsafeBufferPointer(rebasing: lines[start..<end])
        let before = now()
        let isCount = order == UInt8(ascii: "c")
        let matches = try index.search(utf8: line, order: .key, limit: isCount ? .max : 20)
        if !isCount { try matches.read(0..<20, into: buffer) }
        times[number] = UInt32(truncatingIfNeeded: now() - before)
        (start, number) = (end + 1, number + 1)
      }
      var written = 0
      while written < 4 * count {
        let more = write(STDOUT_FILENO, UnsafeRawPointer(times) + written, 4 * count - written)
        guard more > 0 else { exit(74) }
        written += more
      }
    }
  }

  /// Returns the kernel's figures in KiB. No Swift text is made here, since it would be counted as well.
  private static func memory() -> (resident: Int, dirty: Int) {
    guard let text = malloc(8192)?.assumingMemoryBound(to: CChar.self) else { exit(74) }
    func load(_ path: StaticString) {
      let file = open(UnsafeRawPointer(path.utf8Start).assumingMemoryBound(to: CChar.self), O_RDONLY | O_CLOEXEC)
      let size = read(file, text, 8191)
      guard size > 0 else { exit(74) }
      close(file)
      text[size] = 0
    }
    func value(_ name: StaticString) -> Int {
      name.withUTF8Buffer { name in
        guard let line = strstr(text, UnsafeRawPointer(name.baseAddress!).assumingMemoryBound(to: CChar.self)) else {
          exit(74)
        }
        return strtol(line + name.count, nil, 10)
      }
    }
    load("/proc/self/status")
    let resident = value("VmRSS:")
    load("/proc/self/smaps_rollup")
    return (resident, value("Private_Dirty:"))
  }
}
