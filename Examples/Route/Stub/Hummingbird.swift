// The part of Hummingbird that the example uses, as declarations. Scripts/check-examples.sh checks the types of the
// example against them; with --route the script builds the example with Hummingbird itself.

public protocol ResponseGenerator {}
public protocol ResponseEncodable: Encodable, ResponseGenerator {}
public typealias ResponseCodable = ResponseEncodable & Decodable
extension Array: ResponseGenerator where Element: ResponseEncodable {}

public struct Request: Sendable {
  public struct URI: Sendable { public var queryParameters: [Substring: Substring] }
  public var uri: URI
}

public protocol RequestContext {}
public struct BasicRequestContext: RequestContext {}

public final class Router<Context: RequestContext> {
  public init(context: Context.Type = BasicRequestContext.self) {}
  @discardableResult public func get(
    _ path: String, use handler: @Sendable @escaping (Request, Context) async throws -> some ResponseGenerator
  ) -> Self { self }
}

public enum BindAddress { case hostname(_ host: String, port: Int) }

public struct ApplicationConfiguration { public init(address: BindAddress) {} }

public struct Application<Context: RequestContext> {
  public init(router: Router<Context>, configuration: ApplicationConfiguration) {}
  public func runService() async throws {}
}
