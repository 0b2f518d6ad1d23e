import { clamp } from './elements.js'
import { choose, choosePosition, isWide } from './choice.js'
import { showCard } from './card.js'
import { map } from './map.js'
import { paintScale } from './places.js'

// One finger or the mouse moves the map, two fingers also scale it. A press that hardly moves is a click.
const pointers = new Map()
let pressed = null
map.canvas.addEventListener('pointerdown', event => {
  if (event.button) return
  cancelAnimationFrame(map.flight)
  map.canvas.setPointerCapture(event.pointerId)
  pointers.set(event.pointerId, [event.offsetX, event.offsetY])
  pressed = pointers.size === 1 ? [event.offsetX, event.offsetY] : null
  map.canvas.classList.add('held')
})
map.canvas.addEventListener('pointermove', event => {
  const to = [event.offsetX, event.offsetY]
  const from = pointers.get(event.pointerId)
  map.pointer = event.pointerType === 'mouse' ? to : null
  if (!from) {
    map.canvas.classList.toggle('over', !!map.pick(...to, 10))
    return paintScale()
  }
  if (pressed && Math.hypot(to[0] - pressed[0], to[1] - pressed[1]) < 5) return
  pressed = null
  const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1]
  if (other) {
    const middle = point => [(point[0] + other[0]) / 2, (point[1] + other[1]) / 2]
    const apart = point => Math.max(10, Math.hypot(point[0] - other[0], point[1] - other[1]))
    map.hold(map.degrees(...middle(from)), ...middle(to), map.scale * apart(to) / apart(from))
  } else map.hold(map.degrees(...from), ...to)
  pointers.set(event.pointerId, to)
  map.moved()
})
for (const kind of ['pointerup', 'pointercancel']) {
  map.canvas.addEventListener(kind, event => {
    if (!pointers.delete(event.pointerId)) return
    if (!pointers.size) map.canvas.classList.remove('held')
    if (kind === 'pointerup' && pressed) {
      const found = map.pick(event.offsetX, event.offsetY, event.pointerType === 'mouse' ? 10 : 22)
      if (found?.hits && map.scale < map.most / 4 && map.isSpread(found.hits)) map.fitHits(found.hits)
      else if (found?.row !== undefined) choose(found.row)
      else if (found?.position !== undefined) choosePosition(found.position)
    }
    pressed = null
  })
}
map.canvas.addEventListener('pointerleave', () => { map.pointer = null; map.draw() })
map.canvas.addEventListener('dblclick', event => map.zoomBy(2, event.offsetX, event.offsetY))
map.canvas.addEventListener('wheel', event => {
  event.preventDefault()
  cancelAnimationFrame(map.flight)
  const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1
  map.zoomBy(2 ** clamp(-event.deltaY * lines / (event.ctrlKey ? 60 : 240), -1.5, 1.5), event.offsetX, event.offsetY)
}, { passive: false })
map.box.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const step = 80
  const keys = {
    ArrowLeft: () => map.pan(-step, 0), ArrowRight: () => map.pan(step, 0),
    ArrowUp: () => map.pan(0, -step), ArrowDown: () => map.pan(0, step),
    '+': () => map.zoomBy(2), '=': () => map.zoomBy(2), '-': () => map.zoomBy(0.5),
    0: () => { map.home(); map.moved() },
  }
  if (!keys[event.key]) return
  event.preventDefault()
  cancelAnimationFrame(map.flight)
  keys[event.key]()
})
document.querySelector('.zoom').addEventListener('click', event => {
  const factor = event.target.dataset.zoom
  if (factor === undefined) return
  cancelAnimationFrame(map.flight)
  if (factor === 'fit') map.fitHits()
  else if (+factor) map.zoomBy(+factor)
  else { map.home(); map.moved() }
})
new ResizeObserver(() => map.resize()).observe(map.box)
for (const media of [isWide.width, isWide.height]) media.addEventListener('change', showCard)
for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)']) {
  matchMedia(query).addEventListener('change', () => { map.colours = null; map.draw() })
}
