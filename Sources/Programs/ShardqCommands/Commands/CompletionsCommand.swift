#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput

  struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "completions",
      abstract: "Print a shell's completion script.",
      usage: "shardq completions <shell>",
      discussion: """
        EXAMPLES:
          source <(shardq completions bash)        in ~/.bashrc
          shardq completions zsh > ~/.zfunc/_shardq    a directory of $fpath
          shardq completions fish | source         in ~/.config/fish/config.fish

        make install and the Debian package install the scripts for all three shells.

        DOCUMENTATION:
          man shardq-completions, docs/install.md
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

    @Flag(name: .customLong("json"), help: "Print one JSON object with the script in it.")
    var isJSON = false

    func run() throws {
      if isJSON {
        var report = Report(of: "completions")
        report.add("shell", .text(shell.rawValue))
        report.add("script", .text(Self.script(for: shell)))
        return report.print(.json)
      }
      var output = Output()
      do throws(WriteError) {
        try output.write(Self.script(for: shell))
        try output.flush()
      } catch {
        finish(Diagnostics.failed(error))
      }
    }

    /// Returns the script that the parser's library generates, changed so that the options of `query` follow a first
    /// word that is no command, and that names complete, those of indexes beside paths. `Tests/Install` types into the
    /// shells and looks.
    static func script(for shell: Shell) -> String {
      let script = CompletedCommand.completionScript(for: shell.completionShell)
      switch shell {
      case .bash:
        return bashNames(
          script.replacing(
            """
                    # Offer subcommand completions
                    COMPREPLY
            """,
            with: """
                      [[ "${#unparsed_words[@]}" -eq 0 ]] || { _shardq_query; return; }
                      [[ "${cur}" = -* ]] || __shardq_names
                      # Offer subcommand completions
                      COMPREPLY
              """
          ).replacing("        __shardq_add_completions -W ''\n", with: "        __shardq_names\n")
            .replacing(
              "'-i'|'--index')\n        __shardq_add_completions -f\n",
              with: "'-i'|'--index')\n        __shardq_add_completions -f\n        __shardq_names\n"))
      case .zsh:
        return zshNames(
          script.replacing(
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
              """
          ).replacing(
            "_describe -V subcommand subcommands && ret=0",
            with: "__shardq_names && ret=0\n        _describe -V subcommand subcommands && ret=0"
          ).replacing("{__shardq_complete \"${_prefix[@]}\"}", with: "{__shardq_names}")
            .replacing(":dir:_files'", with: ":dir:{_files; __shardq_names}'"))
      case .fish:
        let lines = script.split(separator: "\n", omittingEmptySubsequences: false)
        let named = lines.map { $0.contains("-l 'index'") && $0.hasSuffix(" -rF") ? $0 + " -a '(__shardq_names)'" : $0 }
        return named.joined(separator: "\n") + """

          function __shardq_names
              set -l words (commandline -opc) (commandline -ct | string unescape)
              command $words[1] \(NameCompletion.argument) $words[2..] 2>/dev/null
          end
          complete -c 'shardq' -fka '(__shardq_names)'

          """
      }
    }

    /// Adds to a script of bash the function that completes names: the words as the shell has them, without quotes. It
    /// returns the names without quotes too, since `complete -o filenames` quotes them for the line, except `$` and
    /// backquotes outside quotes.
    private static func bashNames(_ script: String) -> String {
      script.replacing(
        "_shardq() {\n",
        with: #"""
          __shardq_names() {
              local word name
              local -a names=() found=()
              for word in "${COMP_WORDS[@]:1:${COMP_CWORD}}"; do
                  word="${word#[\"\']}"
                  word="${word%[\"\']}"
                  names+=("${word//\\/}")
              done
              while IFS='' read -r name; do
                  found+=("${name}")
              done < <("${COMP_WORDS[0]}" \#(NameCompletion.argument) "${names[@]}" 2>/dev/null)
              if [[ "${COMP_WORDS[COMP_CWORD]}" != [\"\']* && "${found[*]}" = *[\$\`]* ]]; then
                  compopt +o filenames
                  for word in "${!found[@]}"; do
                      printf -v "found[${word}]" %q "${found[${word}]}"
                  done
              fi
              COMPREPLY+=("${found[@]}")
          }

          _shardq() {

          """#, maxReplacements: 1)
    }

    /// The same for zsh, which does not quote the sign of its history.
    private static func zshNames(_ script: String) -> String {
      script.replacing(
        "_shardq() {\n",
        with: #"""
          __shardq_names() {
              local -a names
              names=("${(@f)$("${command_name}" \#(NameCompletion.argument) "${(@Q)command_line[2,current_word_index+1]}" 2>/dev/null)}")
              [[ -n "${names[1]}" ]] || return 1
              if [[ -z "${compstate[quote]}" && "${names[*]}" = *\!* ]]; then
                  compadd -QU -- "${(@)${(@q)names}//\!/\\!}"
              else
                  compadd -U -- "${names[@]}"
              fi
          }

          _shardq() {

          """#, maxReplacements: 1)
    }
  }

  extension CompletionKind {
    /// The completion of free text. Without it zsh shows the name of the argument, and then does not complete the options.
    static var nothing: CompletionKind { .list([]) }
  }

  /// The command that scripts are generated from. It is never parsed. A plain query needs no command word, so its
  /// options stand beside the commands.
  private struct CompletedCommand: ParsableCommand {
    static let configuration = Shardq.configuration
    @OptionGroup var query: QueryOptions
  }
#endif
