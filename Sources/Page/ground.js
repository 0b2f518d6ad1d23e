import { clamp } from './elements.js'
import { index } from './server.js'
import { rings } from './land.js'
import { map } from './map.js'

// MARK: The ground of the map

/** Draws sea, grid and dots: about a thousand circles, which do not change with the typed text. */
export function paintGround(ratio) {
  const { ground, width, height, scale, near } = map
  // Near by, the map draws the records themselves, and no cells.
  const fade = clamp(1 - Math.log2(scale / 40) / (index ? 2 : 1), near.failed ? 0.3 : 0, 1)
  const state = [map.longitude, map.latitude, scale, width, height, ratio, fade, map.levels !== null].join()
  if (map.grounded === state) return ground
  map.grounded = state
  Object.assign(ground, { width: map.canvas.width, height: map.canvas.height })
  const context = ground.getContext('2d', { alpha: false })
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.fillStyle = map.colours.sea
  context.fillRect(0, 0, width, height)
  // The outline is coarse. Near by it would be wrong, so the map draws land everywhere.
  const coast = clamp(2 - Math.log2(scale / 24), 0, 1)
  context.fillStyle = map.colours.ground
  context.globalAlpha = 1 - coast
  context.fillRect(0, 0, width, height)
  context.globalAlpha = 1
  if (coast > 0) paintLand(context)
  paintGrid(context)
  context.globalAlpha = fade
  if (map.levels && fade > 0) paintDots(context)
  return ground
}

function paintGrid(context) {
  const step = [30, 10, 5, 2, 1, 0.5, 0.2, 0.1].find(step => step * map.scale < 200) ?? 0.05
  const [west, north] = map.degrees(0, 0), [east, south] = map.degrees(map.width, map.height)
  context.beginPath()
  for (let at = Math.ceil(west / step); at * step <= east; at++) {
    const x = Math.round(map.width / 2 + (at * step - map.longitude) * map.scale * map.squeeze()) + 0.5
    context.moveTo(x, 0)
    context.lineTo(x, map.height)
  }
  for (let at = Math.ceil(Math.max(south, -90) / step); at * step <= Math.min(north, 90); at++) {
    const y = Math.round(map.height / 2 - (at * step - map.latitude) * map.scale) + 0.5
    context.moveTo(0, y)
    context.lineTo(map.width, y)
  }
  context.strokeStyle = map.colours.grid
  context.lineWidth = 1
  context.stroke()
}

function paintLand(context) {
  const narrow = map.scale * map.squeeze(), world = 360 * narrow
  const origin = map.width / 2 - map.longitude * narrow, top = map.height / 2 + map.latitude * map.scale
  context.beginPath()
  for (let copy = Math.floor(-origin / world - 0.5); copy <= (map.width - origin) / world + 0.5; copy++) {
    for (const ring of rings()) {
      ring.forEach(([longitude, latitude], i) => {
        const [x, y] = [origin + copy * world + longitude * narrow, top - latitude * map.scale]
        i ? context.lineTo(x, y) : context.moveTo(x, y)
      })
      context.closePath()
    }
  }
  context.fillStyle = map.colours.ground
  context.fill('evenodd')
}

/** Draws dots of the finest cells that keep dots apart. A dot is larger if more of its cells have records. */
function paintDots(context) {
  const { width, height, scale } = map
  const narrow = scale * map.squeeze()
  const apart = 3.2 / clamp(devicePixelRatio, 1, 1.6)
  const { columns, rows } = map.levels.find(({ columns }) => 360 / columns * narrow >= apart) ?? map.levels.at(-1)
  const [wide, high] = [360 / columns * narrow, 180 / rows.length * scale]
  const most = Math.min(wide, high, 8) * 0.46
  context.fillStyle = map.colours.land
  const world = 360 * narrow
  const origin = width / 2 - (map.longitude + 180) * narrow + wide / 2
  const top = height / 2 - (90 - map.latitude) * scale + high / 2
  const firstRow = clamp(Math.floor((-top - most) / high), 0, rows.length)
  const lastRow = clamp(Math.ceil((height - top + most) / high) + 1, 0, rows.length)
  context.beginPath()
  for (let copy = Math.floor(-origin / world); copy <= Math.floor((width - origin) / world); copy++) {
    const left = origin + copy * world
    for (let row = firstRow; row < lastRow; row++) {
      const y = top + row * high
      const dots = rows[row]
      for (let i = 0; i < dots.columns.length; i++) {
        const x = left + dots.columns[i] * wide
        if (x < -most || x > width + most) continue
        const radius = most * (0.45 + 0.55 * Math.sqrt(dots.shares[i]))
        context.moveTo(x + radius, y)
        context.arc(x, y, radius, 0, 7)
      }
    }
  }
  context.fill()
}
