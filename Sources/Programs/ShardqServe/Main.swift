import Serving
import ShardedIndex

/// The HTTP server of an index on disk. It links no libcurl, and is static.
@main
enum Main {
  static func main() {
    #if Server
      ServerProgram.run(
        Array(CommandLine.arguments.dropFirst()),
        IndexSource { (settings, options) throws(IndexError) in
          try ShardedIndex(opening: settings.index, options: options)
        })
    #else
      ServerProgram.missing("Server", "shardq-serve")
    #endif
  }
}
