import { byId, clamp } from './elements.js'
import { number } from './texts.js'
import { coordinates, radians, wrap } from './degrees.js'
import { answer, rowAt } from './answer.js'
import { chosen } from './choice.js'
import { map } from './map.js'
import { paintNames } from './names.js'

// MARK: The records on the map

/** Draws neighbours, rows of the list, the highlighted and the chosen record; then names where there is room. */
export function paintPlaces(context) {
  const { colours, width, height } = map
  const drawn = map.drawn = []
  const isIn = ([x, y]) => x > -8 && y > -8 && x < width + 8 && y < height + 8
  const dot = (x, y, radius, colour) => {
    context.fillStyle = colour
    context.beginPath()
    context.arc(x, y, radius, 0, 7)
    context.fill()
  }
  for (const match of map.near.places) {
    const at = map.point(match.at)
    if (!isIn(at)) continue
    dot(...at, 2.25, colours.label)
    drawn.push({ at, match, position: match.position, turn: match.turn })
  }
  for (const { at, hits } of map.clusters()) {
    if (!isIn(at)) continue
    const [{ match, row }] = hits
    if (hits.length < 3) {
      for (const { match, row } of hits) {
        const at = map.point(match.at)
        dot(...at, 2.75, colours.accent)
        drawn.push({ at, match, row, turn: row })
      }
    } else {
      const radius = 8 + 2.5 * Math.log10(hits.length)
      dot(...at, radius + 1.5, map.back)
      dot(...at, radius, colours.accent)
      context.font = `600 11px ${getComputedStyle(document.body).fontFamily}`
      context.fillStyle = colours['on-accent']
      context.textAlign = 'center'
      context.textBaseline = 'middle'
      context.fillText(number.format(hits.length), ...at)
      context.textAlign = 'start'
      context.textBaseline = 'alphabetic'
      drawn.push({ at, match, row, turn: row, hits, radius })
    }
  }
  const active = rowAt(answer.active)
  if (active?.at) ring(context, map.point(active.at), 6, 1.5)
  if (chosen?.at) ring(context, map.point(chosen.at), 9, 3)
  paintNames(context, drawn)
}

function ring(context, [x, y], radius, line) {
  context.beginPath()
  context.arc(x, y, radius, 0, 7)
  context.lineWidth = line + 3
  context.strokeStyle = map.back
  context.stroke()
  context.lineWidth = line
  context.strokeStyle = map.colours.accent
  context.stroke()
  context.beginPath()
  context.arc(x, y, line, 0, 7)
  context.fillStyle = map.colours.accent
  context.fill()
}

export function paintScale() {
  // Along the middle: a degree at the equator has 111.32 km.
  const kilometres = 111.32 * Math.cos(map.latitude * radians) / map.scale / map.squeeze() * 130
  const power = 10 ** Math.floor(Math.log10(kilometres))
  const round = [5, 3, 2, 1].find(step => step * power <= kilometres) * power
  byId('bar').textContent = round >= 1 ? `${number.format(round)} km` : `${number.format(Math.round(round * 1000))} m`
  byId('bar').style.width = `${130 * round / kilometres}px`
  const [longitude, latitude] = map.pointer ? map.degrees(...map.pointer) : [map.longitude, map.latitude]
  const digits = clamp(Math.floor(Math.log10(map.scale)) + 1, 0, 5)
  // A chosen record is not in the middle of the map, and its own coordinates are on the card.
  const isElsewhere = !map.pointer && document.body.classList.contains('carded')
  byId('where').textContent =
    Math.abs(latitude) > 90 || isElsewhere ? '' : coordinates([wrap(longitude), latitude], digits)
}
