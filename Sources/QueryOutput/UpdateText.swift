/// What an update says of itself, whichever executable makes it.
package enum UpdateText {
  package static func changes(read: Int, bad: Int, replaced: Int, records: Int, idsNotFound: Int) -> String {
    let (number, counted) = (QueryRunner.grouped, QueryRunner.counted)
    var text = counted(read, "change", nil) + " read, " + number(bad) + " bad; "
    text += counted(replaced, "record", nil) + " replaced or removed, " + number(records) + " in the index"
    if idsNotFound > 0 { text += "; " + counted(idsNotFound, "id", nil) + " to delete not found" }
    return text
  }

  /// - Parameter bytes: Of the overlay; 0 if nothing is left to be in one.
  package static func overlay(of bytes: Int, beside shards: Int, in directory: String, isUnchanged: Bool) -> String {
    let written =
      isUnchanged
      ? "nothing changed, nothing written"
      : bytes > 0
        ? "an overlay of " + QueryRunner.counted(bytes, "byte", nil) + " beside them"
        : "no overlay beside them any more"
    return QueryRunner.counted(shards, "shard", nil) + " in " + directory + ", " + written
  }
}
