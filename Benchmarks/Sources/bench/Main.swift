import Glibc

/// The benchmark: it prints size, start, queries, memory and building of shardq beside the budgets and the rivals. See
/// README.md.
@main
enum Main {
  static let usage = """
    usage: bench --programs DIR [--shardq PATH] [--data FILE] [--scale 1,10,50] [--json] [--quick]
                 [--prefixes N] [--rounds N] [--starts N] [--builds N] [--seed N] [--names] [--log FILE]
                 [--limits 4,6,8] [--work DIR]

      --programs DIR   the programs of baseline/build.sh
      --shardq PATH    the executable to measure, or its directory; default $SHARDQ_BIN
      --data FILE      the city list, JSON, or compressed with zstd; default cities.json.zst in $SHARDQ_DATA or
                       ../shared/data; without the file a made-up list of the same size
      --names          random prefixes of names, without the country: they find more records
      --log FILE       the texts of a log of typing (docs/typing.md), up to --prefixes, instead of random prefixes
      --limits LIST    also limit each contender to so many MiB of memory; needs the kernel's memory groups
      --scale LIST     also measure made-up lists of so many times 209,556 records
      --scale-only     only those lists
      --index DIR      only measure this index, and print one JSON object, for scale.py
      --source FILE    with --index: count the matches of some prefixes in the dataset itself and compare
      --array FILE     only make the sorted array of the list, which encodings/encodings.py reads; prints the
                       nanoseconds until the records are sorted, and until the array is on disk
      --quick          a tenth of the work
      --work DIR       the directory of temporary files, which is removed; default a new one in $TMPDIR

    """
  static let listSize = 209_556

