#if CommandLineTool
  import Answers
  import ArgumentParser
  import Footprint
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  extension Generator.Format: ExpressibleByArgument {}

  struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "generate",
      abstract: "Print a made-up city list of any size, or made-up typing, for tests.",
      usage: """
        shardq generate [<options>] --count <n>
        shardq generate [<options>] --typing <n>
        """,
      discussion: """
        EXAMPLES:
          shardq generate --count 1000000 > million.json
          shardq generate --count 1000000 --format tsv > million.tsv
          shardq generate --typing 5000 --index cities > typing.log

        The same seed gives the same bytes on every machine. A longer list begins with the records of a \
        shorter list.

        Made-up typing is a query log of people who look for records of an index, with mistakes, \
        backspaces and pauses. Each change of the search box is a line: the milliseconds since the line \
        before, a tab, and the text in the box. The text is empty where the box is cleared. A longer log \
        begins with the lines of a shorter log.

        DOCUMENTATION:
          man shardq-generate, docs/typing.md
        """)

    @Option(name: .customLong("count"), help: ArgumentHelp("The number of records.", valueName: "n"))
    var count: Int?

    @Option(
      name: .customLong("typing"),
      help: ArgumentHelp("The number of keys typed. Lines that clear the box come on top.", valueName: "n"))
    var typing: Int?

    @OptionGroup(title: "Index") var location: IndexLocation

    @Option(
      name: .customLong("seed"), help: ArgumentHelp("The seed: another number gives another list.", valueName: "n"))
    var seed: UInt64 = 1

    @Option(
      name: .customLong("format"),
      help: "json is one array (default), jsonl has an object a line, tsv has a header.")
    var format: Generator.Format?

    @Flag(name: .customLong("json"), help: "Print one JSON object with all records, or all typing, in it.")
    var isJSON = false

    func validate() throws {
      if (count == nil) == (typing == nil) {
        throw ValidationError("--count prints records and --typing prints typing; give one of the two")
      }
      if let count, count < 0 { throw ValidationError("--count must be at least 0") }
      if let typing, typing < 0 { throw ValidationError("--typing must be at least 0") }
      if isJSON, format != nil { throw ValidationError("--json and --format exclude each other; leave out one") }
      if typing != nil, format != nil { throw ValidationError("--format goes with --count; leave out --format") }
      if typing == nil, location.index != nil { throw ValidationError("--index goes with --typing; leave out --index") }
    }

    func run() throws {
      if let typing { return writeTyping(typing) }
      var generator = Generator(count: count ?? 0, seed: seed, format: format ?? .json)
      let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 16)
      defer { buffer.deallocate() }
      var output = Output()
      do throws(WriteError) {
        if isJSON { try output.write(head(count ?? 0, "records")) }
        while true {
          let size = generator.fill(buffer)
          if size == 0 { break }
          try output.write(buffer.baseAddress!, size)
          try output.flush()
        }
        if isJSON { try output.write("}\n" as StaticString) }
        try output.flush()
      } catch {
        finish(Diagnostics.failed(error))
      }
    }

    /// The beginning of the object: all but the member that has the records, or the typing.
    private func head(_ count: Int, _ member: String) -> String {
      "\(JSONText.schema)\"command\":\"generate\",\"count\":\(count),\"seed\":\(seed),\"\(member)\":"
    }

    private func write(_ keystroke: Keystroke, isFirst: Bool, to output: inout Output) throws(WriteError) {
      guard isJSON else { return try output.write(keystroke.line) }
      try output.write((isFirst ? "" : ",") + "{\"milliseconds\":\(keystroke.pauseMilliseconds),\"text\":")
      try JSONText.write(keystroke.text, to: &output)
      try output.write("}" as StaticString)
    }

    private func writeTyping(_ count: Int) {
      let index = open(location)
      var output = Output()
      func write(_ body: (inout Output) throws(WriteError) -> Void) {
        do throws(WriteError) { try body(&output) } catch { finish(Diagnostics.failed(error)) }
      }
      do throws(IndexError) {
        var generator = try TypingGenerator(index: index, seed: seed)
        var (written, isFirst) = (0, true)
        if isJSON { write { (output) throws(WriteError) in try output.write(head(count, "keystrokes") + "[") } }
        while written < count {
          guard let keystroke = try generator.next() else {
            Diagnostics.report("\(index.path) has no key that can be typed; name another index")
            finish(.badData)
          }
          write { (output) throws(WriteError) in try self.write(keystroke, isFirst: isFirst, to: &output) }
          isFirst = false
          if !keystroke.beginsSession { written += 1 }
        }
      } catch {
        finish(QueryRunner.report(error))
      }
      write { (output) throws(WriteError) in
        if isJSON { try output.write("]}\n" as StaticString) }
        try output.flush()
      }
    }
  }
#endif
