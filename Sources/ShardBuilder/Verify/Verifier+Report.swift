import ShardedIndex

extension Verifier {
  /// One result of a check.
  package enum Finding: Sendable, Equatable {
    /// A file is damaged.
    case damage(file: String, reason: String)
    /// The system could not read a file, so its content is unknown.
    case unread(file: String, reason: String)
    /// A record that the index lacks, or has less often than the dataset.
    case missing(record: String, count: Int)
    /// A record that the dataset lacks, or has less often than the index.
    case unexpected(record: String, count: Int)
    /// The index answers a prefix with wrong records.
    case wrongAnswer(prefix: String, reason: String)
    /// A file in the directory that the index does not use. A file with a shard's name is of an older generation, whose
    /// readers may still use it. Such a file is not damage.
    case stray(file: String, isShard: Bool)

    package var isDamage: Bool { if case .stray = self { false } else { true } }
  }

  /// The progress of a verification.
  package struct Progress: Sendable {
    package enum Phase: Sendable { case shards, dataset, answers }
    package var phase: Phase
    /// The number of finished shards or records. The dataset may have more records than the index, which has ``total``.
    package var done: Int
    package var total: Int
  }

  /// The counts of a whole verification.
  package struct Summary: Sendable, Equatable {
    package var records = 0
    package var shards = 0
    /// The size of all files of the index in bytes.
    package var bytes = 0
    package var damagedFiles = 0
    /// The number of files, or pages of the manifest, that the system could not read.
    package var unreadFiles = 0
    /// The number of records of the dataset; nil without a dataset.
    package var sourceRecords: Int? = nil
    /// The number of bad records of the dataset, which a build reports too.
    package var badRecords = 0
    /// The number of records of the dataset that the index leaves out, because their keys have no text.
    package var recordsLeftOut = 0
    /// The number of distinct prefixes that were queried.
    package var prefixes = 0
    /// The number of records that only the dataset or only the index has.
    package var differences = 0
    package var wrongAnswers = 0
    /// The number of differences that no finding names.
    package var unlisted = 0
    /// The causes of differences between records of the same key, the most frequent first.
    package var causes: [Cause] = []
    /// The number of different shards that the check did not examine.
    package var unexaminedShards = 0

    package struct Cause: Sendable, Equatable {
      package var text: String
      package var records: Int
    }

    package var isSound: Bool { damagedFiles == 0 && unreadFiles == 0 && differences == 0 && wrongAnswers == 0 }
  }

  /// The dataset for the comparison, named as for a build.
  package struct Source: Sendable {
    /// The paths of the files; `-` is standard input.
    package var inputs: [String]
    package var options: DatasetOptions
    /// The template; nil for the template of the index.
    package var template: String?
    package var keep: [String]?
    /// The file of the records' weights; nil if there is none.
    package var weightsFile: String?

    package init(_ inputs: [String], options: DatasetOptions, template: String? = nil, keep: [String]? = nil) {
      self.inputs = inputs
      self.options = options
      self.template = template
      self.keep = keep
    }

    /// Returns the source with the paths of an index's fields, where it names columns.
    func naming(_ fields: [String]) -> Source {
      var options = BuildOptions()
      (options.key, options.keep) = (template, keep)
      options = options.naming(fields)
      var source = self
      (source.template, source.keep) = (options.key, options.keep)
      return source
    }
  }

  /// The reason why nothing could be verified.
  package enum VerifyError: Error {
    case index(IndexError)
    case source(DatasetError)
    case template(BuildError)
  }
}
