import QueryOutput
import ShardedIndex

extension TypingList {
  /// Runs the list for screen readers and for terminals that cannot move the cursor: every change is one line of text.
  ///
  /// A line has the typed text, the number of matches and the selected one; nothing is drawn over.
  mutating func runPlain() -> Outcome {
    Terminal.enter(farewell: [])
    Terminal.write(
      Array("Type the first letters. Down and up go through the matches, Enter takes one, Escape ends.\n".utf8))
    model.resize(height: 1)
    model.ask(editor.text)
    say()
    var said = (editor.text, model.selection)
    while true {
      var keys: [Key] = []
      switch Terminal.next(within: decoder.delay) {
      case .input(let bytes): keys = decoder.feed(bytes)
      case .nothing: keys = decoder.timedOut()
      case .stop:
        Terminal.suspend()
        Terminal.resume()
      case .continued: Terminal.resume()
      case .resized: break
      case .closed: return .closed
      }
      for key in keys {
        switch key {
        case .tab, .letter("l"): say()
        case .letter("z"):
          Terminal.suspend()
          Terminal.resume()
        default:
          if let outcome = handle(key) {
            Terminal.leave()
            return outcome
          }
        }
      }
      synchronize()
      if said != (editor.text, model.selection) {
        said = (editor.text, model.selection)
        say()
      }
    }
  }

  private mutating func say() {
    var line = DisplayText()
    line.text(editor.text, limit: 200, ellipsis: "...", isolates: false)
    line.plain(editor.characters.isEmpty ? "" : ": ")
    if let failure = model.failure {
      line.text(failure.commandMessage, limit: 400, ellipsis: "...", isolates: false)
    } else if let row = model.selectedRow {
      line.plain("\(QueryRunner.grouped(model.selection + 1)) of \(ListScreen.count(model)), ")
      if let correction = model.correction {
        line.text("results for " + correction + ": ", limit: 200, ellipsis: "...", isolates: false)
      }
      line.text(row.title, limit: 200, ellipsis: "...", isolates: false)
      if let latitude = row.latitude, let longitude = row.longitude {
        line.text(", " + latitude + ", " + longitude, limit: 60, ellipsis: "...", isolates: false)
      }
    } else {
      line.plain("no match")
      if let nearest = model.nearest {
        line.plain("; nearest: ")
        line.text(nearest, limit: 200, ellipsis: "...", isolates: false)
      }
    }
    Terminal.write(line.bytes + [0x0a])
  }
}
