#if CommandLineTool
  import Answers
  import QueryOutput
  import ShardBuilder

  extension BuildSetting {
    /// The option of the command that sets it.
    package var option: String {
      switch self {
      case .key: "--key"
      case .id: "--id"
      case .keep: "--keep"
      case .weight: "--weight"
      case .weightsFile: "--weights"
      case .alias: "--alias"
      case .searchField: "--search-field"
      case .filter: "--filter"
      case .number: "--number"
      case .names: "--names"
      case .indexKey, .indexID: rawValue
      case .inputFormat: "--input-format"
      case .columns: "--columns"
      case .skipsBad: "--skip-bad"
      case .skipsEmptyKeys: "--skip-empty-keys"
      case .memory: "--memory"
      case .allowsEmpty: "--allow-empty"
      case .coordinates: "--coordinates"
      case .near: "--near"
      case .shardLimit: "--shard-size"
      case .starts: "--starts"
      case .minimumRecords: "--min-records"
      case .replacesOtherIndex, .takesUnproven: "--force"
      case .delimiter: "--delimiter"
      case .skippedLines: "--skip-lines"
      case .comment: "--comment"
      case .namesColumns: "--name-columns"
      case .isRagged: "--ragged"
      case .encoding: "--encoding"
      case .null: "--null"
      case .decimal: "--decimal"
      case .recordsPath: "--records"
      case .merge: "--merge"
      case .expectedDigest: "--expect-digest"
      }
    }
  }

  extension BuildFunction {
    /// The command of that function.
    package var command: String {
      switch self {
      case .build: "shardq build"
      case .update: "shardq update"
      case .repair: "shardq repair"
      case .planRanges: "shardq plan-ranges"
      case .writeRangeKeys: "shardq key"
      case .writeRanges: "shardq write-range"
      case .export: "shardq export"
      }
    }
  }

  extension BuildMessage {
    /// The message, with the names of options and commands.
    package var text: String { text(\.option, \.command) }
  }

  extension BuildError {
    /// The message, with the names of options.
    package var text: String { if case .index(let error) = self { error.commandMessage } else { message.text } }
  }
#endif
