import { byId, element } from './elements.js'
import { heading, say } from './texts.js'
import { search } from './search.js'
import { announce, input, notice } from './notice.js'
import { cut, digest, linkOf, titleOf } from './record.js'
import { answer, list, open, rowAt } from './answer.js'
import { showCard } from './card.js'
import { map } from './map.js'
import { address } from './address.js'
import { recent, showBegin } from './begin.js'

// MARK: Choosing

/** The chosen record: a row with its digest, and `row` in the answer to `query` or `position` in the whole order. */
export let chosen = null

/** Moves the highlight to `row`, or off the list with -1. */
export function activate(row) {
  const before = list.element(answer.active)
  answer.active = row
  list.kept = row
  if (before) before.ariaSelected = 'false'
  if (row >= 0) {
    list.reveal(row)
    list.element(row).ariaSelected = 'true'
  }
  showCard()
  point()
  map.draw()
}

export function point() {
  const isAt = answer.active >= 0 && document.body.classList.contains('open')
  if (isAt) input.setAttribute('aria-activedescendant', `match-${answer.active}`)
  else input.removeAttribute('aria-activedescendant')
}

/** Whether the record has room beside the list or below it. */
export const isWide = {
  width: matchMedia('(min-width: 46rem)'), height: matchMedia('(min-height: 34rem)'),
  beside: matchMedia('(min-width: 64rem)'),
  get matches() { return this.width.matches && (map.isThere || this.height.matches || this.beside.matches) },
}

/** Closes the list if the record has no room beside it, unless the record has no more than its row. */
export function makeRoom() {
  if (!isWide.matches && (map.isThere || !document.body.classList.contains('single'))) open(false)
}

/** Leads to the address of a row, or in another tab. */
function follow(match, href, isTab) {
  recent.note(match)
  showBegin()
  if (isTab) element('a', { href, target: '_blank', rel: 'noopener' }).click()
  else location.assign(href)
}

/** Chooses the record of a row. If it has an address, the page leads there. */
export async function choose(row, isTab = false) {
  const { query, given } = answer
  // The rows of a first answer have not all fields of their records.
  let match = answer.isFirst ? undefined : rowAt(row)
  if (!match) {
    try {
      [match] = (await search(query, row, 1, new AbortController().signal, undefined, undefined, given)).rows
    } catch (failure) { return notice.show(failure, () => choose(row)) }
    if (!match || answer.query !== query) return
  }
  if (match.isTooLarge) return
  const href = linkOf(match)
  if (href) return follow(match, href, isTab)
  setChosen({ ...match, query, row })
  makeRoom()
  map.show(chosen)
  address.push()
  announce(say('chosen', { name: cut(titleOf(chosen), 200) }))
}

export async function choosePosition(position) {
  try {
    const { rows: [match] } = await search('', position, 1, new AbortController().signal, 'key')
    if (!match) return
    setChosen({ ...match, position })
    makeRoom()
    address.push()
    announce(say('chosen', { name: cut(titleOf(chosen), 200) }))
  } catch (failure) { notice.show(failure, () => choosePosition(position)) }
}

export function setTitle() {
  const about = chosen ? titleOf(chosen) : input.value
  document.title = about ? `${cut(about, 200)} – ${heading}` : heading
}

/** Shows a record; null shows none. */
export function setChosen(match) {
  chosen = match && { ...match, digest: digest(match.record) }
  if (chosen) recent.note(chosen)
  setTitle()
  showBegin()
  showCard()
  byId('card').scrollTop = 0
  list.draw(true)
  map.draw()
}
