/// The two halves of a query log: its sessions belong to them in turn. One half chooses, the other half checks the
/// choice.
package struct LogHalves: ~Copyable {
  /// The numbers of sessions and keystrokes of a half.
  package struct HalfCounts: Equatable, Sendable {
    package var sessions = 0
    package var keystrokes = 0
  }

  private var reader: QueryLogReader
  private var before = ""
  /// The half of the current session.
  private var half = 1
  /// The counts of the lines read so far, by half.
  package private(set) var counts = [HalfCounts(), HalfCounts()]

  package init(opening path: String) throws(PlanError) {
    do throws(QueryLogError) { reader = try QueryLogReader(opening: path) } catch { throw .log(error) }
  }

  /// Returns the next searched text and its half; nil at the end.
  ///
  /// A session begins after the box was cleared. A session also begins where the text begins with another character
  /// than the text before. So a plain list of queries has sessions as well.
  package mutating func next() throws(PlanError) -> (text: String, half: Int)? {
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

  /// Counts the sessions and keystrokes of a whole log, by half.
  package static func counts(of path: String) throws(PlanError) -> [HalfCounts] {
    var halves = try LogHalves(opening: path)
    while try halves.next() != nil {}
    return halves.counts
  }
}
