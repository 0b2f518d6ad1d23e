#if CommandLineTool
  import ArgumentParser
  import QueryOutput

  /// The scripts that bind a key of a shell to the list: it inserts the chosen names at the cursor.
  ///
  /// The names are quoted as the shell reads them. The list takes `$SHARDQ_UI_OPTS` after its own height, so that the
  /// user's counts.
  enum ShellBindings {
    /// A key that all three shells bind.
    struct ShellKey: ExpressibleByArgument {
      private let letter: Character
      private let isAlt: Bool

      init?(argument: String) {
        switch Key(named: argument) {
        case .letter(let letter)? where letter.isLetter: (self.letter, isAlt) = (letter, false)
        case .alt(.text(let text))? where text.count == 1 && text.utf8.allSatisfy { 0x61...0x7a ~= $0 }:
          (letter, isAlt) = (Character(text), true)
        default: return nil
        }
      }

      static let usual = ShellKey(argument: "ctrl-t")!

      fileprivate func text(in shell: CompletionsCommand.Shell) -> String {
        switch shell {
        case .bash: isAlt ? "\\e\(letter)" : "\\C-\(letter)"
        case .zsh: isAlt ? "\\e\(letter)" : "^\(letter.uppercased())"
        case .fish: isAlt ? "\\e\(letter)" : "\\c\(letter)"
        }
      }
    }

    private static let list = "command shardq ui --multi --print-key --print0"

    static func script(for shell: CompletionsCommand.Shell, key: ShellKey) -> String {
      let name = key.text(in: shell)
      switch shell {
      case .bash:
        return #"""
          __shardq_select() {
            SHARDQ_UI_OPTS="--height 40% ${SHARDQ_UI_OPTS-}" \#(list) |
              while IFS= read -r -d '' name; do printf '%q ' "$name"; done
          }
          shardq-widget() {
            local selected
            selected="$(__shardq_select)"
            READLINE_LINE="${READLINE_LINE:0:READLINE_POINT}$selected${READLINE_LINE:READLINE_POINT}"
            READLINE_POINT=$((READLINE_POINT + ${#selected}))
          }
          # Lines of bash can be changed from version 4 on.
          if [[ $- == *i* ]] && ((BASH_VERSINFO[0] >= 4)); then
            bind -m emacs-standard -x '"\#(name)": shardq-widget'
            bind -m vi-command -x '"\#(name)": shardq-widget'
            bind -m vi-insert -x '"\#(name)": shardq-widget'
          fi

          """#
      case .zsh:
        return #"""
          __shardq_select() {
            setopt localoptions no_aliases 2>/dev/null
            local name
            SHARDQ_UI_OPTS="--height 40% ${SHARDQ_UI_OPTS-}" \#(list) |
              while IFS= read -r -d '' name; do print -rn -- "${(q)name} "; done
          }
          shardq-widget() {
            LBUFFER="${LBUFFER}$(__shardq_select)"
            zle reset-prompt
          }
          if [[ -o interactive ]]; then
            zle -N shardq-widget
            bindkey -M emacs '\#(name)' shardq-widget
            bindkey -M vicmd '\#(name)' shardq-widget
            bindkey -M viins '\#(name)' shardq-widget
          fi

          """#
      case .fish:
        return #"""
          function shardq-widget
              set -lx SHARDQ_UI_OPTS "--height 40% $SHARDQ_UI_OPTS"
              \#(list) | while read -lz name
                  commandline -i -- (string escape -- $name)" "
              end
              commandline -f repaint
          end
          if status is-interactive
              bind \#(name) shardq-widget
              bind -M insert \#(name) shardq-widget
          end

          """#
      }
    }
  }

  extension CompletionsCommand.Shell: EnumerableFlag {
    static func help(for value: Self) -> ArgumentHelp? {
      ArgumentHelp("Print a script for \(value.rawValue) that binds Ctrl-T: the list inserts names at the cursor.")
    }
  }
#endif
