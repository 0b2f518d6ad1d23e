import QueryOutput
import ShardedIndex

/// The map of a preview: the records in view on a part of the Earth.
package struct MapPane {
  /// The part of the Earth that the map shows before it goes closer.
  package enum Scope: CaseIterable, Sendable {
    /// The part that has the list's records.
    case list
    /// The part that has the matches, the first ``ListModel/placeLimit`` of them.
    case matches
    case world
  }

  private let theme: Theme
  private var land: LandGrid?
  package private(set) var scope = Scope.list
  package private(set) var zoom = 1
  private var extent = MapExtent.world
  /// The land as it was drawn last. It stays the same while the selection moves on a map of all records.
  private var drawn: WorldMap?

  package init(theme: Theme) { self.theme = theme }

  package mutating func setLand(_ land: LandGrid) {
    self.land = land
    extent = land.extent ?? .world
    drawn = nil
  }

  /// Returns the columns and rows that a map takes of those that there are.
  package func shape(columns: Int, rows: Int) -> (columns: Int, rows: Int) {
    guard rows > 0 else { return (0, 0) }
    // The box stays the same while the map goes closer.
    let view = WorldMap.View(columns: columns, rows: rows, extent: extent, isASCII: theme.isASCII)
    return (view.columns, view.rows)
  }

  /// Returns the map's lines: of the records in view, or of the matches where it fits them.
  package mutating func lines(_ model: inout ListModel, _ box: ScreenBox) -> [DisplayText] {
    let selected = model.selectedRow?.place
    var places = model.rows.compactMap(\.place)
    var shown = scope == .world ? MapExtent.world : extent
    if scope == .matches {
      let found = model.foundPlaces()
      if !found.isEmpty {
        places += found
        shown = MapExtent(around: found) ?? shown
      }
    }
    let view = WorldMap.View(
      columns: box.columns, rows: box.rows, extent: shown, zoom: zoom, center: selected, isASCII: theme.isASCII)
    if drawn?.view != view { drawn = WorldMap(view, land: land) }
    var map = drawn!
    for place in places { map.mark(place, .match) }
    if let selected { map.mark(selected, .selected) }
    var lines = (0..<view.rows).map { map.row($0, style: theme.map, reset: theme.reset, isColored: theme.hasColor) }
    while lines.count < box.rows { lines.append(DisplayText()) }
    writeState(on: &lines, box)
    return lines
  }

  /// Names the scope and the zoom of the map in the last line, unless they are the usual ones.
  private func writeState(on lines: inout [DisplayText], _ box: ScreenBox) {
    var parts = scope == .list ? [] : [scope == .world ? "world" : "matches"]
    if zoom > 1 { parts.append("zoom \(zoom)x") }
    let text = " " + parts.joined(separator: theme.between)
    guard !parts.isEmpty, text.unicodeScalars.count <= box.columns, !lines.isEmpty else { return }
    let last = box.rows - 1
    lines[last].control("\u{1b}[\(box.endColumn - text.unicodeScalars.count + 1)G")
    lines[last].control(theme.label)
    lines[last].plain(text)
    lines[last].control(theme.reset)
  }

  /// Shows the next of the parts of the Earth, as far away as it is whole.
  package mutating func nextScope() {
    let all = Scope.allCases
    scope = all[(all.firstIndex(of: scope)! + 1) % all.count]
    zoom = 1
  }

  package mutating func zoomIn(columns: Int) {
    zoom = min(zoom * 2, WorldMap.View.zoomLimit(columns: columns, extent: extent))
  }

  package mutating func zoomOut() { zoom = max(1, zoom / 2) }
}
