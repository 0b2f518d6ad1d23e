#if CommandLineTool
  import CLibrary

  /// The layout of help.
  enum HelpText {
    /// The answer to a command line without words, where there is no index to search.
    static let firstSteps = """
      shardq finds names as you type, in lists of any size.

        shardq build FILE    make an index in ./shards
        shardq san           print the best matches of a text
        shardq               type, and see the matches
        shardq --help        all commands and examples

      The first step, with a list in CSV, TSV, JSON or lines: shardq build FILE
      """

    /// The columns of help: those of the terminal, 78 at most.
    static var columns: Int {
      var window = winsize()
      guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0 else { return 78 }
      return min(78, max(40, Int(window.ws_col)))
    }
  }
#endif
