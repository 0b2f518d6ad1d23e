import { button, byId, element } from './elements.js'
import { number, say, texts } from './texts.js'
import { ask, index } from './server.js'
import { conditions, ends, facetFields, filterLimit, isRange, isRanged, nameOf } from './conditions.js'
import { readNumber, shownNumber, shownValue, valueLimit } from './conditions.js'
import { search } from './search.js'
import { notice } from './notice.js'
import { cut } from './record.js'
import { answer, list, newest, showState, shown } from './answer.js'
import { change } from './chips.js'

// MARK: Filters with counts

/** Whether two values may have the same fold. */
const isSame = (a, b) => collator.compare(a, b) === 0
const collator = new Intl.Collator('en', { sensitivity: 'base' })

const chosenOf = field => conditions.filters.filter(pair => pair[0] === field).map(pair => pair[1])
const others = field => conditions.filters.filter(pair => pair[0] !== field)

function frame(field, ...children) {
  return element('fieldset', { className: 'group', hidden: true },
    element('legend', {}, element('bdi', { dir: 'auto' }, cut(nameOf(field), 100))), ...children)
}

/** The values of a field, with the number of matches of each. */
class Values {
  list = element('ul', {})
  note = element('p', { className: 'quiet small', hidden: true })
  more = button(texts.moreValues, () => this.#narrow())
  /** The field that narrows the values by their beginning, and the values of the whole list that it found. */
  entry = element('input', {
    type: 'text', maxLength: 200, placeholder: texts.narrow, ariaLabel: texts.narrow, hidden: true,
    oninput: () => this.#find(),
  })
  #facet = { values: [], exact: true, more: false }
  #found = null
  #controller = null

  constructor(field) {
    this.field = field
    this.more.ariaExpanded = 'false'
    this.node = frame(field, this.entry, this.note, this.list, this.more)
  }

  show(facet) {
    this.#facet = facet
    this.draw()
  }

  draw() {
    const chosen = chosenOf(this.field), { values, exact } = this.#found ?? this.#facet
    const rows = values.filter(({ value }) => typeof value === 'string')
    // A chosen value stays, so that it can be given up.
    const rest = this.#found ? [] : chosen.filter(value => !rows.some(row => isSame(row.value, value)))
    const held = this.list.contains(document.activeElement) ? document.activeElement.value : undefined
    const counted = rows.map(({ value, count }) => [value, number.format(count) + (exact ? '' : '+')])
    const all = [...counted, ...rest.map(value => [value, ''])]
    while (this.list.children.length > all.length) this.list.lastChild.remove()
    // The rows stay, since new ones would cost a key more than its answer does.
    all.forEach(([value, count], i) => this.#fill(this.list.children[i] ?? this.#add(), value, count, chosen))
    if (held !== undefined && document.activeElement.value !== held) {
      [...this.list.querySelectorAll('input')].find(({ value }) => value === held)?.focus()
    }
    this.more.hidden = !this.#facet.more && !this.#found
    this.note.hidden = !this.#found && exact
    this.note.textContent = !this.#found ? texts.countsLeast : rows.length ? texts.wholeList : texts.noValues
    this.node.hidden = !this.list.children.length && !this.#found
  }

  #add() {
    const box = element('input', { type: 'checkbox', onchange: () => this.#toggle(box.value) })
    return this.list.appendChild(element('li', {}, element('label', {},
      box, element('bdi', { dir: 'auto' }), element('span', { className: 'quiet' }))))
  }

  #fill(row, value, count, chosen) {
    const [box, text, number] = row.firstChild.children
    const checked = chosen.some(one => isSame(one, value))
    const isFull = !checked && conditions.filters.length >= filterLimit
    if (box.value !== value || !text.firstChild) { box.value = value; text.textContent = shownValue(value) }
    Object.assign(box, { checked, disabled: isFull || value.length > valueLimit })
    number.textContent = count
  }

  #toggle(value) {
    const kept = conditions.filters.filter(([field, other]) => field !== this.field || !isSame(other, value))
    const isChosen = kept.length < conditions.filters.length
    change({ filters: isChosen ? kept : [...kept, [this.field, value]] })
  }

  #narrow() {
    const isNarrow = this.entry.hidden
    this.entry.hidden = !isNarrow
    this.more.ariaExpanded = String(isNarrow)
    this.entry.value = ''
    this.#controller?.abort()
    this.#found = null
    if (!isNarrow) return this.draw()
    this.entry.focus()
    this.#find()
  }

