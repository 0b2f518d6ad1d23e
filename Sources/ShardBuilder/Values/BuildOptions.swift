import CLibrary
import ShardedIndex

/// The options of a build.
public struct BuildOptions: Sendable {
  /// The format of the inputs; nil to find it from name and content.
  public var inputFormat: DatasetFormat?
  /// The differences of the inputs from the usual form of their format; docs/datasets.md describes each setting.
  public var dialect = DatasetDialect()
  /// The template of keys, such as `{name}, {country}`; nil for datasets that need none.
  public var key: String?
  /// The names of the columns of a CSV or TSV input without a header, or the name of the field of lines.
  public var columns: [String]?
  /// The fields to store, each with its nested fields; nil for all.
  public var keep: [String]?
  /// The field with each record's weight, by which answers are ranked; nil for an index without ranks. A record weighs
  /// 0 if its field is missing, is not a number or is below 0.
  public var weight: String?
  /// The path of a file of ids and weights, with a tab between them on each line; `-` is standard input. The weight
  /// becomes the last field of the record with the id. The field's name is ``weight``, or `weight` if that is nil.
  /// ``id`` must be set.
  public var weightsFile: String?
  /// The number above 0 that multiplies each weight, before the product is rounded down; nil for 1. The product is exact
  /// for the decimal digits of the number's `description`.
  public var weightScale: Double? {
    get { scaleText.flatMap { Double($0) } }
    set { scaleText = newValue.map { "\($0)" } }
  }
  /// The digits of ``weightScale``. The index notes the digits that a person typed.
  package var scaleText: String?
  /// The words of a key that lead to its record as the beginning of the key does; nil for none. Ranked answers find
  /// them.
  public var words: Words?
  /// The fields of other names, which lead to their records; `initials` stands for the leading consonants of Hangul
  /// names. The elements of a JSON array are other names; any other text is divided at commas. `FIELD:-3` gives the
  /// names of a field a bonus in octaves of weight, from -16 to 0, the default.
  public var alias: [String] = []
  /// The fields whose words lead to their records, each as `FIELD` or as `FIELD:BONUS` with a bonus in octaves of
  /// weight, from -16 to -4; the default is -5. Such an index has the ``words`` of keys too.
  public var searchFields: [String] = []
  /// The fields by which answers are filtered, up to 64. The index gets tables of the fields' values.
  public var filter: [String] = []
  /// The fields whose numbers or dates order and filter answers, up to 64. The index gets the least and the greatest
  /// number of each part.
  public var number: [String] = []
  /// Files with other names of the values of a field of ``filter``: each line has a value, a tab and a name, and may
  /// have a tab and a condition `FIELD=VALUE`. Searches take these names for the values. Source: docs/tiers.md section 3.
  public var namesFiles: [(field: String, path: String)] = []
  /// Files with words that stand for others in searches: lines such as `st, saint` and `hbf => hauptbahnhof`.
  public var synonymsFiles: [String] = []
  /// The tables of these files, once a build has read them.
  package var tables = SearchTables()
  /// Whether queries correct typing errors. The index gets sketches of the beginnings of its keys.
  public var typos = false
  /// Whether queries correct typing errors in words with digits too.
  public var typosInDigits = false
  /// The fields with coordinates in decimal degrees: those of the latitude and of the longitude, or one field that
  /// holds both, `48.8584, 2.2945`; nil to find the fields by their names, which docs/datasets.md lists.
  public var coordinates: [String]?
  /// Whether answers can be near to a place. The index gets a table of the cells of its records.
  public var near = false
  /// Whether the index gets starts: the best records of each text whose matches are in several shards, or the first
  /// ones if answers have no ranks, stored once more in one place. Starts serve readers for whom each read is a round
  /// trip, in a page or over HTTP.
  public var starts = false
  /// The field with the id of a record for ``ShardBuilder/update(_:upsert:delete:options:progress:)``; the manifest
  /// notes it. nil stands for `geonameid` of a GeoNames dump, else for `_id` if the records have that field.
  public var id: String?
  /// The most memory of a process that builds, in bytes, for a dataset of any size. Default: 256 MiB.
  ///
  /// Of this the build leaves 32 MiB to the program and 4 MiB to each thread, but at most half. The rest is for all
  /// memory that grows with the dataset or its records: the text read ahead, the sort, the merge, the shards under
  /// construction, the list of shards. A build also holds a record that is larger than the rest. With a limit under 64 MiB
  /// a build takes up to 24 MiB more. Source: docs/measurements.md.
  public var memoryBytes = 256 << 20
  /// The part of ``memoryBytes`` for memory that grows with the dataset or its records.
  var workMemory: Int { max(memoryBytes / 2, memoryBytes - (32 << 20) - jobs * (4 << 20)) }
  /// The number of threads, at least 1. Default: one for each processor.
  public var jobs = WorkerPool.availableThreads
  /// The most bytes of a shard before compression, at most 16 MiB, the limit of readers. A shard that cannot be divided
  /// may be larger.
  public var shardLimitBytes = 80 << 10 {
    didSet { shardLimitBytes = min(max(1, shardLimitBytes), ZstdFrame.contentLimit) }
  }
  /// The approximate size in bytes of a part before compression, from 1 to 16 MiB: a query that is not in the cache
  /// decompresses one part. A part has at least 16 records. If this is not below the size of a shard, the shard is one
  /// part.
  public var partSizeBytes = EncodingOptions.usualPartSize {
    didSet { partSizeBytes = min(max(1, partSizeBytes), ZstdFrame.contentLimit) }
  }
  /// The compression level of zstd, 1 to 22.
  public var level = 12
  /// Whether an update keeps few changes in the index's overlay, beside the shards, instead of writing them into
  /// shards.
  public var writesOverlay = false
  /// Whether a build leaves out and lists bad records, instead of ending.
  public var skipBad = false
  /// Whether the index leaves out the records whose keys are empty or have separators and spaces alone. The manifest
  /// notes it: updates leave out such records too, and remove the replaced ones.
  public var skipEmptyKeys = false
  /// Whether inputs without a record may replace an index with records. Otherwise such a build ends with
  /// ``BuildError/noRecord(reason:path:held:)``.
  public var allowsEmpty = false
  /// The fewest records of the new index. A build with fewer ends with
  /// ``BuildError/tooFewRecords(path:found:minimum:)``. Default: 0.
  ///
  /// The limit helps with pipes: their reader cannot see whether the writing program failed.
  public var minimumRecords = 0
  /// Whether a build may replace the index of another list, whose key has another template, and may use a directory
  /// that holds other files and no index. Files with a name that begins with a dot, `README.md` and `lost+found` do not
  /// count as other files.
  public var replacesOtherIndex = false

  public init() {}
}

extension BuildOptions {
  /// The words of a key that lead to its record.
  public enum Words: String, Sendable, CaseIterable {
    /// The words of all components but the last; all words of a key of one component.
    case body
    /// All words.
    case all
    /// The words of ``body``, and those that a capital behind a small letter begins, in these components and in the
    /// fields of ``BuildOptions/searchFields``.
    case code
  }

  /// The default name of the field for weights of a file.
  package static let usualWeight = "weight"

  var packing: EncodingOptions {
    get { EncodingOptions(shardLimit: shardLimitBytes, partSize: partSizeBytes, level: level) }
    set { (shardLimitBytes, partSizeBytes, level) = (newValue.shardLimit, newValue.partSize, newValue.level) }
  }
}
