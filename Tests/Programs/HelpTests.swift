#if CommandLineTool
  import ArgumentParser
  import Testing

  import ShardqCommands

  @Suite("Help") struct HelpTests {
    static let commands: [any ParsableCommand.Type] = [Shardq.self] + Shardq.configuration.subcommands

    /// The lines of a command's help.
    static func lines(_ command: any ParsableCommand.Type, columns: Int) -> [Substring] {
      Shardq.helpMessage(for: command, columns: columns).split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test("help takes 78 columns, and breaks no example and no usage line", arguments: commands.indices)
    func layout(number: Int) {
      let command = Self.commands[number]
      for line in Self.lines(command, columns: 78) where line.count > 78 {
        Issue.record("\(line.count): \(line)")
      }
      let wide = Self.lines(command, columns: 2000)
      let usage = wide.firstIndex { $0.hasPrefix("USAGE: ") }!
      for line in wide[..<usage] where line.hasPrefix("  ") && line.count > 78 { Issue.record("\(line)") }
      // Paragraphs are not wrapped by hand: an empty line follows each line of a paragraph.
      for at in 1..<usage where !wide[at].isEmpty && !wide[at].hasPrefix(" ") && !wide[at].hasSuffix(":") {
        #expect(wide[at + 1].isEmpty, "\(wide[at])")
      }
      #expect(wide[usage].dropFirst(7).hasPrefix("shardq"))
      #expect(wide[usage].count <= 78)
    }

    @Test("help begins with examples, and names the documentation", arguments: commands.indices)
    func order(number: Int) {
      let text = Self.lines(Self.commands[number], columns: 78)
      #expect(text[0].hasPrefix("OVERVIEW: "))
      #expect(text.prefix(4).contains("EXAMPLES:"), "\(text.prefix(4))")
      #expect(text.contains { $0.hasPrefix("  ") && $0.contains("docs/") })
    }

    @Test("help has nouns, and no clauses in their place", arguments: commands.indices)
    func nouns(number: Int) {
      for line in Self.lines(Self.commands[number], columns: 2000)
      where line.contains(/\b([Ww]hat|[Ww]hoever)\b/) {
        Issue.record("\(line)")
      }
    }

    @Test("help puts at most 14 options under one heading", arguments: commands.indices)
    func groups(number: Int) {
      var (heading, counts): (Substring, [Substring: Int]) = ("", [:])
      for line in Self.lines(Self.commands[number], columns: 78) {
        if !line.hasPrefix(" "), line.hasSuffix(":") { heading = line }
        if line.hasPrefix("  -") { counts[heading, default: 0] += 1 }
      }
      for (heading, count) in counts where count > 14 { Issue.record("\(heading) \(count)") }
    }
  }
#endif