  async #find() {
    this.#controller?.abort()
    const controller = this.#controller = new AbortController()
    const parameters = { field: this.field, 'starting-with': this.entry.value, limit: 100 }
    try {
      const { body } = await ask('v1/facets', parameters, controller.signal)
      if (controller.signal.aborted || !Array.isArray(body.values)) return
      this.#found = body
      notice.hide('facets')
      this.draw()
    } catch (failure) {
      if (!controller.signal.aborted) notice.show(failure, () => this.#find(), 'facets')
    }
  }
}

/** The range of a field of numbers. */
class Range {
  inputs = [0, 1].map(() => element('input', { type: 'text', maxLength: 40, onchange: () => this.#take() }))
  wrong = element('p', { className: 'small', role: 'alert' })
  #drawn = '..'

  constructor(field) {
    this.field = field
    const ends = this.inputs.map((input, i) => element('label', {}, i ? texts.to : texts.from, ' ', input))
    this.node = frame(field, element('div', { className: 'range' }, ...ends), this.wrong)
  }

  show({ least, greatest }) {
    this.inputs.forEach((input, i) => {
      const end = [least, greatest][i]
      input.placeholder = typeof end === 'string' ? cut(shownNumber(end), 40) : ''
      input.inputMode = readNumber(input.placeholder)?.includes('-') ? 'text' : 'decimal'
    })
    this.draw()
  }

  draw() {
    const [range = '..'] = chosenOf(this.field).filter(isRange)
    this.node.hidden = range === '..' && !this.inputs[0].placeholder
    // A wrong number stays until it is put right.
    if (range === this.#drawn) return
    this.#drawn = range
    this.inputs.forEach((input, i) => { input.value = shownNumber(ends(range)[i]) })
    this.#say(false)
  }

  #say(isWrong) {
    for (const input of this.inputs) input.ariaInvalid = String(isWrong)
    this.wrong.textContent = isWrong ? say('wrongRange', { number: shownNumber('19.5') }) : ''
  }

  #take() {
    const [least, greatest] = this.inputs.map(({ value }) => value.trim() && readNumber(value))
    const range = `${least}..${greatest}`
    const isWrong = least === undefined || greatest === undefined || range !== '..' && !isRange(range)
    this.#say(isWrong)
    const [before = '..'] = chosenOf(this.field)
    if (isWrong || range === before) return
    change({ filters: [...others(this.field), ...(range === '..' ? [] : [[this.field, range]])] })
  }
}

const groups = new Map(facetFields.map(field => [field, isRanged(field) ? new Range(field) : new Values(field)]))
byId('filters').append(...[...groups.values()].map(({ node }) => node))

/**
 * The fields whose values a search is to count; none while they are hidden.
 * @returns {any}
 */
export const facetsAsked = () =>
  facetFields.length && document.body.classList.contains('filtering') ? { facets: facetFields } : {}

export function showFacets(facets) {
  for (const facet of Array.isArray(facets) ? facets : []) {
    if (facet && Array.isArray(facet.values)) groups.get(facet.field)?.show(facet)
  }
}

/** Shows which values are chosen. */
export function drawGroups() { for (const group of groups.values()) group.draw() }

let counting
/** Asks for the values among the shown matches: after the rows of a page without a server, which come first. */
export async function count() {
  counting?.abort()
  const facets = facetsAsked(), sequence = newest
  if (!facets.facets || shown !== newest) return
  const controller = counting = new AbortController()
  try {
    const found = await search(
      answer.query, 0, index ? 0 : 1, controller.signal, undefined, undefined, { ...answer.given, ...facets })
    if (sequence !== newest) return
    showFacets(found.facets)
    // The count of the values also knows the number of matches.
    if (!answer.isComplete || !answer.isLeast || found.isLeast) return
    const { count, isLeast } = found
    Object.assign(answer, { count, isLeast, listed: Math.max(found.listed, answer.listed) })
    list.count = answer.listed
    list.resize()
    showState()
  } catch (failure) {
    if (!controller.signal.aborted && sequence === newest) notice.show(failure, count, 'facets')
  }
}
