#if Remote && CommandLineTool
  import Answers
  import CLibrary
  import QueryOutput
  import ShardBuilder
  import ShardedIndex
  import ShardedIndexRemote
  import ShardqCommands

  /// The commands that publish indexes to stores and fetch them.
  enum StoreProgram {
    @Sendable static func run(_ request: StoreRequest) -> ExitStatus {
      signal(SIGPIPE, SIG_IGN)
      Diagnostics.isQuiet = request.isQuiet || request.isJSON
      do throws(StoreError) {
        switch request.command {
        case .publish: try Publication.run(request)
        case .fetch: try Fetching.run(request)
        case .prune: try Pruning.run(request)
        case .planRanges: try RangeWriting.plan(request)
        case .writeRange: try RangeWriting.write(request)
        case .merge: try RangeWriting.merge(request)
        case .update: try Updating.run(request)
        }
      } catch {
        Diagnostics.report(error.message)
        return error.exitStatus
      }
      return .done
    }
  }

  extension StoreError {
    /// The exit status of a command that ends with this error.
    var exitStatus: ExitStatus {
      switch kind {
      case .inputOutput: .inputOutput
      case .badData, .gone: .badData
      case .notFound: .notFound
      case .busy: .busy
      case .usage, .noConditions: .usage
      }
    }

    /// Makes the error of an index on disk.
    init(_ error: PackError) {
      let kind: Kind =
        switch error {
        case .index(let error): Self.kind(of: QueryRunner.exitStatus(of: error))
        case .build(.locked), .build(.replaced): .busy
        case .build(.io): .inputOutput
        case .build(.otherFiles), .build(.foreignFile), .build(.otherIndex), .build(.dataset(.options, _)): .usage
        case .build(.dataset(.missing, _)): .notFound
        case .build(.dataset(.io, _)): .inputOutput
        case .build(.index(let error)): Self.kind(of: QueryRunner.exitStatus(of: error))
        default: .badData
        }
      switch error {
      case .index(let error): self.init(kind, error.commandMessage)
      case .build(.otherFiles(let path, let entry)):
        self.init(
          kind, "\(path): the directory holds no index but other files, such as \(entry); name another directory")
      default: self.init(kind, error.message.text)
      }
    }

    private static func kind(of status: ExitStatus) -> Kind {
      switch status {
      case .notFound: .notFound
      case .inputOutput: .inputOutput
      case .busy: .busy
      case .usage: .usage
      default: .badData
      }
    }
  }
#endif
