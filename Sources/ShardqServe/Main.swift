import QueryOutput

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The HTTP server. The user meets it as `shardq serve`, which starts it.
@main
enum Main {
  static func main() {
    // The page stands in Resources/page.html and becomes part of the executable as `PackageResources.page_html`.
    Diagnostics.report(
      "built without its server; build it with: swift build -c release --traits Server --product shardq-serve")
    exit(ExitStatus.usage.rawValue)
  }
}
