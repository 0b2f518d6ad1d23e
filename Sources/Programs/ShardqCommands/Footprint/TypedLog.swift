#if CommandLineTool
  import Answers
  import Footprint
  import QueryOutput
  import ShardedIndex

  import CLibrary

  /// A query log on its way to a file, with its keys and sessions counted.
  struct TypedLog: ~Copyable {
    private(set) var keyCount = 0
    private(set) var sessionCount = 0
    private let path: String
    private let file: CInt
    private var output: Output
    private var wasCleared = true

    init(_ path: String) throws(CommandFailure) {
      self.path = path
      file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      output = Output(file)
      guard file >= 0 else { throw .cannotWrite(path, errno) }
    }

    deinit { close(file) }

    /// Copies a log, checked line by line.
    mutating func copy(_ log: String) throws(CommandFailure) {
      var reader: QueryLogReader
      do throws(QueryLogError) { reader = try QueryLogReader(opening: log) } catch { throw CommandFailure(error) }
      while true {
        let keystroke: Keystroke?
        do throws(QueryLogError) { keystroke = try reader.next() } catch { throw CommandFailure(error) }
        guard let keystroke else { return }
        try add(keystroke)
      }
    }

    /// Makes up typing for an index.
    mutating func makeUp(for index: ShardedIndex, seed: UInt64, keyCount wanted: Int) throws(CommandFailure) {
      var typing: TypingGenerator
      do throws(IndexError) {
        typing = try TypingGenerator(index: index, seed: seed)
      } catch {
        throw CommandFailure(error)
      }
      while keyCount < wanted {
        let keystroke: Keystroke?
        do throws(IndexError) { keystroke = try typing.next() } catch { throw CommandFailure(error) }
        guard let keystroke else { return }
        try add(keystroke)
      }
    }

    /// Writes the lines that are still buffered.
    mutating func end() throws(CommandFailure) {
      do throws(WriteError) { try output.flush() } catch { throw .cannotWrite(path, error.errno) }
    }

    private mutating func add(_ keystroke: Keystroke) throws(CommandFailure) {
      do throws(WriteError) { try output.write(keystroke.line) } catch { throw .cannotWrite(path, error.errno) }
      if !keystroke.beginsSession {
        keyCount += 1
        if wasCleared { sessionCount += 1 }
      }
      wasCleared = keystroke.beginsSession
    }
  }

  extension QueryLogError {
    /// The status of a command that cannot read a log.
    var status: ExitStatus {
      switch self {
      case .io("open", _, ENOENT), .io("open", _, EACCES), .io("open", _, ENOTDIR): .notFound
      case .io: .inputOutput
      default: .badData
      }
    }
  }
#endif
