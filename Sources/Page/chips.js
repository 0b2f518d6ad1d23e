import { button, byId, element } from './elements.js'
import { facts, number, options, say, texts } from './texts.js'
import { conditions, facetFields, filterText, isAsked, isKnown, isOrder } from './conditions.js'
import { input } from './notice.js'
import { cut } from './record.js'
import { state, type } from './answer.js'
import { chosen, setChosen } from './choice.js'
import { count, drawGroups } from './facets.js'
import { showNear } from './near.js'
import { address } from './address.js'

// MARK: The chosen conditions

/** Searches with other conditions, as a step in the history. */
export function change(given) {
  Object.assign(conditions, given)
  if (chosen) setChosen(null)
  if (isAsked()) state.isOpen = true
  type(input.value)
  address.push()
  showConditions()
}

const chip = (text, given) => element('li', {},
  element('button', {
    type: 'button', ariaLabel: say('remove', { name: text }),
    onclick() {
      const place = [...byId('chips').querySelectorAll('button')].indexOf(this)
      change(given())
      // The focus goes to the next chip.
      const left = byId('chips').querySelectorAll('button')
      ;(left[Math.min(place, left.length - 2)] ?? byId('filter')).focus()
    },
  }, element('bdi', { dir: 'auto' }, text)))

/** Shows the conditions in the menus and as chips. */
export function showConditions() {
  const { filters, order } = conditions
  const chips = filters.map(pair => chip(
    isKnown(pair) ? filterText(pair) : say('notHere', { name: filterText(pair) }),
    () => ({ filters: conditions.filters.filter(other => other !== pair) })))
  const name = `${texts.order}: ${cut(order, 100)}`
  if (order && !isOrder(order)) chips.push(chip(say('notHere', { name }), () => ({ order: '' })))
  if (chips.length) {
    chips.push(element('li', {}, button(texts.clearAll, () => {
      change({ filters: [], order: isOrder(order) ? order : '' })
      byId('filter').focus()
    })))
  }
  byId('chips').replaceChildren(...chips)
  byId('chips').hidden = !chips.length
  byId('order').value = isOrder(order) ? order : ''
  byId('filter').textContent = texts.filters + (filters.length ? ` (${number.format(filters.length)})` : '')
  showNear()
  drawGroups()
}

byId('filter').hidden = !facetFields.length
byId('order').append(...[['', texts.relevance], ...(options.orders ?? [])].map(([value, text]) =>
  element('option', { value }, cut(text, 200))))
byId('order').addEventListener('change', () => change({ order: byId('order').value }))
byId('order').parentElement.hidden = !options.orders
byId('tools').hidden = !facetFields.length && !options.orders && !facts.near

function showFilters(isShown) {
  document.body.classList.toggle('filtering', isShown)
  byId('filter').ariaExpanded = String(isShown)
  byId('filters').hidden = !isShown
}
byId('filter').addEventListener('click', () => {
  showFilters(byId('filters').hidden)
  count()
})
// A list without a map has room for them beside its rows.
showFilters(facetFields.length > 0 && !facts.places && matchMedia('(min-width: 64rem) and (min-height: 34rem)').matches)
