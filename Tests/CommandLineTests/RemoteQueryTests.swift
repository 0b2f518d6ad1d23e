import QueryOutput
import ShardedIndex
import ShardqCommands
import Testing

@Suite("A query of an index on another machine") struct RemoteQueryTests {
  @Test(
    "the options of a command line arrive in the other program",
    arguments: [
      "san", "san -n 5 --offset 3 --sort key", "san --all --format csv --fields name,country",
      "'' --count", "san -0", "--stdin --json", "san -q", "san -v --color never --hyperlink always",
      "san --filter country=FR --filter country=DE --filter x==y --near 48.85,2.35 --typos auto", "san --typos none",
      "--expect-digest \(String(repeating: "0f", count: 32)) --sort rank -- -x=y",
    ])
  func arrives(line: String) throws {
    let words = try UserSettings.words(of: "-i https://host/cities/ " + line, "test: ")
    let request = try #require(CommandLineParser.request(words))
    var query = RemoteQuery(request)
    if request.query.near != nil { query.near = "48.85,2.35" }
    (query.remote.fetch, query.remote.cacheDirectory, query.remote.cacheBytes) = ("ranges", "/a=b", 7)
    let arrived = try #require(RemoteQuery(arguments: query.arguments))
    // The other program has one filter for each value of a field: all filters must be the same.
    #expect(String(reflecting: arrived) == String(reflecting: query))
  }

  @Test(
    "unknown and wrong options are refused",
    arguments: ["", "x", "x=", "limit=0", "offset=-1", "near=1", "cursor=1", "all=no"])
  func refused(word: String) { #expect(RemoteQuery(arguments: [word]) == nil) }

  @Test("URLs are known by their beginnings") func urls() {
    for url in ["http://a/", "https://a/b.shardq", "s3://a/"] { #expect(RemoteIndex.isURL(url)) }
    for path in ["shards", "http", "http:/a", "./https://a/", "file:///a", ""] { #expect(!RemoteIndex.isURL(path)) }
  }
}
