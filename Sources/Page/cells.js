// MARK: The cells with records

/** The levels of cells of an answer, the index's own cells first, each level half as fine as the one before. */
export function levels(body) {
  const bits = Uint8Array.from(atob(body.cells), character => character.charCodeAt(0))
  let level = { columns: body.columns, rows: body.rows, counts: new Uint8Array(body.columns * body.rows) }
  level.counts.forEach((_, cell) => { level.counts[cell] = bits[cell >> 3] >> (7 - (cell & 7)) & 1 })
  const made = []
  for (let side = 1; ; side *= 2) {
    made.push(dots(level, side * side))
    if (side === 8) return made
    const { columns, rows, counts } = level
    level = { columns: columns / 2, rows: rows / 2, counts: new Uint8Array(columns * rows / 4) }
    counts.forEach((count, cell) => {
      level.counts[(Math.floor(cell / columns) >> 1) * level.columns + (cell % columns >> 1)] += count
    })
  }
}

/** Per row, the columns with records and the share of each column that is full, from 0 to 1. */
function dots({ columns, rows, counts }, most) {
  return { columns, rows: Array.from({ length: rows }, (_, row) => {
    const dots = { columns: [], shares: [] }
    for (let column = 0; column < columns; column++) {
      const count = counts[row * columns + column]
      if (count) { dots.columns.push(column); dots.shares.push(count / most) }
    }
    return dots
  }) }
}
