#if CommandLineTool
  import Answers
  import QueryOutput
  import ShardqCommands
  import TestSupport
  import Testing

  import CLibrary

  @Suite("The front against the full parser") struct FrontParserTests {
    static let words = [
      "query", "facets", "build", "stats", "verify", "export", "diff", "apply", "repair", "archive", "unarchive",
      "publish", "fetch", "prune",
      "page", "generate", "footprint",
      "plan",
      "help",
      "-i",
      "--index",
      "-i=x",
      "--index=x",
      "--index=", "-n", "--limit", "--limit=3", "-n=3", "-n3", "--limit=0", "--limit=007", "--offset",
      "--offset=4",
      "--offset=-1", "--format", "--format=json", "--format=yaml", "--all", "--all=true", "--count",
      "--stdin", "--sort", "--sort=rank", "--sort=key", "--sort=weight", "--after", "--after=3", "--explain", "rank",
      "key", "--help", "-h",
      "--version", "--", "-", "", " ", "san", "san fr", "dir", "3", "0", "-3", "+3", "007",
      "99999999999999999999", "3.5",
      "json", "text", "tsv", "csv", "jsonl", "geojson", "JSON", "ł", "--all-", "-x", "--a", "=", "=3",
      "--limit==3", "--json", "--color", "--color=always", "--color=blue", "never", "--hyperlink", "--hyperlink=auto",
      "-q", "--quiet", "-v", "--verbose", "-0", "--null", "--fields", "--fields=a,b", "--fields=a,,b",
      "a\\,b,c", "-qv",
    ]

    static func front(_ arguments: [String]) -> QueryRequest? { FrontParser.parse(arguments) }

    @Test(
      "The parser accepts each line that the front accepts, with the same meaning",
      arguments: 1...UInt64(TestData.count(1, 4)))
    func agrees(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      var accepted = 0
      let count = TestData.count(300, 60_000)
      for _ in 0..<count {
        let arguments = (0..<Int.random(in: 0...6, using: &random)).map { _ in
          Self.words.randomElement(using: &random)!
        }
        guard let request = Self.front(arguments) else { continue }
        accepted += 1
        #expect(CommandLineParser.request(arguments).isSame(as: request), "\(arguments)")
      }
      #expect(accepted > count / 50)
    }

    @Test("The front itself answers well-formed queries", arguments: UInt64(1)...2)
    func accepts(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      for _ in 0..<TestData.count(40, 8000) {
        var groups: [[String]] = []
        if Bool.random(using: &random) {
          groups.append([["-i", "a b"], ["-ia b"], ["--index=d"]].randomElement(using: &random)!)
        }
        if Bool.random(using: &random) {
          groups.append(
            [["-n", "7"], ["-n7"], ["--limit", "1"], ["--limit=12"], ["--all"]].randomElement(using: &random)!)
        }
        if Bool.random(using: &random) { groups.append(["--offset", "3"]) }
        if Bool.random(using: &random) { groups.append(["--count"]) }
        if Bool.random(using: &random) {
          groups.append([["--sort", "rank"], ["--sort=key"]].randomElement(using: &random)!)
        }
        for group in [["-v"], ["--color", "never"], ["--hyperlink=auto"]] where Bool.random(using: &random) {
          groups.append(group)
        }
        if Bool.random(using: &random) {
          groups.append(["--format", OutputFormat.allCases.randomElement(using: &random)!.rawValue])
        }
        let isQuery = Bool.random(using: &random)
        if Int.random(in: 0..<5, using: &random) == 0, !groups.contains(where: { $0[0] == "--format" }) {
          let arguments = (isQuery ? ["query"] : []) + (groups + [["--stdin"]]).shuffled(using: &random).flatMap { $0 }
          let request = Self.front(arguments)
          #expect(request?.readsLines == true, "\(arguments)")
          #expect(CommandLineParser.request(arguments).isSame(as: request), "\(arguments)")
          continue
        }
        let prefix = ["san", "", "x y", "müncheń", "a,b", isQuery ? "build" : "builds"].randomElement(
          using: &random)!
        let second = Int.random(in: 0..<3, using: &random) == 0 && prefix != "builds" ? ["fr"] : []
        let isLast = Bool.random(using: &random)
        if !isLast { groups.append([prefix]) }
        groups.shuffle(using: &random)
        let arguments =
          (isQuery ? ["query"] : []) + groups.flatMap { $0 } + (isLast ? ["--", prefix] + second : second)
        let request = Self.front(arguments)
        #expect(request?.query.text == ([prefix] + second).joined(separator: " "), "\(arguments)")
        #expect(CommandLineParser.request(arguments).isSame(as: request), "\(arguments)")
      }
    }

    @Test("--all, --count and --offset keep the order of the answer, unless --sort names one")
    func keptOrder() {
      for arguments in [["--all"], ["--count"], ["--offset", "0"]] {
        let plain = Self.front(["san"] + arguments)
        #expect(plain != nil && plain?.query.order == .automatic, "\(arguments)")
        #expect(Self.front(["san", "--sort", "rank"] + arguments)?.query.order == .rank, "\(arguments)")
      }
      let request = Self.front(["san"])
      #expect(request != nil && request?.query.order == .automatic)
      #expect(Self.front(["san", "--json"])?.format == .json)
      #expect(Self.front(["san", "-q"])?.isQuiet == true)
      #expect(Self.front(["san", "-0", "--fields", "a\\,b,c"])?.fields == ["a,b", "c"])
      // The full parser reads rare options.
      #expect(Self.front(["san", "--explain"]) == nil)
      #expect(CommandLineParser.request(["san", "--all", "--explain"])?.query.order == .rank)
    }

    @Test("A command's name wins, unless it stands behind -- or query")
    func commandNames() {
      for name in FrontParser.commandNames {
        #expect(Self.front([name]) == nil)
        #expect(Self.front(["-n", "3", name]) == nil)
        #expect(Self.front(["--", name])?.query.text == name)
        #expect(Self.front(["query", name])?.query.text == name)
        #expect(CommandLineParser.request(["--", name])?.query.text == name)
        #expect(CommandLineParser.request(["query", name])?.query.text == name)
      }
      #expect(CommandLineParser.normalized(["-i", "d", "stats"]) == ["stats", "-i", "d"])
    }

    @Test("A single word that is nearly a command is searched for and noticed; among several words it must be closer")
    func nearCommands() {
      for (word, command) in [
        ("statz", "stats"), ("state", "stats"), ("verfiy", "verify"), ("expot", "export"), ("applyy", "apply"),
      ] {
        #expect(Self.front([word])?.nearCommand == command)
        #expect(CommandLineParser.request([word]).isSame(as: Self.front([word])))
        #expect(
          Self.front([word, "x"]) == nil
            && CommandLineParser.request([word, "x"]).map { $0.nearCommand == nil } == true)
        for arguments in [["--", word], ["query", word]] {
          let request = Self.front(arguments)
          #expect(request != nil && request?.nearCommand == nil)
        }
      }
      for word in ["san", "pla", "mp", "us", "quay", "stat es", "buildings", "statzz"] {
        let request = Self.front([word])
        #expect(request != nil && request?.nearCommand == nil, "\(word)")
        #expect(CommandLineParser.request([word]).isSame(as: Self.front([word])))
      }
    }
  }

  extension QueryRequest? {
    /// Whether two requests have the same values.
    fileprivate func isSame(as other: QueryRequest?) -> Bool { String(reflecting: self) == String(reflecting: other) }
  }
#endif
