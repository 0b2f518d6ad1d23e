#if CommandLineTool
  import Footprint
  import ShardBuilder
  import TestSupport
  import Testing

  import ShardqCommands

  import CLibrary

  @Suite("shardq footprint", .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
  struct FootprintTests {
    /// All designs but shardq; SQLite's only if `shardq-footprint` was built with SQLite.
    static let designs = Program.directory.map { directory in
      Program.run(["designs"], program: directory + "/shardq-footprint").output.split(separator: "\n").map {
        String($0)
      }
    }

    /// 3,000 made-up cities.
    private static let cities: String = {
      let directory = TemporaryDirectory()
      var generator = Generator(count: 3000, seed: 3, format: .jsonl)
      let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 16)
      defer { buffer.deallocate() }
      var bytes: [UInt8] = []
      while case let size = generator.fill(buffer), size > 0 { bytes += UnsafeBufferPointer(rebasing: buffer[..<size]) }
      directory.write(bytes, to: "cities.jsonl")
      var options = BuildOptions()
      options.key = "{name}, {country}"
      _ = try! ShardBuilder.build([directory.path + "/cities.jsonl"], into: directory.path + "/index", options: options)
      kept.append(directory)
      return directory.path + "/index"
    }()
    nonisolated(unsafe) private static var kept: [TemporaryDirectory] = []

    /// The value behind `"name":`, for each design.
    private static func values(_ name: String, in json: String) -> [String] {
      json.components(after: "\"\(name)\":").map { String($0.prefix { $0 != "," && $0 != "}" }) }
    }

    @Test("All designs answer cities as shardq does")
    func cities() {
      let result = Program.run(["footprint", "-i", Self.cities, "--typing", "400", "--format", "json"])
      #expect(result.status == 0, "\(result.error)")
      let answers = Self.values("answers", in: result.output)
      #expect(Set(answers).count == 1)
      #expect(
        Self.values("design", in: result.output).map { $0.filter { $0 != "\"" } }.sorted()
          == (["shardq"] + Self.designs!).sorted())
      for name in [
        "peak_resident_bytes", "private_bytes", "start_ns", "median_ns", "p99_ns", "minor_faults", "disk_bytes",
      ] {
        let values = Self.values(name, in: result.output).compactMap { Int($0) }
        #expect(values.count == answers.count && values.allSatisfy { $0 > 0 }, "\(name): \(values)")
      }
      #expect(Self.values("decompressed_bytes", in: result.output).count == 1)
    }

    #if os(Linux)
      /// Returns the number of pages of a directory's files that the system's cache lacks, after `change` on each file.
      private static func missingPages(in directory: String, _ change: (CInt) -> Void) -> Int {
        var missing = 0
        // No query reads the lock file, which has a mark in it.
        for name in Files.names(in: directory) where !name.hasPrefix(".") {
          let file = open(directory + "/" + name, O_RDONLY | O_CLOEXEC)
          defer { close(file) }
          change(file)
          let size = Int(lseek(file, 0, SEEK_END))
          guard size > 0, let bytes = mmap(nil, size, PROT_READ, MAP_SHARED, file, 0), bytes != MAP_FAILED else {
            continue
          }
          defer { munmap(bytes, size) }
          var pages = [UInt8](repeating: 0, count: (size + 4095) / 4096)
          #expect(mincore(bytes, size, &pages) == 0)
          missing += pages.count { $0 & 1 == 0 }
        }
        return missing
      }

      @Test("All measured files lie in the system's cache, not only the pages of the first answer")
      func readThrough() {
        let (index, log) = (TemporaryDirectory(), TemporaryDirectory())
        for name in Files.names(in: Self.cities) {
          index.write(Files.bytes(Self.cities + "/" + name), to: name)
        }
        log.write("0\tzz\n", to: "log")
        let evicted = Self.missingPages(in: index.path) { file in
          fsync(file)
          posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
        }
        // A file system in memory has no pages to compare.
        guard evicted > 0 else { return }
        let result = Program.run(["footprint", "-i", index.path, "--designs", "none", "--log", log.path + "/log"])
        #expect(result.status == 0, "\(result.error)")
        #expect(Self.missingPages(in: index.path) { _ in } == 0)
      }
    #endif

    /// Texts that a fold, a phrase of words or a dictionary of letters may get wrong.
    private static let queries = """
      dup
      Dup, fr
      dup , FR
      "
      '
      a"b
      ,

      \u{20}\u{20}
      alab
      alab\u{20}
      alab t
      bad\u{1b}[31m
      c
      comma,
      comma, inc
      comma inc
      line b
      l
      o
      ö
      o\u{308}s
      東
      東京, j
      京
      nothing like it
      한
      하
      ﬁ
      fi
      ก
      กิ
      z
      zz
      * OR a
      ^a NEAR
      """

    @Test("All designs answer records of every shape as shardq does")
    func shapes() throws {
      let small = try SmallIndex(
        SmallIndex.records + "\n" + #"""
          {"name":"한글","country":"KR","_id":9}
          {"name":"ﬁn \"quoted\" 'n","country":"","_id":10}
          {"name":"กิน","country":"TH","_id":null}
          {"name":"","country":"","_id":11,"extra":{"deep":[1,2,{"x":"y"}]}}
          {"name":"zz","country":"ZZ","_id":12345678901234567890123}
          {"name":"zz","country":"ZZ","_id":1.50}
          """#)
      let directory = TemporaryDirectory()
      directory.write(Self.queries + "\n", to: "log")
      let result = Program.run(["footprint", "-i", small.path, "--log", directory.path + "/log", "--format", "json"])
      #expect(result.status == 0, "\(result.error)")
      let answers = Self.values("answers", in: result.output)
      #expect(answers.count == Self.designs!.count + 1 && Set(answers).count == 1)
    }

    @Test(
      "All designs answer the city list as shardq does",
      .enabled(if: realCities != nil, "skipped: no real data at $SHARDQ_DATA"))
    func realList() throws {
      let result = Program.run(
        ["footprint", "--dataset", Self.realCities!, "--typing", "200", "--format", "json"])
      #expect(result.status == 0, "\(result.error)")
      #expect(Self.values("records", in: result.output) == ["209556"])
      let answers = Self.values("answers", in: result.output)
      #expect(answers.count == Self.designs!.count + 1 && Set(answers).count == 1)
    }

    private static let realCities: String? = getenv("SHARDQ_DATA").map { String(cString: $0) + "/cities.json.zst" }
      .flatMap { access($0, R_OK) == 0 ? $0 : nil }

    @Test("The comparison finds a design that differs in a field, an order or a count")
    func differences() throws {
      let directory = TemporaryDirectory()
      let (dataset, log) = (directory.path + "/dataset", directory.path + "/log")
      let own = Program.directory! + "/shardq-footprint"
      let exported = Program.run(["export", Self.cities, dataset], program: own)
      #expect(exported.output.contains("model cities\n"))
      // Letters that some keys begin with.
      directory.write("a\n\nb\nba\n\ns\n", to: "log")
      func answers(_ design: String = "scan") -> String? {
        let result = Program.run(["run", design, dataset, "cities", "5", log, "100"], program: own)
        return result.output.split(separator: "\n").last { $0.hasPrefix("answers ") }.map { String($0) }
      }
      let right = try #require(answers())
      let shardq = Program.run(["run", "shardq", Self.cities, "cities", "5", log, "100"], program: own)
      #expect(shardq.output.contains(right + "\n"))
      var lines = directory.read("dataset").split(separator: "\n").map { String($0) }
      let first = try #require(lines.firstIndex { $0.contains("\"name\":\"B") })
      func answers(changing change: (inout [String]) -> Void) -> String? {
        var changed = lines
        change(&changed)
        directory.write(changed.joined(separator: "\n"), to: "dataset")
        return answers()
      }
      let field = answers { $0[first].replace("\"_id\":", with: "\"_id\":1") }
      let order = answers { $0.swapAt(first, first + 1) }
      let count = answers { $0.remove(at: first) }
      for wrong in [field, order, count] { #expect(wrong != nil && wrong != right) }
      #expect(answers { _ in } == right)
      lines.removeLast()
      directory.write(lines.joined(separator: "\n"), to: "dataset")
      #expect(Program.run(["run", "scan", dataset, "cities", "5", log, "9"], program: own).status == 74)
    }

    @Test("The report says which limits are met and which are missed")
    func gates() {
      let log = TemporaryDirectory()
      log.write("a\nab\n", to: "log")
      let arguments = ["footprint", "-i", Self.cities, "--log", log.path + "/log", "--designs", "none"]
      let met = Program.run(arguments + ["--max-rss", "1G", "--max-start", "100000"])
      #expect(met.status == 0 && met.error == "" && met.output.contains("shardq, per key:"))
      let missed = Program.run(arguments + ["--max-rss", "4K", "--max-start", "0"])
      #expect(missed.status == 1 && missed.output == met.output || missed.output.contains("shardq"))
      let lines = missed.error.split(separator: "\n")
      #expect(lines.count == 2)
      #expect(lines[0].hasPrefix("shardq: --max-rss: ") && lines[0].hasSuffix(" bytes over the limit of 4,096 bytes"))
      #expect(lines[1].hasPrefix("shardq: --max-start: ") && lines[1].hasSuffix(" ms over the limit of 0.00 ms"))
      let json = Program.run(arguments + ["--max-rss", "4K", "--max-start", "1e5", "--format", "json"])
      #expect(json.status == 1 && Self.values("passed", in: json.output) == ["false", "true"])
    }

    @Test(
      "Wrong usage ends with 64",
      arguments: [
        ["--designs", "trie,hash"], ["--designs", ""], ["--log", "x", "--seed", "1"],
        ["--log", "x", "--typing", "9"], ["--typing", "0"], ["--key", "{a}"], ["--dataset", "x", "-i", "y"],
        ["--max-start", "soon"], ["--max-start", "-1"], ["--max-rss", "little"], ["--format", "text"], ["--svg="],
        ["here"],
      ])
    func usage(_ arguments: [String]) {
      let result = Program.run(["footprint"] + arguments, index: Self.cities)
      #expect(result.status == 64 && result.output == "" && result.error != "", "\(arguments): \(result)")
    }

    @Test("The error for an unreadable file says where and what")
    func badInput() throws {
      let directory = TemporaryDirectory()
      func run(_ arguments: [String]) -> Program.Result {
        Program.run(["footprint", "--designs", "none"] + arguments, index: Self.cities)
      }
      #expect(run(["-i", directory.path]).status == 66)
      let none = run(["--log", directory.path + "/none"])
      #expect(none.status == 66 && none.error.contains(directory.path + "/none"))
      #expect(run(["--log", directory.path]).status == 74)
      directory.write(Array("5\ta\n6\tb".utf8) + [0xff, 0x0a], to: "log")
      let bytes = run(["--log", directory.path + "/log"])
      #expect(bytes.status == 65 && bytes.error.contains("/log:2: the line is not valid UTF-8"))
      directory.write("soon\ta\n", to: "log")
      #expect(run(["--log", directory.path + "/log"]).error.contains("/log:1: the text before the tab"))
      directory.write("\n5\t\n", to: "log")
      let empty = run(["--log", directory.path + "/log"])
      #expect(empty.status == 65 && empty.error.contains("name a log with typed texts"))
      #expect(run(["--dataset", directory.path + "/none.json"]).status == 66)
      let blank = try SmallIndex(#"{"name":"","country":""}"#)
      #expect(run(["-i", blank.path, "--typing", "3"]).status == 0, "its key is a comma")
      directory.write("a\n", to: "log")
      let svg = run(["--log", directory.path + "/log", "--svg", directory.path + "/no/where.svg"])
      #expect(svg.status == 74 && svg.error.contains("/no/where.svg"))
      let full = Program.run(
        ["footprint", "--designs", "none", "--log", directory.path + "/log"], index: Self.cities, output: "/dev/full")
      #expect(full.status == 74)
    }

    @Test("A key too long for recursion leaves out the tries and says so")
    func longKeys() throws {
      let long = try SmallIndex(#"{"name":"\#(String(repeating: "long ", count: 400))","country":"x"}"#)
      let result = Program.run(["footprint", "-i", long.path, "--typing", "20"])
      #expect(result.status == 0, "\(result.error)")
      #expect(
        result.output.contains("Left out: trie: it cannot hold") && result.output.contains("Left out: packed-trie:"))
    }

    @Test("A damaged index ends with 65, whichever process reads the damage")
    func damage() throws {
      let directory = TemporaryDirectory()
      mkdir(directory.path + "/index", 0o755)
      let source = Files.names(in: Self.cities)
      for name in source {
        let file = Files.bytes(Self.cities + "/" + name)
        directory.write(name.hasSuffix(".zst") ? file.map { $0 ^ 0x10 } : file, to: "index/" + name)
      }
      directory.write("sa\n", to: "log")
      let result = Program.run(
        ["footprint", "-i", directory.path + "/index", "--log", directory.path + "/log", "--designs", "none"])
      #expect(result.status == 65 && result.error.contains(".zst"), "\(result)")
    }

    @Test("A signal ends the command and its child processes, and removes its files")
    func signal() {
      let directory = TemporaryDirectory()
      let script = """
        TMPDIR="$1" "$2/shardq" footprint -i "$3" --typing 3000000 &
        own=$!
        while ! ls "$1"/shardq-footprint.* >/dev/null 2>&1; do sleep 0.05; done
        sleep 0.3
        kill -TERM $own
        wait $own
        echo "status $?"
        ls "$1"
        pgrep -f "$1/shardq-footprint" | wc -l
        """
      let result = Program.run(
        ["-c", script, "sh", directory.path, Program.directory!, Self.cities], program: "/bin/sh")
      #expect(result.output.hasPrefix("status 143\n") && !result.output.contains("shardq-footprint."), "\(result)")
    }

    // MARK: Pictures

    private static func rows(_ residents: [(String, [Int])]) -> [FootprintRow] {
      residents.map { name, sizes in
        var row = FootprintRow(design: name)
        row.samples = sizes.enumerated().map { .init(keys: $0.offset + 1, resident: $0.element, privatePages: 0) }
        row.figures["peak_resident"] = sizes.max()! * 2
        return row
      }
    }

    @Test("The chart stays in its columns, names every design once, and is ASCII on request")
    func chart() {
      let many = Self.rows((0..<8).map { ("design\($0)", [5_000_000, 5_000_001 + $0]) })
      for rows in [
        many, Self.rows([("one", [1])]), Self.rows([("first", [3 << 30]), ("second", [1 << 20, 2 << 20])]),
      ] {
        for isUTF8 in [false, true] {
          let text = MemoryPlot(rows, keyCount: 2).text(isUTF8: isUTF8)
          #expect(isUTF8 || text.utf8.allSatisfy { $0 < 0x80 })
          #expect(text.split(separator: "\n").allSatisfy { $0.count <= 90 })
          for row in rows { #expect(text.components(after: " " + row.design + "\n").count == 1, "\(text)") }
        }
      }
    }

    @Test("The picture has a line for each design and closes every element")
    func picture() {
      let rows = Self.rows([("shardq", [5_000_000, 6_000_000]), ("trie", [200_000_000, 201_000_000])])
      let svg = MemoryPlot(rows, keyCount: 2).svg
      #expect(svg.hasPrefix("<svg xmlns=") && svg.hasSuffix("</svg>\n"))
      #expect(svg.components(after: "<polyline ").count == 2 && svg.contains("prefers-color-scheme: dark"))
      var open: [Substring] = []
      for tag in svg.components(after: "<") {
        let text = tag.prefix { $0 != ">" }
        if text.hasSuffix("/") { continue }
        let name = text.prefix { $0 != " " }
        if name.hasPrefix("/") { #expect(open.popLast() == name.dropFirst()) } else { open.append(name) }
      }
      #expect(open.isEmpty)
    }

    @Test("Quantiles differ from exact ones by at most a hundredth")
    func histogram() {
      var histogram = TimeHistogram()
      #expect(histogram.quantile(permille: 500) == 0 && histogram.mean == 0)
      for value in 1...100_000 { histogram.add(value) }
      for permille in [1, 10, 500, 990, 1000] {
        let (found, expected) = (histogram.quantile(permille: permille), permille * 100)
        #expect(abs(found - expected) * 100 <= expected, "\(permille): \(found)")
      }
      #expect(histogram.mean == 50_000)
      var edges = TimeHistogram()
      for value in [-1, 0, 63, 64, 127, 128, Int.max / 2] { edges.add(value) }
      #expect(edges.quantile(permille: 1) == 0 && edges.quantile(permille: 1000) > Int.max / 4)
      for value in (0..<62).map({ 1 << $0 }) {
        var one = TimeHistogram()
        one.add(value)
        #expect(abs(one.quantile(permille: 500) - value) * 100 <= value)
      }
    }
  }

  extension String {
    /// The texts behind each occurrence of `mark`.
    fileprivate func components(after mark: String) -> [Substring] {
      var found: [Substring] = []
      var rest = self[...]
      while let range = rest.firstRange(of: mark) {
        rest = rest[range.upperBound...]
        found.append(rest)
      }
      return found
    }
  }
#endif