  @MainActor static func main() throws {
    var options: [String: String] = [:]
    var arguments = CommandLine.arguments.dropFirst()
    while let option = arguments.popFirst() {
      switch option {
      case "--json", "--quick", "--scale-only", "--names": options[option] = "1"
      case "--programs", "--shardq", "--data", "--scale", "--prefixes", "--rounds", "--starts", "--builds",
        "--seed", "--log", "--limits", "--work", "--array", "--index", "--source":
        guard let value = arguments.popFirst() else { stop("\(option) needs a value\n\(usage)") }
        options[option] = value
      case "--help", "-h":
        print(usage, terminator: "")
        return
      default: stop("unknown option \(option)\n\(usage)")
      }
    }
    func number(_ name: String, _ standard: Int) -> Int {
      guard let text = options[name] else { return standard }
      guard let value = Int(text), value > 0 else { stop("\(name) must be a positive number") }
      return value
    }
    let part = options["--quick"] == nil ? 1 : 10
    var effort = Effort()
    effort.prefixes = number("--prefixes", 10_000 / part)
    effort.rounds = number("--rounds", part == 1 ? 9 : 3)
    effort.starts = number("--starts", 250 / part)
    effort.builds = number("--builds", part == 1 ? 5 : 1)
    effort.namesOnly = options["--names"] != nil
    effort.log = options["--log"]
    effort.seed = UInt64(number("--seed", 1))
    func numbers(_ name: String, _ example: String) -> [Int] {
      (options[name] ?? "").split(separator: ",").map { text in
        guard let number = Int(text), number > 0 else { stop("\(name) takes numbers: \(example)") }
        return number
      }
    }
    let scales = numbers("--scale", "1,10,50")
    effort.limits = numbers("--limits", "4,6,8")
    guard var shardq = options["--shardq"] ?? environment("SHARDQ_BIN") else {
      stop("which shardq? Set SHARDQ_BIN\n\(usage)")
    }
    // SHARDQ_BIN may be a directory, as the tests take it.
    if Files.isDirectory(shardq) { shardq += "/shardq" }
    guard access(shardq, X_OK) == 0 else { stop("\(shardq) cannot be run") }
    let arrayOnly = options["--array"]
    guard let directory = options["--programs"] ?? arrayOnly else { stop("--programs is missing\n\(usage)") }

    var template = Array(((environment("TMPDIR") ?? "/tmp") + "/shardq-bench.XXXXXX").utf8CString)
    let work = options["--work"] ?? String(cString: mkdtemp(&template))
    mkdir(work, 0o755)
    if options["--work"] == nil { temporaryDirectory = work }
    let own = Array(CommandLine.arguments[0].utf8)
    let beside = String(decoding: own[..<(own.lastIndex(of: UInt8(ascii: "/")) ?? 0)], as: UTF8.self)
    let bench = Bench(
      shardq: shardq, programs: Programs(directory: directory, work: work),
      residentProgram: beside + "/resident",
      work: work, effort: effort)

    if let index = options["--index"] {
      print(try bench.measure(index: index, source: options["--source"]))
      return removeTemporaryDirectory()
    }
    for kind in RivalKind.all where !bench.programs.has(kind.program) && arrayOnly == nil {
      note("\(kind.label) is not there: its row is missing")
    }
    var report = Report()
    let (json, name) = try dataset(options["--data"], shardq, work)
    if let arrayOnly {
      let taken = try Dataset(json: json, array: arrayOnly, index: "").prepare()
      print(taken.sorting, taken.all)
      return removeTemporaryDirectory()
    }
    makeForty(from: json, work)
    if options["--scale-only"] == nil {
      report.add(try bench.measure(json, name: name), effort: effort)
    }
    unlink(json)
    if !scales.isEmpty {
      var growth: [(scale: Int, all: Measurements)] = []
      for scale in scales {
        var own = effort
        own.builds = 1
        own.rounds = min(effort.rounds, 5)
        own.memory = "64MiB"
        own.limits = []
        // Only the rivals whose build of fifty lists takes seconds.
        own.rivals = ["lmdb", "sqlite"]
        own.walks = scale == 1
        let bench = Bench(
          shardq: shardq, programs: bench.programs, residentProgram: bench.residentProgram, work: work,
          effort: own)
        let json = work + "/generated.json"
        generate(scale * listSize, to: json, shardq)
        growth.append((scale, try bench.measure(json, name: "\(scale) x")))
        Files.remove(json)
      }
      report.add(growth: growth)
    }
    removeTemporaryDirectory()
    print(options["--json"] == nil ? report.markdown : report.json, terminator: "")
  }

  static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the city list as plain JSON in the working directory, and its name.
  private static func dataset(_ given: String?, _ shardq: String, _ work: String) throws -> (String, String) {
    let json = work + "/cities.json"
    let places = [environment("SHARDQ_DATA"), "../shared/data", "../../shared/data"].compactMap { $0 }
    let found = given ?? places.map { $0 + "/cities.json.zst" }.first { Files.exists($0) }
    guard let found else {
      note("no city list: measuring a made-up one")
      generate(listSize, to: json, shardq)
      return (json, "a made-up city list")
    }
    guard Programs.start(["zstd", "-dcf", found], output: json) == 0 else { stop("cannot unpack \(found)") }
    return (json, "the city list")
  }

  private static func generate(_ count: Int, to path: String, _ shardq: String) {
    let status = Programs.start([shardq, "generate", "--count", "\(count)", "--seed", "1"], output: path)
    guard status == 0 else { stop("shardq generate failed with status \(status)") }
  }

  /// Writes a zstd file of the first 40 KB of the list.
  private static func makeForty(from json: String, _ work: String) {
    let content = Files.read(json)
    content.withUnsafeBytes { bytes in
      Files.write(UnsafeRawBufferPointer(rebasing: bytes[..<min(40_960, bytes.count)]), to: work + "/40k")
    }
    guard Programs.start(["zstd", "-19", "-cq", work + "/40k"], output: work + "/40k.zst") == 0 else {
      stop("cannot run zstd")
    }
  }
}
