import QueryOutput
import Testing

@Suite("Settings of shardq serve") struct ServeSettingsTests {
  @Test("each option sets its setting, joined to its value or not")
  func options() throws {
    var settings = ServeSettings()
    settings.indexes = [NamedIndex(name: nil, path: "./a=b c\n/\u{e9}")]
    settings.expectedDigest = String(repeating: "0f", count: 32)
    settings.listen = ListenAddress(address: "::1", port: 0)
    settings.hosts = ["example.org", "*"]
    settings.trustedProxies = [try #require(AddressRange(argument: "10.0.0.0/8"))]
    settings.cacheBytes = 1 << 20
    settings.placesBytes = 2
    settings.idsBytes = 11
    settings.connections = 3
    settings.reloadMilliseconds = 4
    settings.idleMilliseconds = 5000
    settings.requestMilliseconds = 6500
    settings.responseMilliseconds = 7
    settings.maxAge = 8
    settings.cors = "https://example.org"
    settings.frameAncestors = ["self", "https://example.org"]
    settings.logFormat = .json
    settings.logsRequests = true
    settings.printsJSON = true
    settings.logsUnmatched = true
    (settings.remote.fetch, settings.remote.cacheDirectory, settings.remote.cacheBytes) = ("ranges", "/a=b", 9)
    try settings.page.add("title", "serve", place: "")
    try settings.page.add("fields", "a,b", place: "")
    let options = [
      ("-i", settings.indexes[0].path), ("--expect-digest", settings.expectedDigest), ("--listen", "[::1]:0"),
      ("--host", "example.org"), ("--host", "*"), ("--cache", "1MiB"), ("--places-memory", "2"), ("--ids-memory", "11"),
      ("--max-connections", "3"), ("--reload-interval", "0.004"), ("--idle-timeout", "5"), ("--request-timeout", "6.5"),
      ("--response-timeout", "0.007"), ("--max-age", "8"), ("--cors", settings.cors), ("--log-format", "json"),
      ("--trusted-proxy", "10.0.0.0/8"),
      ("--frame-ancestors", "self"), ("--frame-ancestors", "https://example.org"),
      ("--fetch", "ranges"), ("--cache-dir", "/a=b"), ("--cache-size", "9"), ("--title", "serve"), ("--fields", "a"),
      ("--fields", "b"),
    ]
    let flags = ["--json", "--log-unmatched"]
    func isSame(_ arguments: [String]) throws -> Bool {
      var read = try #require(try ServeSettings(arguments))
      // The order of the page's settings is that of the line.
      #expect(read.page.json(PageFacts()) == settings.page.json(PageFacts()))
      read.page = settings.page
      return read == settings
    }
    #expect(try isSame(["serve"] + options.flatMap { [$0.0, $0.1] } + flags))
    #expect(try isSame(options.map { $0.0 + ($0.0 == "-i" ? "" : "=") + $0.1 } + ["serve"] + flags))
  }

  @Test("a public server has any name unless it has one")
  func hosts() throws {
    #expect(try ServeSettings(["serve", "--listen=0.0.0.0:1"]) == nil)
    #expect(try ServeSettings(["serve", "--listen=0.0.0.0:1", "--public"])?.hosts == ["*"])
    #expect(try ServeSettings(["serve", "--listen=0.0.0.0:1", "--public", "--host", "a"])?.hosts == ["a"])
  }

  @Test(
    "other words are refused",
    arguments: [
      "x", "--trusted-proxy=10.0.0.0/33", "--listen", "--listen=65536", "--cache=1X", "--max-age=x", "--log-format=xml",
      "--cache-size=-1", "-x",
      "--frame-ancestors=example.org", "--frame-ancestors=https://a.example/;script-src *", "--frame-ancestors=none",
    ])
  func refused(word: String) throws { #expect(try ServeSettings([word]) == nil) }

  @Test("a page has no other setting")
  func unknown() { #expect(throws: ServeSettings.SettingsError.self) { try ServeSettings(["--titel", "x"]) } }
}
