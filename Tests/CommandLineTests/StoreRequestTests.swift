import QueryOutput
import Testing

@Suite("A command on a store") struct StoreRequestTests {
  @Test("a request arrives as it was made", arguments: StoreRequest.Command.allCases)
  func arrives(_ command: StoreRequest.Command) throws {
    var request = StoreRequest(command, "s3://bucket/a=b/")
    request.directory = "lists/=cities"
    if command == .writeRange || command == .merge {
      var ranges = StoreRequest.Ranges()
      (ranges.plan, ranges.program, ranges.memoryBytes, ranges.jobs) = ("a=plan", ("1.0", "ab"), 1 << 20, 2)
      (ranges.rows, ranges.records, ranges.repeatedIDs, ranges.isOfEntries) = (["-", "r=1"], 7, 0, true)
      request.ranges = ranges
    }
    #expect(StoreRequest(arguments: request.arguments) == request)
    (request.graceSeconds, request.kept, request.stallSeconds) = (0, 7, 3)
    (request.isSingleWriter, request.isDryRun, request.isJSON, request.isQuiet) = (true, true, true, true)
    #expect(StoreRequest(arguments: request.arguments) == request)
  }

  @Test(
    "a request in other words is refused",
    arguments: [
      [], ["sell", "url=s3://a/"], ["prune"], ["prune", "url="], ["publish", "url=s3://a/"],
      ["prune", "url=s3://a/", "keep=0"],
      ["prune", "url=s3://a/", "grace=-1"], ["prune", "url=s3://a/", "grace=7d"], ["prune", "url=s3://a/", "json=yes"],
      ["merge", "url=s3://a/", "rows=-"], ["write-range", "url=s3://a/", "plan=p", "jobs=0"],
      ["prune", "url=s3://a/", "plan=p"], ["prune", "url=s3://a/", "json"], ["prune", "url=s3://a/", "stall=0"],
      ["prune", "url=s3://a/", "colour=red"],
    ])
  func refused(_ words: [String]) { #expect(StoreRequest(arguments: words) == nil) }
}
