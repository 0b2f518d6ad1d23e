import { button, byId } from './elements.js'
import { changes, inQuotes, number, plural, quoted, say, saying, texts } from './texts.js'
import { index, whenOpen } from './server.js'
import { asked, isNarrowing } from './conditions.js'
import { rankedLimit, search } from './search.js'
import { announce, input, notice, showCost } from './notice.js'
import { VirtualList } from './scroller.js'
import { detailOf, digest } from './record.js'
import { showRow } from './row.js'
import { needPages } from './pages.js'
import { activate, choose, chosen, point } from './choice.js'
import { showCard } from './card.js'
import { map } from './map.js'
import { count, facetsAsked, showFacets } from './facets.js'
import { offers } from './offers.js'
import { showBegin } from './begin.js'
import { retype } from './keys.js'

// MARK: The answer

/** Rows per request: about three screens of a phone; without a server, the number of rows in the starts of an index. */
export const pageSize = index ? 20 : 50
/** The most pages that stay. The page drops those farthest from the view first. */
export const pageLimit = 40

/** The shown answer of `search`, and its pages. */
export const answer = {
  query: null, nearest: undefined, correction: undefined, interpretation: undefined, dropped: [], isRanked: false,
  isComplete: true, keys: 0, count: 0, isLeast: false, listed: 0, generation: '', pages: new Map(), active: -1,
  isFirst: false, top: [], given: {}, offers: null,
}
const matchCount = () =>
  answer.isLeast ? say('matchesAtLeast', { count: number.format(answer.count) }) : plural('matches', answer.count)
/** Requests for pages, by page. */
export const loading = new Map()
/** Requests for answers, by sequence number, oldest first. */
export const asking = new Map()
export let newest = 0, shown = 0 // Sequence numbers of the last question, and of the question whose answer is shown.
/** Whether the list is to be open, and whether Enter waits for an answer. */
export const state = { isOpen: false, enterWaits: false }
let total = null
let staleTimer = 0, busyTimer = 0

export const rowAt = row => answer.pages.get(Math.floor(row / pageSize))?.[row % pageSize]
export const list = new VirtualList(byId('matches'), byId('sheet'), fillRow, (first, last) => needPages(first, last))

function fillRow(node, row) {
  const match = rowAt(row)
  node.id = `match-${row}`
  node.ariaPosInSet = row + 1
  node.ariaSetSize = answer.listed
  node.ariaSelected = row === answer.active
  if (match && chosen?.digest === (match.digest ??= digest(match.record)) && isChosenRow(row)) node.ariaCurrent = 'true'
  else node.ariaCurrent = null
  showRow(node, match)
}

// The row tells equal records apart, if known.
const isChosenRow = row => chosen.query !== answer.query || chosen.row === undefined || chosen.row === row

/** Asks for `text` at once. Shows the answer unless the page already shows the answer to a later question. */
export function type(text, row = 0) {
  const sequence = ++newest
  const controller = new AbortController()
  // The rest of the shown answer has no use for another text.
  if (!answer.isComplete) { loading.get(0)?.abort(); loading.delete(0) }
  // The oldest request may finish, so that answers appear even if the person types faster than the server answers.
  if (asking.size >= 3) giveUp([...asking.keys()][1])
  asking.set(sequence, controller)
  notice.pause()
  clearTimeout(staleTimer)
  clearTimeout(busyTimer)
  staleTimer = setTimeout(() => byId('matches').classList.add('stale'), 100)
  busyTimer = setTimeout(() => { byId('busy').hidden = false; input.ariaBusy = 'true' }, 350)
  const first = Math.floor(row / pageSize) * pageSize
  // Before the first letter the list is closed. Without a server, its rows come when it opens.
  const size = index && text === '' && !state.isOpen ? 0 : pageSize
  const given = asked()
  // From a host of files, rows with the fewest typing errors come first, and needPages loads the others.
  search(text, first, size, controller.signal, undefined, index && row === 0 ? 'min' : undefined, {
    ...given, ...(index ? {} : facetsAsked()),
  }).then(
    found => {
      asking.delete(sequence)
      if (sequence < shown) return
      shown = sequence
      for (const other of asking.keys()) if (other < sequence) giveUp(other)
      if (sequence === newest) {
        atRest()
        byId('matches').classList.remove('stale')
        notice.hide()
      }
      showAnswer(text, { ...found, given }, row)
      if (found.isFirst) askAgain(sequence, text)
      // A page without a server counts behind the rows; with one, a person may have opened the filters meanwhile.
      else if (!found.facets) count()
    },
    failure => {
      asking.delete(sequence)
      if (controller.signal.aborted || sequence !== newest) return
      atRest()
      byId('matches').classList.add('stale') // The list still has the answer to another text.
      state.enterWaits = false
      if (answer.query !== null) {
        const { query, count } = answer
        byId('said').replaceChildren(
          query === ''
            ? plural('records', count) : saying('matchesFor', { matches: matchCount(), query: quoted(query) }))
      }
      notice.show(failure, () => type(text, row))
    })
}

