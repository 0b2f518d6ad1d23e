#if CommandLineTool
  import Footprint
  import ShardedIndex

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  #if SQLITE
    /// A record that every design can hold.
    typealias DesignModel = PackedModel & RowModel
  #else
    /// A record that every design can hold.
    typealias DesignModel = PackedModel
  #endif

  /// The designs that people use instead of shardq. Those of SQLite are there where its headers were at build time.
  enum DesignName: String, CaseIterable {
    case scan, trie, letters, sorted
    case packed = "packed-trie"
    #if SQLITE
      case sqlite, fts5
    #endif

    static func named(_ name: String) throws -> DesignName {
      guard let design = DesignName(rawValue: name) else { throw UnknownDesign(name: name) }
      return design
    }

    struct UnknownDesign: Error { var name: String }

    /// Writes the file that the design keeps on disk.
    ///
    /// - Parameter source: The exported dataset, or the index for the designs of SQLite.
    func prepare<Model: DesignModel>(
      _: Model.Type, _ file: String, from source: String, fieldCount: Int
    ) throws {
      switch self {
      case .scan, .trie, .letters, .sorted: break  // They read the dataset itself.
      case .packed:
        try Data(PackedTrie.file(decode(source, as: Model.self))).write(to: URL(filePath: file))
      #if SQLITE
        case .sqlite, .fts5:
          try SQLiteDesign<Model>.build(
            file, of: ShardedIndex(opening: source), fieldCount: fieldCount, usesWords: self == .fts5)
      #endif
      }
    }

    /// Replays the log through the design.
    func run<Model: DesignModel>(_: Model.Type, _ file: String, fieldCount: Int, in replay: Replay) throws {
      switch self {
      case .scan: try replay.run { try ScannedArray<Model>(file) }
      case .trie: try replay.run { try DictionaryTrie<Model>(file) }
      case .letters: try replay.run { try LetterGroups<Model>(file) }
      case .sorted: try replay.run { try SortedArray<Model>(file) }
      case .packed: try replay.run { try PackedTrie<Model>(file) }
      #if SQLITE
        case .sqlite, .fts5:
          try replay.run { try SQLiteDesign<Model>(file, fieldCount: fieldCount, usesWords: self == .fts5) }
      #endif
      }
    }
  }
#endif
