import ShardedIndex

extension Verifier {
  /// Compares the starts with the records, if all other files are sound.
  ///
  /// Reads every record of the starts, and the records that should be there.
  mutating func checkStarts() {
    let manifest = index.generation.manifest
    guard manifest.hasStarts == IndexSettings(of: manifest.root).starts else {
      return damage(
        manifestName, manifest.hasStarts ? "has starts that no setting names" : "has no starts, which its settings name"
      )
    }
    do throws(IndexError) {
      // No answer uses some bytes of the starts, such as their notes.
      try manifest.checkFrames()
      guard let starts = try ShardedIndex(startsOf: index), let head = try index.generation.starts()?.head else {
        return
      }
      // Starts do not have the changes of an overlay.
      let whole = ShardedIndex(manifest, in: index.directory)
      let known: Set<[UInt8]>
      do throws(BuildError) { known = Set(try WrittenStarts.texts(of: whole).map(\.text)) } catch { return }
      // Starts that would be too large leave texts out.
      let texts = head.texts
      guard known.isSuperset(of: texts) else { return damage(manifestName, "has starts of other texts") }
      let positions = try WrittenStarts.positions(of: texts, in: whole, isByRank: head.isByRank).sorted()
      let (records, all) = (try starts.matches(forPrefix: ""), try whole.matches(forPrefix: ""))
      guard records.count == positions.count else { return damage(manifestName, "has starts of other records") }
      for (number, position) in positions.enumerated() {
        let (start, record) = try (records.records(in: number..<number + 1), all.records(in: position..<position + 1))
        guard start[0] == record[0] else { return damage(manifestName, "has starts of other records") }
      }
      for text in texts {
        let found = try WrittenStarts.positions(of: [text], in: starts, isByRank: head.isByRank).map { positions[$0] }
        guard Set(found) == (try WrittenStarts.positions(of: [text], in: whole, isByRank: head.isByRank)) else {
          return damage(manifestName, "has starts with other answers than all records")
        }
      }
    } catch {
      report(error, of: manifestName, ", in its starts")
    }
  }
}
