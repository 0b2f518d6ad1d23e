/// The summary of a build. Sizes are in bytes.
public struct BuildSummary: Sendable {
  public var recordsRead = 0
  public var recordsIndexed = 0
  public var badRecordCount = 0
  /// The inputs without a record, good or bad: each with its name and its header.
  public var emptyInputs: [String] = []
  /// The number of records of the replaced index; nil if there was no index, or a damaged one.
  public var recordsBefore: Int?
  /// The fields that only the new index has, and the fields that only the replaced index had.
  public var newFields: [String] = []
  public var goneFields: [String] = []
  /// The number of records without an id, which no update can reach; the number of ids that several records have, one
  /// of these ids, and the number of its records. Zero and nil if the index has no ids.
  public var recordsWithoutID = 0
  public var sharedIDCount = 0
  public var sharedIDExample: (id: String, records: Int)?
  /// The number of records whose id is in the file of weights; nil without such a file.
  public var weightsFound: Int?
  /// The greatest weight of all records; nil if the index has no ranks.
  public var greatestWeight: UInt64?
  /// The records with usable values, for each setting that reads values of fields.
  public var fieldUses: [FieldUse] = []
  /// The number of indexed records whose key is empty or has separators and spaces alone: no text finds them.
  public var emptyKeyCount = 0
  /// The number of such records that ``BuildOptions/skipEmptyKeys`` left out.
  public var recordsLeftOut = 0
  /// The number of records that an update took out of the index, with the replaced ones.
  public var recordsRemoved = 0
  /// The number of ids that an update had to delete and that no record had.
  public var idsNotFound = 0
  /// The first hundred bad records, each with file, line, column and reason.
  public var badRecords: [String] = []
  /// Remarks on settings that the reader found by itself, for example a delimiter: a sentence for each.
  public var notes: [BuildMessage] = []
  /// The number of shards with records, as ``ShardedIndex/shardCount``. The shards of entries do not count.
  public var shardCount = 0
  /// The number of these shards with a new file.
  public var shardsWritten = 0
  /// The size of all files of the index, in bytes.
  public var bytes = 0
  /// The size of the overlay in bytes after an update with ``BuildOptions/writesOverlay``, 0 if no change is left; nil
  /// if the changes were written into shards.
  public var overlayBytes: Int?
  /// Whether the index had these records already, so that nothing was written.
  public var isUnchanged = false
  /// The damage of the previous manifest; nil if that manifest was sound.
  ///
  /// A damaged manifest does not name its shards, so all shards stay until the next build.
  public var previousDamage: String?

  public init() {}
}