/** Asks again for the text of a first answer, once the index is open. */
async function askAgain(sequence, text) {
  try { await whenOpen() } catch (failure) {
    if (sequence === newest) notice.show(failure, () => askAgain(sequence, text))
    return
  }
  if (sequence === newest) type(text, list.first)
}

function giveUp(sequence) {
  asking.get(sequence).abort()
  asking.delete(sequence)
}

function atRest() {
  clearTimeout(staleTimer)
  clearTimeout(busyTimer)
  byId('busy').hidden = true
  input.ariaBusy = null
}

function showAnswer(query, found, row = 0) {
  for (const controller of loading.values()) controller.abort()
  loading.clear()
  const { nearest, correction, interpretation, dropped, isRanked, isComplete, keys } = found
  const { count, isLeast, listed, generation, isFirst, top, given } = found
  // The whole answer takes the place of its first rows, so the highlight stays.
  const kept = answer.isFirst && answer.query === query ? answer.active : -1, label = rowAt(kept)?.label
  Object.assign(answer, { query, nearest, correction, interpretation, dropped, isComplete, top })
  Object.assign(answer, { isRanked, keys, count, isLeast, listed, generation, isFirst, given, offers: null })
  answer.active = -1
  answer.pages = new Map(found.rows.length || !listed ? [[found.offset / pageSize, found.rows]] : [])
  showFacets(found.facets)
  if (query === '' && !isLeast && !isNarrowing(given)) total = count
  else if (query === '') learnTotal()
  if (total !== null) byId('total').textContent = plural('records', total)
  list.kept = -1
  // Rows have one line if no record has more than its name.
  document.body.classList.toggle('single', found.rows.length > 0 && found.rows.every(match => detailOf(match) === ''))
  list.reset(listed, Math.max(0, row - 1))
  showCost(found.cost)
  showState()
  if (kept >= 0 && rowAt(kept)?.label === label) activate(kept)
  showCard()
  map.draw()
  if (!count) map.leave()
  if (row === 0) map.follow()
  if (state.enterWaits && shown === newest) {
    state.enterWaits = false
    if (answer.count) choose(0)
  }
}

/** Asks for the number of records, which an answer in the order of names has. */
export async function learnTotal() {
  if (total !== null) return
  try {
    // The server answers with a row at least. Without a server, a row would take a file of the index.
    total = (await search('', 0, index ? 0 : 1, new AbortController().signal, 'key')).count
    byId('total').textContent = plural('records', total)
  } catch { /* The next answer to an empty field asks again. */ }
}

/** Shows the state that follows from the answer, the field and the open or closed list. */
export function showState() {
  const { query, count, given } = answer
  const isListed = state.isOpen && query !== null && count > 0
  const isChanged = document.body.classList.contains('open') !== isListed
  document.body.classList.toggle('open', isListed)
  input.ariaExpanded = String(isListed)
  byId('clear').hidden = input.value === ''
  const said = byId('said')
  if (query === null) return
  const isEmpty = query === '' && !isListed && !isNarrowing(given)
  document.body.classList.toggle('empty', isEmpty)
  const openButton = text => button(text, () => { open(true); input.focus() })
  if (count === 0 && isNarrowing(given)) answer.offers ??= offers(query)
  if (count === 0 && query === '') {
    said.replaceChildren(answer.offers ? texts.noneFiltered : texts.empty, ...(answer.offers ? [answer.offers] : []))
  }
  else if (count === 0) {
    said.replaceChildren(
      saying(answer.isRanked ? 'noneMatches' : 'noneBegins', { query: quoted(query) }),
      ...(answer.nearest
        ? [button(say('instead', { query: inQuotes(answer.nearest) }), () => retype(answer.nearest))] : []),
      ...(answer.offers ? [answer.offers] : []))
  }
  else if (isEmpty) said.replaceChildren(texts.hint, openButton(texts.browse))
  else {
    const cut = answer.listed < count || (answer.isLeast && answer.isRanked && answer.listed === rankedLimit)
      ? [saying('best', { count: number.format(answer.listed) })] : []
    said.replaceChildren(
      ...changes(query, answer), matchCount(), ...cut, ...(isListed ? [] : [openButton(texts.showList)]))
  }
  const none = query === '' ? texts.noneFiltered : say('noneMatches', { query: inQuotes(query) })
  announce(count === 0 ? none : isEmpty ? '' : matchCount())
  point()
  showBegin()
  byId('fit').hidden = !isListed || !map.hits().length
  if (isChanged) { showCard(); list.resize(); map.resize() }
}

export function open(isWanted) {
  state.isOpen = isWanted
  if (!isWanted) activate(-1)
  showState()
}
