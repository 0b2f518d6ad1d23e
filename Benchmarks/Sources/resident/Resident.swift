import CStartupToo
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
    var count: CInt = 0
    guard let arguments = startup_arguments(&count), count == 4, let path = arguments[1],
      let prefixes = arguments[2], let number = arguments[3]
    else { exit(64) }
    // By hand: the C library's way brings tables of the locale to memory.
    var limit = 0
    for digit in UnsafeBufferPointer(start: number, count: strlen(number)) {
      guard digit >= 0x30, digit <= 0x39, limit < 1 << 50 else { exit(64) }
      limit = limit * 10 + Int(digit - 0x30)
    }
    // In memory of its own that can be given back whole: a hole among what the engine allocates would count as resident.
    let file = open(prefixes, O_RDONLY | O_CLOEXEC)
    let size = Int(lseek(file, 0, SEEK_END))
    guard file >= 0, size > 0, let bytes = mmap(nil, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0),
      bytes != MAP_FAILED
    else { exit(66) }
    // So that a text of this program's names the index: making one at run time brings a piece of the standard library in.
    guard chdir(path) == 0 else { exit(66) }
    do throws(IndexError) {
      let index = try ShardedIndex(opening: ".", options: Options(cacheLimitBytes: limit))
      let lines = UnsafeBufferPointer(
        start: UnsafePointer(bytes.assumingMemoryBound(to: UInt8.self)), count: size)
      let buffer = RecordBuffer()
      var start = 0
      for end in lines.indices where lines[end] == 0x0a {
        try index.matches(forPrefix: UnsafeBufferPointer(rebasing: lines[start..<end])).read(
          0..<20, into: buffer)
        start = end + 1
      }
      munmap(bytes, size)
      let (resident, peak) = memory()
      print(resident, peak, index.statistics.residentBytes)
    } catch {
      print(error)
      exit(65)
    }
  }

  /// KiB, as the kernel counts them. Nothing here makes a text of Swift's: that would be counted as well.
  private static func memory() -> (resident: Int, peak: Int) {
    func value(_ name: StaticString, _ text: UnsafePointer<CChar>) -> Int {
      name.withUTF8Buffer { name in
        guard let line = strstr(text, UnsafeRawPointer(name.baseAddress!).assumingMemoryBound(to: CChar.self)) else {
          return 0
        }
        return strtol(line + name.count, nil, 10)
      }
    }
    let path: StaticString = "/proc/self/status"
    let file = open(UnsafeRawPointer(path.utf8Start).assumingMemoryBound(to: CChar.self), O_RDONLY | O_CLOEXEC)
    guard let text = malloc(8192)?.assumingMemoryBound(to: CChar.self) else { return (0, 0) }
    let size = read(file, text, 8191)
    guard size > 0 else { return (0, 0) }
    text[size] = 0
    return (value("VmRSS:", text), value("VmHWM:", text))
  }
}
