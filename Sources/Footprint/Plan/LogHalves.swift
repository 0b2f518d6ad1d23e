/// A query log's sessions, every other one: one half to choose by, the other to check the choice with.
struct LogHalves: ~Copyable {
  struct Counts: Equatable, Sendable {
    var sessions = 0
    var keystrokes = 0
  }

  private var reader: QueryLogReader
  private var before = ""
  /// Of the session under way.
  private var half = 1
  /// Of what was read so far, by half.
  private(set) var counts = [Counts(), Counts()]

  init(opening path: String) throws(PlanError) {
    do throws(QueryLogError) { reader = try QueryLogReader(opening: path) } catch { throw .log(error) }
  }

  /// The next text that somebody searched for, and in which half; nil at the end.
  ///
  /// A session begins where the box was cleared before, and where nothing of what was in it is left at its beginning:
  /// so a list of queries alone has sessions as well.
  mutating func next() throws(PlanError) -> (text: String, half: Int)? {
    do throws(QueryLogError) {
      while let keystroke = try reader.next() {
        defer { before = keystroke.text }
        guard !keystroke.beginsSession else { continue }
        if before.first != keystroke.text.first {
          half = 1 - half
          counts[half].sessions += 1
        }
        counts[half].keystrokes += 1
        return (keystroke.text, half)
      }
      return nil
    } catch {
      throw .log(error)
    }
  }

  /// What a log has, by half.
  static func counts(of path: String) throws(PlanError) -> [Counts] {
    var halves = try LogHalves(opening: path)
    while try halves.next() != nil {}
    return halves.counts
  }
}
