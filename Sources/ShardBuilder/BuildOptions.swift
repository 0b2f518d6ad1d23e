import CLibrary
import ShardedIndex

/// The options of a build.
public struct BuildOptions: Sendable {
  /// `json`, `jsonl`, `geojson`, `csv`, `tsv`, `geonames` or `lines`; nil: found from name and content.
  public var inputFormat: String?
  /// The ways in which the inputs depart from the usual form of their format; docs/datasets.md describes each setting.
  public var dialect = DatasetDialect()
  /// The template of keys, `{name}, {country}`; nil for datasets that are recognised.
  public var key: String?
  /// The names of the columns of a CSV or TSV input without a header, or of the field of lines.
  public var columns: [String]?
  /// The fields to store, each with the fields nested in it; nil for all.
  public var keep: [String]?
  /// The field that holds each record's weight, by which answers are ranked; nil for an index without ranks. A record
  /// weighs 0 if its field is missing, is no number or is below 0.
  public var weight: String?
  /// A file of ids and weights, a line each with a tab between; `-` is standard input. The weight becomes the last field
  /// of the record that has the id, named ``weight``, or `weight` where that is nil; ``id`` must be set.
  public var weightsFile: String?
  /// The decimal number above 0 that weights are multiplied by before they are rounded down; nil for 1.
  public var weightScale: String?
  /// The words of a key that lead to it as its beginning does; nil for none. Ranked answers find them.
  public var words: Words?
  /// The fields of other names, which lead to their records; `initials` stands for the leading consonants of Hangul
  /// names. A JSON array is its elements, another text is divided at commas.
  public var alias: [String] = []
  /// The significant bits to which the weights of words and other names are rounded up, 1 to 63: with fewer bits
  /// fewer changes of weights are written twice. Answers do not depend on it.
  public var weightBits = usualWeightBits {
    didSet { weightBits = min(max(1, weightBits), 63) }
  }
  /// The fields by which answers are filtered, up to 64. The index gets tables of their values.
  public var filter: [String] = []
  /// Whether typing errors are corrected. The index gets sketches of the beginnings of its keys.
  public var typos = false
  /// Whether answers can be near to a place. The index gets a table of the cells that its records lie in.
  public var near = false
  /// Whether the index gets starts: the first and the best records of the texts whose matches are in several shards, once
  /// more in one place. Readers to whom each read is a round trip, in a page or over HTTP, answer from them.
  public var starts = false
  /// The field by which ``ShardBuilder/update(_:upsert:delete:options:progress:)`` tells records apart; it is noted in
  /// the manifest. nil: `geonameid` of a GeoNames dump, else `_id` if the records have it.
  public var id: String?
  /// The most memory that a build may hold, in bytes, whatever the dataset's size. Default: 256 MiB.
  ///
  /// Everything that grows with the dataset or its records counts: the text read ahead, the sort, the merge, the shards
  /// being encoded, the list of shards. On top come the program itself and a few megabytes that do not depend on the
  /// dataset, see docs/history/builds.md; and a record too large for the rest of it is held nevertheless.
  public var memoryBytes = 256 << 20
  /// Threads, at least 1. Default: one per processor.
  public var jobs = WorkerPool.availableThreads
  /// The most a shard may be before compression, in bytes; one that cannot be divided may be larger. At most 16 MiB,
  /// which is what a reader accepts.
  public var shardLimitBytes = 80 << 10 {
    didSet { shardLimitBytes = min(max(1, shardLimitBytes), ZstdFrame.contentLimit) }
  }
  /// The approximate size of a part of a shard before compression, in bytes: a query that misses unpacks one. From 1 to
  /// 16 MiB; a part has 16 records at least, and one that is no smaller than a shard is the shard.
  public var partSizeBytes = ShardEncoder.usualPartSize {
    didSet { partSizeBytes = min(max(1, partSizeBytes), ZstdFrame.contentLimit) }
  }
  /// The compression level of zstd, 1 to 22.
  public var level = 12
  /// Whether an update leaves few changes beside the shards, in the index's overlay, instead of writing them into
  /// shards.
  public var writesOverlay = false
  /// Whether bad records are left out and listed, instead of ending the build.
  public var skipBad = false
  /// Whether inputs without a record may take the place of an index that has some. Otherwise such a build ends with
  /// ``BuildError/noRecord(reason:path:held:)``.
  public var allowsEmpty = false
  /// The fewest records that an index may come to have: a build that would make one with fewer ends with
  /// ``BuildError/tooFewRecords(path:found:minimum:)``. Default: 0.
  ///
  /// A pipe's reader cannot see whether the program that wrote into the pipe came to its end.
  public var minimumRecords = 0
  /// Whether a build may replace the index of another list, one whose key has another template, and build into a
  /// directory that holds other files and no index. Names that begin with a dot, `README.md` and `lost+found` are no
  /// other files.
  public var replacesOtherIndex = false

  public init() {}
}

extension BuildOptions {
  /// The words of a key.
  public enum Words: String, Sendable, CaseIterable {
    /// The words of all components but the last; of a key of one component, all words.
    case body
    /// All words.
    case all
  }

  /// The significant bits of ``weightBits`` where no other number is given.
  public static let usualWeightBits = 12
  /// The name of the field that weights of a file become, where no other is given.
  package static let usualWeight = "weight"

  var packing: EncodingOptions {
    get { EncodingOptions(shardLimit: shardLimitBytes, partSize: partSizeBytes, level: level) }
    set { (shardLimitBytes, partSizeBytes, level) = (newValue.shardLimit, newValue.partSize, newValue.level) }
  }
}
