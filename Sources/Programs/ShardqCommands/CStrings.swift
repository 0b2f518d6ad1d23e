import CLibrary

/// Calls `body` with texts as the system takes arguments: an array of C strings that a null pointer ends.
func withCStrings<Result>(_ texts: [String], _ body: (inout [UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
  var strings = texts.map { strdup($0) } + [nil]
  defer { for string in strings { free(string) } }
  return body(&strings)
}
