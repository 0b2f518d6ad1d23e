import Glibc
import ShardedIndex

/// What the engine keeps resident, in a process that does nothing else:
///
///     resident INDEX PREFIXES CACHE_LIMIT_BYTES
///
/// answers every line of PREFIXES (the first 20 matches, decoded) and prints resident and peak KiB, then the bytes
/// that the engine says its cache holds. Linked as the shipped executable is.
@main
enum Resident {
  static func main() {
    guard CommandLine.argc == 4, let limit = Int(String(cString: CommandLine.unsafeArgv[3]!)) else {
      exit(64)
    }
    let (index, prefixes) = (
      String(cString: CommandLine.unsafeArgv[1]!), String(cString: CommandLine.unsafeArgv[2]!)
    )
    do throws(IndexError) {
      let index = try ShardedIndex(opening: index, options: Options(cacheLimitBytes: limit))
      let file = open(prefixes, O_RDONLY | O_CLOEXEC)
      let size = Int(lseek(file, 0, SEEK_END))
      guard file >= 0, size > 0, let bytes = malloc(size), pread(file, bytes, size, 0) == size else {
        exit(66)
      }
      let lines = UnsafeBufferPointer(
        start: UnsafePointer(bytes.assumingMemoryBound(to: UInt8.self)), count: size)
      let buffer = RecordBuffer()
      var start = 0
      for end in lines.indices where lines[end] == 0x0a {
        try index.matches(forPrefix: UnsafeBufferPointer(rebasing: lines[start..<end])).read(
          0..<20, into: buffer)
        start = end + 1
      }
      free(bytes)
      let (resident, peak) = memory()
      print(resident, peak, index.statistics.residentBytes)
    } catch {
      print(error)
      exit(65)
    }
  }

  /// KiB, as the kernel counts them.
  private static func memory() -> (resident: Int, peak: Int) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 8192) { text in
      let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
      let size = read(file, text.baseAddress!, 8191)
      guard size > 0 else { return (0, 0) }
      text[size] = 0
      func value(_ name: String) -> Int {
        guard let line = strstr(text.baseAddress!, name) else { return 0 }
        return strtol(line + name.utf8.count, nil, 10)
      }
      return (value("VmRSS:"), value("VmHWM:"))
    }
  }
}
