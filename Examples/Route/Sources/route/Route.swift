// A route of Hummingbird that answers a search field in a page:
//
//     swift run route ../../shards 8080
//     curl 'http://127.0.0.1:8080/search?q=reyk'
import Hummingbird
import ShardedIndex

struct City: ResponseCodable {
  var name: String
  var country: String
  var lat: Double?
}

@main struct Route {
  static func main() async throws {
    let arguments = CommandLine.arguments
    // Looks for a rebuilt index every five seconds.
    let index = try ShardedIndex(
      opening: arguments.count > 1 ? arguments[1] : "../../shards", options: .init(reloadInterval: .seconds(5)))
    let router = Router()
    router.get("search") { request, _ -> [City] in
      let text = request.uri.queryParameters["q"].map(String.init) ?? ""
      // A client that goes away cancels the task, and with it the search.
      return try await index.answer(to: text, limit: 10).map { try $0.record.decode() }
    }
    let port = arguments.count > 2 ? Int(arguments[2]) ?? 8080 : 8080
    try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
      .runService()
  }
}
