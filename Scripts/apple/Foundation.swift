// The names of Apple's Foundation that the libraries use.
@_exported import Darwin

public protocol LocalizedError: Error { var errorDescription: String? { get } }

public struct URL {
  public var isFileURL: Bool
  public var absoluteString: String
  public func path(percentEncoded: Bool) -> String { "" }
  public func appending(path: String) -> URL { self }
}

public final class Bundle: Sendable {
  public static let main = Bundle()
  public var resourceURL: URL? { nil }
  public var bundleURL: URL { fatalError() }
  public func url(forResource name: String?, withExtension ending: String?) -> URL? { nil }
}

public protocol AttributedStringKey {
  associatedtype Value: Hashable
  static var name: String { get }
}

public struct AttributedString {
  public init(_ text: String) {}
  public struct Index: Comparable {
    public static func < (left: Index, right: Index) -> Bool { false }
  }
  public subscript(range: Range<Index>) -> AttributedSubstring {
    get { fatalError() }
    set {}
  }
}

public struct AttributedSubstring {
  public subscript<Key: AttributedStringKey>(key: Key.Type) -> Key.Value? {
    get { nil }
    set {}
  }
}

extension Range where Bound == AttributedString.Index {
  public init?(_ range: Range<String.Index>, in text: AttributedString) { return nil }
}
