#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardedIndex

  struct FacetsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "facets",
      abstract: "Print the values of a field that the index filters by.",
      usage: "shardq facets <field> [<options>]",
      discussion: """
        EXAMPLES:
          shardq facets country                    the most frequent values
          shardq facets country --starting-with f  values that begin with f
          shardq facets country --json | jq .values

        Each line has the number of records with a value, and the value. shardq query --facet prints the \
        values among the matches of a prefix. Exit status 1 if there are no values.

        DOCUMENTATION:
          man shardq-facets, docs/facets.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation
    @OptionGroup(title: "Index") var pin: IndexPin

    @Argument(help: "The field, which the index was built with --filter or --number for.", completion: .nothing)
    var field: String

    @Option(
      name: .customLong("starting-with"),
      help: ArgumentHelp("The beginning of the values; case and accents do not matter.", valueName: "text"))
    var start = ""

    @Option(
      name: [.customShort("n", allowingJoined: true), .customLong("limit")],
      help: ArgumentHelp("The most values to print, at most 100.", valueName: "n"))
    var limit = ShardedIndex.Facet.valueLimit

    @Flag(name: .customLong("json"), help: "Print one JSON object.")
    var isJSON = false

    func validate() throws {
      guard 1...ShardedIndex.Facet.valueLimit ~= limit else {
        throw ValidationError("--limit must be from 1 to \(ShardedIndex.Facet.valueLimit)")
      }
    }

    func run() throws {
      let index = open(location, options: .init(expectedDigest: pin.expectedDigest))
      let facet: ShardedIndex.Facet
      do throws(IndexError) { facet = try index.facets(field, startingWith: start, limit: limit) } catch {
        finish(QueryRunner.report(error))
      }
      var output = Output()
      do throws(WriteError) {
        if isJSON {
          try AnswerObject.write(valuesOf: facet, &output)
        } else {
          try FacetText.write(facet, to: &output)
        }
        try output.flush()
      } catch {
        finish(Diagnostics.failed(error))
      }
      if !isJSON, facet.hasMore { Diagnostics.note("more values; --starting-with finds them") }
      finish(facet.values.isEmpty ? .negative : .done)
    }
  }
#endif
