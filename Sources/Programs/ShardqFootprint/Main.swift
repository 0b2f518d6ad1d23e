#if CommandLineTool
  import Footprint
  import ShardedIndex

  /// The program that `shardq footprint` starts once for each design, shardq among them.
  ///
  ///     shardq-footprint designs                                     prints the names of the other designs
  ///     shardq-footprint export INDEX FILE                           writes the dataset as the designs read it
  ///     shardq-footprint prepare DESIGN SOURCE MODEL FIELDS FILE     writes the file that a design keeps on disk
  ///     shardq-footprint run DESIGN FILE MODEL FIELDS LOG INTERVAL   replays a query log
  ///
  /// SOURCE is the exported dataset, or the index for the designs of SQLite. FILE is the index for `run shardq`.
  @main
  enum Main {
    static func main() {
      let arguments = Array(CommandLine.arguments.dropFirst())
      do {
        try run(arguments)
      } catch IndexError.corrupt(let path, let cause) where arguments.dropFirst().first == ShardedDesign.name {
        Replay.finish(65, because: "\(IndexError.corrupt(path: path, cause: cause))")
      } catch {
        Replay.finish(74, because: "\(error)")
      }
      Replay.finish(0)
    }

    private static func run(_ arguments: [String]) throws {
      switch (arguments.first, arguments.count) {
      case ("designs", 1):
        for design in DesignName.allCases { print(design.rawValue) }
      case ("export", 3):
        try DatasetExport.run(arguments[1], to: arguments[2])
      case ("prepare", 6):
        let (source, file) = (arguments[2], arguments[5])
        let (design, fieldCount) = (try DesignName.named(arguments[1]), Int(arguments[4]) ?? 0)
        if arguments[3] == "cities" {
          try design.prepare(City.self, file, from: source, fieldCount: fieldCount)
        } else {
          try design.prepare(PlainRecord.self, file, from: source, fieldCount: fieldCount)
        }
      case ("run", 7):
        let replay = Replay(log: arguments[5], sampleInterval: Int(arguments[6]) ?? 1)
        let (name, file, isCities, fieldCount) = (
          arguments[1], arguments[2], arguments[3] == "cities", Int(arguments[4]) ?? 0
        )
        if name == ShardedDesign.name {
          try replay.run { try ShardedDesign(file, isCities: isCities) }
        } else if isCities {
          try DesignName.named(name).run(City.self, file, fieldCount: fieldCount, in: replay)
        } else {
          try DesignName.named(name).run(PlainRecord.self, file, fieldCount: fieldCount, in: replay)
        }
      default:
        Replay.finish(64, because: "shardq starts shardq-footprint; run shardq footprint instead")
      }
    }
  }
#else
  @main
  enum Main {
    static func main() {}
  }
#endif
