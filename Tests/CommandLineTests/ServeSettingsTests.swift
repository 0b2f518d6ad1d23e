import QueryOutput
import Testing

@Suite("Settings that shardq serve passes to the server") struct ServeSettingsTests {
  @Test("settings arrive as they were set")
  func roundTrip() throws {
    #expect(ServeSettings(arguments: ServeSettings().arguments) == ServeSettings())
    var settings = ServeSettings()
    settings.index = "a=b c\n/é"
    settings.expectedDigest = String(repeating: "0f", count: 32)
    settings.address = "::1"
    settings.port = 0
    settings.hosts = ["example.org", "*"]
    settings.cacheBytes = 1
    settings.placesBytes = 2
    settings.connections = 3
    settings.reloadMilliseconds = 4
    settings.idleMilliseconds = 5
    settings.requestMilliseconds = 6
    settings.responseMilliseconds = 7
    settings.maxAge = 8
    settings.cors = "https://example.org"
    settings.logFormat = .json
    settings.logsRequests = true
    settings.printsJSON = true
    (settings.remote.fetch, settings.remote.cacheDirectory, settings.remote.cacheBytes) = ("ranges", "/a=b", 9)
    #expect(ServeSettings(arguments: settings.arguments) == settings)
    // Each setting is passed: none has its default value.
    for (said, plain) in zip(settings.arguments, ServeSettings().arguments) { #expect(said != plain) }
  }

  @Test(
    "other words are refused",
    arguments: [
      "", "port", "port=", "port=65536", "port=-1", "cache=1M", "else=1", "access-log=1", "json=1", "log-format=xml",
      "fetch=all",
      "cache-bytes=-1",
    ])
  func refused(word: String) {
    #expect(ServeSettings(arguments: [word]) == nil)
  }
}
