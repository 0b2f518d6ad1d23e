import { inQuotes, say } from './texts.js'
import { Failure } from './server.js'
import { search } from './search.js'
import { input, notice } from './notice.js'
import { digest } from './record.js'
import { conditions, isAsked, takeConditions } from './conditions.js'
import { answer, list, open, state, type } from './answer.js'
import { chosen, isWide, makeRoom, setChosen, setTitle } from './choice.js'
import { map } from './map.js'
import { linkText, readLink } from './link.js'
import { showConditions } from './chips.js'
import { isGrid, setGrid } from './grid.js'

// MARK: The address

/** The address of the page: link.js says which state it has behind the #. */
export const address = {
  timer: 0, written: null,

  text() {
    return linkText(input.value, chosen, this.view, conditions, isGrid()) || location.pathname
  },

  replace() { this.write('replaceState') },
  push() { this.write('pushState') },
  write(method) {
    // The place of a person stays in the history of the browser, and is in no address.
    const text = this.text(), { place } = conditions, written = text + JSON.stringify(place)
    if (written === this.written) return
    try {
      history[method]({ place }, '', text)
      this.written = written
    } catch { /* Browsers limit the number of writes; the next change writes the address. */ }
  },

  /** Writes the place of the map once the map rests, because browsers limit the number of writes. */
  moved() {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.view = `${map.zoom.toFixed(2)}/${map.latitude.toFixed(4)}/${map.longitude.toFixed(4)}`
      this.replace()
    }, 400)
  },

  /** Brings the page into the state of the address. */
  async read() {
    clearTimeout(this.timer)
    const { query, filters, order, key, is, row, position, view, map: place, isGrid } = readLink(location.hash)
    setGrid(isGrid)
    const isChanged = takeConditions(filters, order, history.state)
    this.written = (location.hash || location.pathname) + JSON.stringify(conditions.place)
    this.view = place
    showConditions()
    if (isChanged || input.value !== query || answer.query === null) {
      input.value = query
      state.isOpen = (query !== '' || isAsked()) && (isWide.matches || key === null)
      map.stays = view !== undefined
      type(query, row)
    }
    if (view) {
      cancelAnimationFrame(map.flight)
      map.isHome = map.isShowing = false
      const target = { scale: 2 ** view[0] * 256 / 360, latitude: view[1], longitude: view[2] }
      if (map.width) map.move(target)
      else map.wanted = target
    }
    if (key === null) {
      if (chosen) setChosen(null)
      if (!view && map.width && this.hadView) map.home()
      if (!isWide.matches) open(query !== '' || isAsked())
    } else if (chosen?.digest !== is || chosen.label !== key) {
      await this.find({ query, row, position, key, is, isView: !!view })
    }
    this.hadView = !!view
    setTitle()
  },

  async find(link) {
    const { query, row, position, key, is, isView } = link
    const controller = new AbortController()
    const address = location.hash
    try {
      let found
      const hints = [
        row !== undefined && { query, row }, position !== undefined && { query: '', position, sort: 'key' },
      ]
      for (const hint of hints.filter(Boolean)) {
        const { rows: [match] } = await search(hint.query, hint.row ?? hint.position, 1, controller.signal, hint.sort)
        if (match?.label === key && (is === null || digest(match.record) === is)) found = { ...match, ...hint }
      }
      // Thousands of records may have the key, and a server takes no long query. The page looks through ten pages of
      // records whose keys begin like it.
      const beginning = [...key].slice(0, 60).join('')
      let first
      for (let offset = 0, isMore = true; !found && isMore && offset < 1000; offset += 100) {
        const { rows } = await search(beginning, offset, 100, controller.signal, 'key')
        const same = rows.filter(({ label }) => label === key)
        found = same.find(({ record }) => digest(record) === is)
        first ??= same[0]
        isMore = rows.length === 100 && (same.length > 0 || beginning !== key)
      }
      found ??= first // The record has changed, or another record has its name.
      if (location.hash !== address) return
      if (!found) return notice.show(new Failure(say('gone', { name: inQuotes(key) }), false))
      setChosen(found)
      if (found.row !== undefined && answer.query === query && found.row < answer.listed) list.reveal(found.row)
      makeRoom()
      if (!isView) map.show(chosen)
    } catch (failure) {
      if (location.hash === address) notice.show(failure, () => this.find(link).then(() => notice.hide()))
    }
  },
}
addEventListener('popstate', () => address.read())
