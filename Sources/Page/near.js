import { byId, element } from './elements.js'
import { facts, language, say, texts } from './texts.js'
import { Failure } from './server.js'
import { conditions } from './conditions.js'
import { notice } from './notice.js'
import { change } from './chips.js'

// MARK: Near me

/** The distances of the menu, in kilometres. */
const distances = [5, 25, 100, 500]
const kilometres = new Intl.NumberFormat(language, { style: 'unit', unit: 'kilometer' })
/** The last question to the browser for the place, until it is answered. */
let waiting = null

export const distanceText = radius => say('upTo', { distance: kilometres.format(radius) })

export function showNear() {
  byId('near').ariaPressed = String(conditions.place !== null)
  byId('near').ariaBusy = waiting ? 'true' : null
  byId('radius').parentElement.hidden = !conditions.place
  const radius = conditions.place?.radius ?? ''
  const known = ['', ...distances, ...(radius === '' || distances.includes(radius) ? [] : [radius])]
  byId('radius').replaceChildren(...known.map(value => element('option',
    { value, selected: value === radius }, value === '' ? texts.anyDistance : distanceText(value))))
}

/** Asks the browser for the place, which asks the person. */
function findPlace() {
  const mine = waiting = {}
  notice.hide('near')
  const fail = ({ code }) => {
    if (waiting !== mine) return
    waiting = null
    showNear()
    notice.show(new Failure(code === 1 ? texts.nearDenied : texts.nearUnknown, false), null, 'near')
  }
  showNear()
  if (!navigator.geolocation) return fail({ code: 1 })
  navigator.geolocation.getCurrentPosition(({ coords: { latitude, longitude } }) => {
    if (waiting !== mine) return
    waiting = null
    // The index rounds places to hundredths of a degree too.
    change({ place: { latitude: Number(latitude.toFixed(2)), longitude: Number(longitude.toFixed(2)) } })
  }, fail, { timeout: 10_000, maximumAge: 600_000 })
}

byId('near').hidden = !facts.near
byId('near').addEventListener('click', () => {
  if (!conditions.place && !waiting) return findPlace()
  waiting = null
  conditions.place ? change({ place: null }) : showNear()
})
byId('radius').addEventListener('change', () => {
  const { latitude, longitude } = conditions.place, radius = Number(byId('radius').value)
  change({ place: { latitude, longitude, ...(radius && { radius }) } })
})
