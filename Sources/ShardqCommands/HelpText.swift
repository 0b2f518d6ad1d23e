#if CommandLineTool
  import CLibrary

  /// The layout of help.
  enum HelpText {
    /// The columns of help: those of the terminal, 78 at most.
    static var columns: Int {
      var window = winsize()
      guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0 else { return 78 }
      return min(78, max(40, Int(window.ws_col)))
    }
  }
#endif
