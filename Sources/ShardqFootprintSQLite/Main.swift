#if CommandLineTool && SQLITE
  import FootprintModels
  import FootprintReplay
  import ShardedIndex

  /// SQLite, as an app links it, in two designs; `shardq footprint` starts one in each process. Apart from the others,
  /// because what those link would count as SQLite's memory. The commands are those of `shardq-footprint`.
  @main
  enum Main {
    static func main() {
      let arguments = Array(CommandLine.arguments.dropFirst())
      do {
        switch (arguments.first, arguments.count) {
        case ("designs", 1): print("sqlite\nfts5")
        case ("prepare", 6):
          let (design, index) = (arguments[1], try ShardedIndex(opening: arguments[2]))
          let (fieldCount, path) = (Int(arguments[4]) ?? 0, arguments[5])
          if arguments[3] == "cities" {
            try SQLiteDesign<City>.build(path, of: index, fieldCount: fieldCount, usesWords: design == "fts5")
          } else {
            try SQLiteDesign<PlainRecord>.build(path, of: index, fieldCount: fieldCount, usesWords: design == "fts5")
          }
        case ("run", 7):
          let (design, path, fieldCount) = (arguments[1], arguments[2], Int(arguments[4]) ?? 0)
          let (log, interval) = (arguments[5], Int(arguments[6]) ?? 1)
          if arguments[3] == "cities" {
            try Replay.run(log: log, sampleInterval: interval) {
              try SQLiteDesign<City>(path, fieldCount: fieldCount, usesWords: design == "fts5")
            }
          } else {
            try Replay.run(log: log, sampleInterval: interval) {
              try SQLiteDesign<PlainRecord>(path, fieldCount: fieldCount, usesWords: design == "fts5")
            }
          }
        default: Replay.finish(64, because: "shardq-footprint-sqlite: started by shardq footprint")
        }
      } catch {
        Replay.finish(74, because: "\(error)")
      }
      Replay.finish(0)
    }
  }
#else
  @main
  enum Main {
    /// Built without SQLite: `shardq footprint` asks, hears of no design, and says so.
    static func main() {}
  }
#endif
