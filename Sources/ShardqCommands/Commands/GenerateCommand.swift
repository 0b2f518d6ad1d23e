#if CommandLineTool
  import ArgumentParser
  import QueryOutput
  import ShardBuilder

  extension Generator.Format: ExpressibleByArgument {}

  struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "generate",
      abstract: "Print a made-up city list of any size, to try things with.",
      discussion: """
        EXAMPLES:
          shardq generate --count 1000000 > million.json
          shardq generate --count 100000000 --format tsv | shardq build --input-format tsv -

        The same seed gives the same bytes everywhere, and a longer list begins with the records of a shorter one.
        """)

    @Option(name: .customLong("count"), help: ArgumentHelp("How many records.", valueName: "n"))
    var count: Int

    @Option(name: .customLong("seed"), help: ArgumentHelp("Another number, another list.", valueName: "n"))
    var seed: UInt64 = 1

    @Option(name: .customLong("format"), help: "json is one array, jsonl an object a line, tsv has a header.")
    var format = Generator.Format.json

    func validate() throws {
      if count < 0 { throw ValidationError("--count must be at least 0.") }
    }

    func run() throws {
      var generator = Generator(count: count, seed: seed, format: format)
      let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 16)
      defer { buffer.deallocate() }
      var output = Output()
      do throws(WriteError) {
        while true {
          let size = generator.fill(buffer)
          if size == 0 { break }
          try output.write(buffer.baseAddress!, size)
          try output.flush()
        }
      } catch {
        finish(Diagnostics.failed(error))
      }
    }
  }
#endif
