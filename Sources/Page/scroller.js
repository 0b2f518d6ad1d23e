import { clamp } from './elements.js'
import { rowNode } from './row.js'

// MARK: The list

/**
 * Any number of rows in a scroller, or of cards in columns. Only the visible ones are elements.
 *
 * Browsers cut elements off at about 17 to 33 million pixels. A longer list stands on a sheet of `limit` pixels. Small
 * movements move the sheet pixel by pixel, large movements of the bar in proportion. At rest the list joins both again.
 */
export class VirtualList {
  static limit = 8_000_000
  count = 0
  kept = -1
  rowHeight = 60
  columns = 1
  top = 0 // The top of the view, in pixels of the whole list.
  #bar = 0 // The last seen position of the scroller.
  #rows = new Map()
  #timer = 0

  constructor(scroller, sheet, fill, seen) {
    this.scroller = scroller
    this.sheet = sheet
    this.fill = fill
    this.seen = seen
    scroller.addEventListener('scroll', () => this.#scrolled(), { passive: true })
    new ResizeObserver(() => this.resize()).observe(scroller)
  }

  get view() { return this.scroller.clientHeight }
  get #whole() { return Math.ceil(this.count / this.columns) * this.rowHeight }
  /** The first visible row. */
  get first() { return Math.floor(this.top / this.rowHeight) * this.columns }
  get #end() { return Math.max(0, this.#whole - this.view) }
  get #room() { return Math.max(0, Math.min(this.#whole, VirtualList.limit) - this.view) }

  /** Shows another list; `row` is the first visible row. */
  reset(count, row = 0) {
    this.count = count
    this.top = clamp(this.#placeOf(row), 0, this.#end)
    this.#settle()
    this.draw(true)
  }

  resize() {
    const row = this.sheet.firstElementChild
    if (row?.offsetHeight) {
      // The style says how narrow a card may be.
      const least = parseFloat(getComputedStyle(row).minWidth)
      const columns = least > 0 ? Math.max(1, Math.floor(this.sheet.clientWidth / least)) : 1
      this.sheet.style.setProperty('--columns', String(columns))
      const height = row.offsetHeight
      this.top *= height / this.rowHeight * this.columns / columns
      Object.assign(this, { columns, rowHeight: height })
    }
    this.top = clamp(this.top, 0, this.#end)
    this.#settle()
    this.draw()
  }

  /** Brings `row` into sight, moving as little as possible. */
  reveal(row) {
    const first = this.#placeOf(row), last = first + this.rowHeight - this.view
    this.top = clamp(clamp(this.top, last, first), 0, this.#end)
    this.#settle()
    this.draw()
  }

  element(row) { return this.#rows.get(row) }

  #placeOf(row) { return Math.floor(row / this.columns) * this.rowHeight }

  #settle() {
    this.sheet.style.height = `${Math.min(this.#whole, VirtualList.limit)}px`
    this.scroller.style.setProperty('--whole', `${Math.min(this.#whole, VirtualList.limit) + 1}px`)
    this.scroller.scrollTop = this.#end ? this.top / this.#end * this.#room : 0
    this.#bar = this.scroller.scrollTop
  }

  #scrolled() {
    const bar = this.scroller.scrollTop, moved = bar - this.#bar
    if (!moved) return
    this.#bar = bar
    if (this.#room === this.#end) {
      this.top = bar
    } else {
      this.top = Math.abs(moved) < 2 * this.view ? clamp(this.top + moved, 0, this.#end) : bar / this.#room * this.#end
      clearTimeout(this.#timer)
      const stuck = (bar <= 0 && this.top > 0) || (bar >= this.#room - 1 && this.top < this.#end)
      this.#timer = setTimeout(() => { this.#settle(); this.draw() }, stuck ? 0 : 150)
    }
    this.draw()
  }

  /** @param all Whether the content of the rows may have changed. */
  draw(all = false) {
    const { columns, rowHeight } = this, around = columns > 1 ? 1 : 3
    const first = clamp((Math.floor(this.top / rowHeight) - around) * columns, 0, this.count)
    const last = Math.min(this.count, (Math.ceil((this.top + this.view) / rowHeight) + around) * columns)
    const wanted = new Set()
    for (let row = first; row < last; row++) wanted.add(row)
    if (this.kept >= 0 && this.kept < this.count) wanted.add(this.kept) // The row under a screen reader stays.
    const free = []
    for (const [row, node] of this.#rows) {
      if (!wanted.has(row)) { free.push(node); this.#rows.delete(row) }
    }
    for (const row of wanted) {
      let node = this.#rows.get(row)
      const isNew = !node
      if (isNew) {
        node = free.pop() ?? this.sheet.appendChild(rowNode({ className: 'row', role: 'option', tabIndex: -1 }))
        this.#rows.set(row, node)
      }
      if (isNew || all) this.fill(node, row)
      node.style.transform = `translate(${row % columns * 100}%, ${this.#placeOf(row) - this.top + this.#bar}px)`
    }
    for (const node of free) node.remove()
    if (this.view) this.seen(first, last)
  }
}
