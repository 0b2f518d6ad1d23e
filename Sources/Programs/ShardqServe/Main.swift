import Serving
import ShardedIndex

/// The HTTP server of an index on disk. It links no libcurl, and is static.
@main
enum Main {
  static func main() {
    #if Server
      ServerProgram.run(
        Array(CommandLine.arguments.dropFirst()),
        IndexSource { (path, _, options) throws(IndexError) in
          try ShardedIndex(opening: path, options: options)
        })
    #else
      ServerProgram.missing("Server", "shardq-serve")
    #endif
  }
}
