import TestSupport

#if os(Linux)
  import Glibc
  import ShardBuilder
  import ShardedIndex
  import Testing

  /// Each test has a process of its own, in which no other test takes memory or opens files.
  @Suite("Memory and descriptors of a reader") struct FootprintTests {
    /// Bytes that are allocated now, as the allocator counts them.
    private static var heapBytes: Int {
      // The allocator counts freed pieces that it keeps for a thread as allocated: 7 or 16 pieces of each of 64 sizes.
      // The test takes these pieces, so that each count is the same.
      let kept = (0..<64).flatMap { size in (0..<16).map { _ in malloc(24 + 16 * size) } }
      defer { kept.forEach { free($0) } }
      // The module lacks the header of this function.
      typealias Describe = @convention(c) (CInt, UnsafeMutablePointer<FILE>) -> CInt
      let describe = unsafeBitCast(dlsym(nil, "malloc_info"), to: Describe.self)
      var text: UnsafeMutablePointer<CChar>? = nil
      var size = 0
      let file = open_memstream(&text, &size)!
      _ = describe(0, file)
      fclose(file)
      defer { free(text) }
      let lines = String(cString: text!).split(separator: "\n")
      /// The last line of a kind is that of the whole process.
      func value(_ kind: String) -> Int {
        let line = lines.last { $0.hasPrefix("<" + kind) }!
        return Int(line.split(separator: "size=\"")[1].prefix { $0 != "\"" })!
      }
      return value("system type=\"current\"") - value("total type=\"fast\"") - value("total type=\"rest\"")
        + value("total type=\"mmap\"")
    }

    /// The anonymous memory of the process, in bytes.
    private static var anonymousBytes: Int {
      let file = fopen("/proc/self/status", "r")!
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 16384)
      let count = fread(&bytes, 1, bytes.count, file)
      let line = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        .first { $0.hasPrefix("RssAnon:") }!
      return Int(line.split(separator: " ").dropFirst().first!)! << 10
    }

    private static func build(count: Int) throws -> (path: String, keys: [String]) {
      let directory = TemporaryDirectory.untilExit()
      let text = GeneratedList.bytes(count: count, seed: 3, format: .jsonl)
      Files.write(text, to: directory + "/list.jsonl")
      var options = BuildOptions()
      (options.key, options.level) = ("{name}, {country}", 1)
      _ = try ShardBuilder.build([directory + "/list.jsonl"], into: directory + "/index", options: options)
      let index = try ShardedIndex(opening: directory + "/index")
      let keys = try stride(from: 0, to: count, by: 37).map { position in
        try index.matches(forPrefix: "").records(in: position..<position + 1)[0].key
      }
      return (directory + "/index", keys)
    }

    /// Asks for beginnings of keys and reads the first 20 matches of each.
    private static func ask(
      _ index: ShardedIndex, _ keys: [String], times: Int, _ random: inout SplitMix64, _ buffer: RecordBuffer
    ) throws {
      for _ in 0..<times {
        let key = keys[Int(random.next() % UInt64(keys.count))]
        let prefix = key.prefix(1 + Int(random.next() % UInt64(key.count)))
        try index.matches(forPrefix: String(prefix)).read(0..<20, into: buffer)
      }
    }

    @Test("the cache fills its limit, and its charge is its share of the heap, each within 5 %")
    func cache() async {
      await #expect(processExitsWith: .success) {
        let (path, keys) = try Self.build(count: 200_000)
        let buffer = RecordBuffer()
        var random = SplitMix64(seed: 1)
        func heap(limit: Int) throws -> (resident: Int, heap: Int) {
          let index = try ShardedIndex(opening: path, options: .init(cacheLimitBytes: limit))
          try Self.ask(index, keys, times: 20_000, &random, buffer)
          let (resident, full) = (index.statistics.residentBytes, Self.heapBytes)
          index.removeResidentShards()
          return (resident, full - Self.heapBytes)
        }
        // Removing the shards frees the memory for decompressing too.
        let other = try heap(limit: 0).heap
        for limit in [1 << 20, 2 << 20, 4 << 20] {
          let (resident, full) = try heap(limit: limit)
          let share = Double(full - other) / Double(resident)
          #expect(resident <= limit && resident * 100 >= limit * 95)
          #expect(share > 0.95 && share < 1.05, "\(limit): \(share)")
        }
      }
    }

    @Test("a million random queries grow the process by less than a megabyte")
    func million() async {
      await #expect(processExitsWith: .success) {
        let (path, keys) = try Self.build(count: 200_000)
        let buffer = RecordBuffer()
        var random = SplitMix64(seed: 2)
        let index = try ShardedIndex(opening: path, options: .init(cacheLimitBytes: 3 << 20))
        try Self.ask(index, keys, times: 100_000, &random, buffer)
        let before = Self.anonymousBytes
        try Self.ask(index, keys, times: 1_000_000, &random, buffer)
        let grown = Self.anonymousBytes - before
        #expect(grown < 1_000_000 && index.statistics.evictions > 10_000)
      }
    }

    @Test("eight threads that load and reload all the time need at most 32 descriptors")
    func descriptors() async {
      await #expect(processExitsWith: .success) {
        let (path, keys) = try Self.build(count: 20_000)
        var limit = rlimit(rlim_cur: 32, rlim_max: 32)
        #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        let index = try ShardedIndex(opening: path, options: .init(cacheLimitBytes: 0, reloadInterval: .zero))
        let failures = Atomic(0)
        let manifest = Files.read(path + "/manifest")!
        WorkerPool.forEach(8, threads: 8) { thread in
          let buffer = RecordBuffer()
          var random = SplitMix64(seed: UInt64(thread))
          do {
            for _ in 0..<20 {
              try Self.ask(index, keys, times: 100, &random, buffer)
              guard thread == 0 else { continue }
              // A manifest in another file must be opened, even if its content is the same.
              Files.write(manifest, to: path + "/.new")
              Files.move(path + "/.new", to: path + "/manifest")
            }
          } catch {
            print(error)
            failures.add(1, ordering: .relaxed)
          }
        }
        #expect(failures.load(ordering: .relaxed) == 0)
        // The system enforces the limit.
        var files: [CInt] = []
        while case let file = open(path + "/manifest", O_RDONLY), file >= 0 { files.append(file) }
        #expect(errno == EMFILE && files.count < 32)
        // The index closes a kept file to open another; an index without an open file cannot answer.
        var random = SplitMix64(seed: 9)
        try Self.ask(index, keys, times: 100, &random, RecordBuffer())
        index.removeResidentShards()
        while case let file = open(path + "/manifest", O_RDONLY), file >= 0 { files.append(file) }
        #expect(errno == EMFILE)
        #expect(throws: IndexError.self) { try Self.ask(index, keys, times: 100, &random, RecordBuffer()) }
        for file in files { close(file) }
        try Self.ask(index, keys, times: 100, &random, RecordBuffer())
      }
    }
  }
#endif
