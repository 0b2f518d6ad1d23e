import QueryOutput
import ShardedIndex

extension ListScreen {
  /// The text before the typed text while a filter is chosen.
  func prompt(of choice: FilterChoice) -> String {
    choice.field.map { FilterChoice.beginning(of: $0) + ": " } ?? "filter by: "
  }

  /// Returns `3/12 values of country`.
  func position(in choice: FilterChoice) -> String {
    let position = choice.rows.isEmpty ? "" : QueryRunner.grouped(choice.selection + 1) + "/"
    let count = QueryRunner.text(ShardedIndex.Total(choice.rows.count, isExact: !choice.hasMore))
    return position + count + (choice.field.map { " values of " + FilterChoice.beginning(of: $0) } ?? " fields")
  }

  /// Returns the rows of the fields or values in view.
  func choiceLines(_ choice: FilterChoice, _ box: ScreenBox) -> [DisplayText] {
    if choice.rows.isEmpty {
      let notice = "no \(choice.field == nil ? "field" : "value") begins with this text"
      return [styled(theme.quiet, "  " + notice, limit: box.columns)]
    }
    let folded = Fold.fold(choice.start)
    let rows = choice.rows[choice.top...].prefix(box.rows)
    // In a narrow window, the values have all the room.
    let columns = box.columns >= 24 ? rows.map(\.count.utf8.count).max() ?? 0 : 0
    return rows.indices.map { index in
      let row = rows[index]
      let marks = ShardedIndex.Matches.highlights(of: folded, in: FilterChoice.beginning(of: row.text))
      return listLine(
        ListRow(row.title, highlights: marks), columns > 0 ? row.count : "", columns, box,
        isSelected: index == choice.selection, isMarked: row.isChosen)
    }
  }
}
