import QueryOutput
import Testing

@Suite("A command on a store") struct StoreRequestTests {
  @Test("arrives as it was meant", arguments: StoreRequest.Command.allCases)
  func arrives(_ command: StoreRequest.Command) throws {
    var request = StoreRequest(command, "s3://bucket/a=b/")
    request.directory = "lists/=cities"
    #expect(StoreRequest(arguments: request.arguments) == request)
    (request.graceSeconds, request.kept, request.stallSeconds) = (0, 7, 3)
    (request.isSingleWriter, request.isDryRun, request.isJSON, request.isQuiet) = (true, true, true, true)
    #expect(StoreRequest(arguments: request.arguments) == request)
  }

  @Test(
    "is refused in other words",
    arguments: [
      [], ["sell", "url=s3://a/"], ["prune"], ["prune", "url="], ["publish", "url=s3://a/"],
      ["prune", "url=s3://a/", "keep=0"],
      ["prune", "url=s3://a/", "grace=-1"], ["prune", "url=s3://a/", "grace=7d"], ["prune", "url=s3://a/", "json=yes"],
      ["prune", "url=s3://a/", "json"], ["prune", "url=s3://a/", "stall=0"], ["prune", "url=s3://a/", "colour=red"],
    ])
  func refused(_ words: [String]) { #expect(StoreRequest(arguments: words) == nil) }
}
