import { answer, rowAt } from './answer.js'
import { chosen } from './choice.js'
import { Boxes, stem } from './boxes.js'
import { map } from './map.js'

// MARK: Names on the map

/** Draws a name beside a point, and tells whether a side has room for the name. */
function paintName(context, boxes, text, [x, y], gap, font, colour) {
  context.font = font
  const key = font + text
  let length = map.widths.get(key)
  if (length === undefined) {
    if (map.widths.size > 5000) map.widths.clear()
    map.widths.set(key, length = context.measureText(text).width)
  }
  const sides = [
    [x + gap, y - 8], [x - gap - length, y - 8], [x - length / 2, y - gap - 15], [x - length / 2, y + gap - 1],
  ]
  for (const [left, top] of sides) {
    const box = [left - 2, top + 1, left + length + 2, top + 15]
    if (box[0] < 0 || box[1] < 0 || box[2] > map.width || box[3] > map.height || !boxes.isFree(box)) continue
    boxes.take(box)
    context.lineWidth = 4
    context.lineJoin = 'round'
    context.strokeStyle = map.back
    context.strokeText(text, left, top + 12)
    context.fillStyle = colour
    context.fillText(text, left, top + 12)
    return true
  }
  return false
}

export function paintNames(context, drawn) {
  const family = getComputedStyle(document.body).fontFamily
  const boxes = new Boxes()
  // No name stands under the panels over the map.
  const { left, top } = map.box.getBoundingClientRect()
  for (const above of document.querySelectorAll('.zoom, .scale, #card:not([hidden])')) {
    const box = above.getBoundingClientRect()
    boxes.take([box.left - left, box.top - top, box.right - left, box.bottom - top])
  }
  const active = rowAt(answer.active)
  for (const other of [chosen, active]) {
    const [x, y] = other?.at ? map.point(other.at) : [-99, -99]
    boxes.take([x - 13, y - 13, x + 13, y + 13])
  }
  const name = (match, ...how) => paintName(context, boxes, stem(match.label), ...how)
  const { accent, ink, label } = map.colours
  if (chosen?.at) name(chosen, map.point(chosen.at), 16, `650 14px ${family}`, ink)
  if (active?.at && active.digest !== chosen?.digest) {
    name(active, map.point(active.at), 16, `600 13px ${family}`, accent)
  }
  const before = map.labelled, now = map.labelled = new Set()
  if (map.scale < 40) return
  // Dots stay free.
  for (const { at: [x, y], radius = 2 } of drawn) boxes.take([x - radius, y - radius, x + radius, y + radius])
  // A record in the list and near by has one name. A record that had its name keeps it, so that names do not flicker.
  const places = new Map()
  for (const entry of drawn) if (!entry.hits) places.set(`${entry.match.label}@${entry.match.at}`, entry)
  for (const other of [chosen, active]) if (other?.at) places.delete(`${other.label}@${other.at}`)
  const inOrder = [...places].sort(([a, one], [b, other]) =>
    +before.has(b) - +before.has(a) || +(other.row !== undefined) - +(one.row !== undefined) || one.turn - other.turn)
  for (const [key, { at, match, row }] of inOrder) {
    if (name(match, at, 5, `12px ${family}`, row === undefined ? label : accent)) now.add(key)
    if (now.size === 120) break
  }
}
