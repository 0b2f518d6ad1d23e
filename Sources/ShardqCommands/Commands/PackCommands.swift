#if CommandLineTool
  import ArgumentParser
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  import CLibrary

  struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "diff",
      abstract: "Write a patch between two indexes.",
      discussion: """
        EXAMPLES:
          shardq diff yesterday today -o today.pack      then, where a copy of yesterday is: shardq apply today.pack
          shardq diff old new -o - | ssh host shardq apply -i /srv/cities -

        A patch, a pack file, holds the new manifest and the shards that the old index
        lacks, of both only the parts that the old index has not. The file appears
        under its name once it is whole.
        """)

    @Argument(help: ArgumentHelp("The directory of the index to begin with.", valueName: "old"), completion: .directory)
    var old: String

    @Argument(help: ArgumentHelp("The directory of the index to end with.", valueName: "new"), completion: .directory)
    var new: String

    @Option(
      name: [.customShort("o"), .customLong("output")],
      help: ArgumentHelp("The pack; - for standard output.", valueName: "pack"), completion: .file())
    var output: String

    func validate() throws {
      if output == "" { throw ValidationError("--output is empty: name a file, or - for standard output.") }
      if output == "-", isatty(STDOUT_FILENO) == 1 {
        throw ValidationError("A pack is nothing to be read on a terminal: name a file with -o, or use a pipe.")
      }
    }

    func run() throws {
      do throws(PackError) {
        let summary = try ShardBuilder.diff(old: old, new: new, to: output)
        let (number, counted) = (QueryRunner.grouped, QueryRunner.counted)
        Diagnostics.note(
          summary.oldDigest == summary.newDigest
            ? "both are the same: a pack that changes nothing, \(counted(summary.bytes, "byte", nil))"
            : "\(number(summary.shardsShipped)) of \(counted(summary.shardCount, "shard", nil)) in the pack, \(counted(summary.bytes, "byte", nil)); from \(summary.oldDigest.prefix(16)) to \(summary.newDigest.prefix(16))"
        )
      } catch {
        finish(report(error))
      }
    }
  }

  struct ApplyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "apply",
      abstract: "Update an index with a patch.",
      discussion: """
        EXAMPLES:
          shardq apply today.pack                        to ./shards
          shardq apply -i /srv/cities today.pack
          curl -s https://example.org/today.pack | shardq apply -i /srv/cities -

        Readers see the old index until the new one is complete. If apply is
        interrupted, run it again. A pack that was not made from this very index is
        refused, and so is a damaged one. An index that is up to date already is left
        as it is.
        """)

    @OptionGroup var location: IndexLocation

    @Option(
      name: .customLong("expect-digest"),
      help: ArgumentHelp("The SHA-256 that the updated manifest must have.", valueName: "hex"))
    var expectedDigest: ManifestDigest?

    @Argument(help: ArgumentHelp("The pack; - for standard input.", valueName: "pack"), completion: .file())
    var pack: String

    func run() throws {
      let directory = QueryRunner.indexPath(location.index)
      do throws(PackError) {
        let summary = try ShardBuilder.apply(pack: pack, to: directory, expecting: expectedDigest)
        let (number, counted) = (QueryRunner.grouped, QueryRunner.counted)
        if summary.wasThere {
          Diagnostics.note("\(directory) is at \(summary.digest.prefix(16)) already: nothing written")
        } else {
          Diagnostics.note(
            "\(counted(summary.shardCount, "shard", nil)) in \(directory), \(number(summary.shardsWritten)) of them written; now at \(summary.digest.prefix(16))"
          )
        }
      } catch {
        finish(report(error))
      }
    }
  }

  /// Reports why a pack was not made or applied, and returns the status to end with.
  private func report(_ error: PackError) -> ExitStatus {
    switch error {
    case .index(let error): return QueryRunner.report(error)
    case .build(.io("write", "standard output", let code)): return Diagnostics.failed(WriteError(errno: code))
    case .build(let error):
      Diagnostics.report("\(error)")
      return error.exitStatus
    default:
      Diagnostics.report("\(error)")
      return .badData
    }
  }
#endif
