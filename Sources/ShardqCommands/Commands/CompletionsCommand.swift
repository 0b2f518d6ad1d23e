#if CommandLineTool
  import ArgumentParser
  import QueryOutput

  struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "completions",
      abstract: "Print a shell's completion script.",
      discussion: """
        EXAMPLES:
          source <(shardq completions bash)                in ~/.bashrc
          shardq completions zsh > ~/.zfunc/_shardq        a directory of $fpath
          shardq completions fish | source                 in ~/.config/fish/config.fish

        make install and the Debian package put all three where shells look for them.
        """)

    enum Shell: String, ExpressibleByArgument, CaseIterable {
      case bash, zsh, fish

      var completionShell: CompletionShell {
        switch self {
        case .bash: .bash
        case .zsh: .zsh
        case .fish: .fish
        }
      }
    }

    @Argument(help: "The shell.")
    var shell: Shell

    func run() throws {
      var output = Output()
      do throws(WriteError) {
        try output.write(Self.script(for: shell))
        try output.flush()
      } catch {
        finish(Diagnostics.failed(error))
      }
    }

    /// Returns the script that the parser's library generates, changed so that the options of `query` follow a first
    /// word that is no command. Fish needs no change. `Tests/Install` types into the shells and looks.
    static func script(for shell: Shell) -> String {
      let script = CompletedCommand.completionScript(for: shell.completionShell)
      switch shell {
      case .bash:
        return script.replacing(
          """
                  # Offer subcommand completions
                  COMPREPLY
          """,
          with: """
                    [[ "${#unparsed_words[@]}" -eq 0 ]] || { _shardq_query; return; }
                    # Offer subcommand completions
                    COMPREPLY
            """)
      case .zsh:
        return script.replacing(
          """
                      "_shardq_${words[1]}" && ret=0
                      ;;
          """,
          with: """
                        "_shardq_${words[1]}" && ret=0
                        ;;
                    *)
                        _shardq_query && ret=0
                        ;;
            """)
      case .fish:
        return script
      }
    }
  }

  extension CompletionKind {
    /// The completion of free text. Without it zsh shows what it expects there, and then does not complete the options.
    static var nothing: CompletionKind { .list([]) }
  }

  /// The command that scripts are generated from. It is never parsed. A plain query needs no command word, so its
  /// options stand beside the commands.
  private struct CompletedCommand: ParsableCommand {
    static let configuration = Shardq.configuration
    @OptionGroup var query: QueryOptions
  }
#endif
