import ShardedIndex

extension Verifier {
  /// One thing that a check found.
  package enum Finding: Sendable, Equatable {
    /// A file is damaged.
    case damage(file: String, reason: String)
    /// The system did not hand a file out, so that its content is not known.
    case unread(file: String, reason: String)
    /// A record of the dataset that the index lacks, or has less often.
    case missing(record: String, count: Int)
    /// A record of the index that the dataset lacks, or has less often.
    case unexpected(record: String, count: Int)
    /// The index answers a prefix with other records than begin with it.
    case wrongAnswer(prefix: String, reason: String)
    /// A file in the directory that the index does not use. With a shard's name it is of the generation before, whose
    /// readers may still use it. It is no damage.
    case stray(file: String, isShard: Bool)

    package var isDamage: Bool { if case .stray = self { false } else { true } }
  }

  /// How far a verification has come.
  package struct Progress: Sendable {
    package enum Phase: Sendable { case shards, dataset, answers }
    package var phase: Phase
    /// Shards or records. The dataset may have more records than the index, of which there are ``total``.
    package var done: Int
    package var total: Int
  }

  /// The counts of a whole verification.
  package struct Summary: Sendable, Equatable {
    package var records = 0
    package var shards = 0
    /// The size of all files of the index.
    package var bytes = 0
    package var damagedFiles = 0
    /// Files, or pages of the manifest, that the system did not hand out.
    package var unreadFiles = 0
    /// The number of records of the dataset; nil without one.
    package var sourceRecords: Int? = nil
    /// The number of records of the dataset that no index can hold: those that a build reports.
    package var badRecords = 0
    /// The number of distinct prefixes that were queried.
    package var prefixes = 0
    /// The number of records missing from the index or in it without being in the dataset.
    package var differences = 0
    package var wrongAnswers = 0
    /// The differences that no finding names.
    package var unlisted = 0
    /// The causes by which records of the same key differ, the most frequent first.
    package var causes: [Cause] = []
    /// Shards that differ and were not looked into.
    package var unexaminedShards = 0

    package struct Cause: Sendable, Equatable {
      package var text: String
      package var records: Int
    }

    package var isSound: Bool { damagedFiles == 0 && unreadFiles == 0 && differences == 0 && wrongAnswers == 0 }
  }

  /// The dataset that an index is compared with, named as for a build.
  package struct Source: Sendable {
    /// Files, `-` for standard input.
    package var inputs: [String]
    package var options: DatasetOptions
    /// nil for the template of the index.
    package var template: String?
    package var keep: [String]?
    /// The file of the records' weights; nil if they have none from a file.
    package var weightsFile: String?

    package init(_ inputs: [String], options: DatasetOptions, template: String? = nil, keep: [String]? = nil) {
      self.inputs = inputs
      self.options = options
      self.template = template
      self.keep = keep
    }
  }

  /// Why nothing could be verified.
  package enum Failure: Error {
    case index(IndexError)
    case source(DatasetError)
    case template(BuildError)
  }
}
