/// The summary of a build. Sizes are in bytes.
public struct BuildSummary: Sendable {
  public var recordsRead = 0
  public var recordsIndexed = 0
  public var badRecordCount = 0
  /// Inputs without a record, good or bad: each with its name and the header that it has.
  public var emptyInputs: [String] = []
  /// The number of records of the index that a build replaced; nil if there was none, or a damaged one.
  public var recordsBefore: Int?
  /// Fields that the index has and the one that a build replaced had not, and the other way round.
  public var newFields: [String] = []
  public var goneFields: [String] = []
  /// The number of records that no update can reach, since they have no id; ids that several records have, one of
  /// these, and how many have that. Zero and nil where the index has no ids.
  public var recordsWithoutID = 0
  public var sharedIDCount = 0
  public var sharedIDExample: (id: String, records: Int)?
  /// The number of records whose id the file of weights has; nil without one.
  public var weightsFound: Int?
  /// The greatest weight of all records; nil where records are not ranked.
  public var greatestWeight: UInt64?
  /// The number of records whose key is empty, so that they are found by the empty prefix alone.
  public var emptyKeyCount = 0
  /// The number of records that an update took out of the index, replaced ones included.
  public var recordsRemoved = 0
  /// Ids that an update was to delete and no record had.
  public var idsNotFound = 0
  /// The first hundred, each with file, line, column and reason.
  public var badRecords: [String] = []
  /// Remarks on settings that the reader found by itself, a delimiter for example: a sentence each.
  public var notes: [BuildMessage] = []
  public var shardCount = 0
  /// Shards whose file was not there before.
  public var shardsWritten = 0
  /// The size of all files of the index, in bytes.
  public var bytes = 0
  /// The overlay's share of them after an update with ``BuildOptions/writesOverlay``, 0 if nothing is left for one; nil
  /// if the changes were written into shards.
  public var overlayBytes: Int?
  /// The index had these records already: nothing was written.
  public var isUnchanged = false
  /// The damage of the manifest that was there; nil if it was sound.
  ///
  /// A damaged manifest does not tell which shards it named, so all are kept until the next build.
  public var previousDamage: String?

  public init() {}
}
