import { button, element } from './elements.js'
import { say, texts } from './texts.js'
import { asked, conditions, filterText, isKnown } from './conditions.js'
import { search } from './search.js'
import { newest } from './answer.js'
import { change } from './chips.js'
import { distanceText } from './near.js'

// MARK: Conditions to take away

/** The most buttons, each of which takes a request. */
const offerLimit = 8

/** The conditions that leave out records, one of each field: the name, and the conditions without it. */
function removable() {
  const { filters, place } = conditions, known = filters.filter(isKnown)
  const fields = [...new Set(known.map(([field]) => field))].map(field => ({
    name: known.filter(pair => pair[0] === field).map(filterText).join(', '),
    given: { filters: filters.filter(pair => pair[0] !== field) },
  }))
  if (!place?.radius) return fields
  const { latitude, longitude } = place
  return [...fields, { name: distanceText(place.radius), given: { place: { latitude, longitude } } }]
}

/** Buttons for the conditions without which `query` has matches. They come once nobody types. */
export function offers(query) {
  const node = element('span', { className: 'offers' }), all = removable(), sequence = newest
  const spots = all.map(() => node.appendChild(element('span', { className: 'offers' })))
  const tryWithout = async ({ name, given }, at) => {
    try {
      const wanted = asked({ ...conditions, ...given })
      const { rows } = await search(query, 0, 1, new AbortController().signal, undefined, undefined, wanted)
      if (rows.length) spots[at].append(button(say('showWithout', { name }), () => change(given)))
    } catch { /* A condition that cannot be tried is not offered. */ }
  }
  setTimeout(() => { if (sequence === newest) all.slice(0, offerLimit).forEach(tryWithout) }, 300)
  const { latitude, longitude } = conditions.place ?? {}
  const place = conditions.place && { latitude, longitude }
  if (all.length > 1) node.append(button(texts.clearAll, () => change({ filters: [], place })))
  return node
}
