import { byId, clamp } from './elements.js'
import { facts } from './texts.js'
import { wrap } from './degrees.js'
import { ask } from './server.js'
import { place } from './rows.js'
import { isAsked } from './conditions.js'
import { answer, pageSize } from './answer.js'
import { chosen } from './choice.js'
import { showCard } from './card.js'
import { levels } from './cells.js'
import { Projection, around } from './projection.js'
import { paintGround } from './ground.js'
import { paintPlaces, paintScale } from './places.js'
import { address } from './address.js'

// MARK: The map

/** The map has dots where the index has records, and the records themselves near by. */
class RecordMap extends Projection {
  box = byId('map')
  canvas = byId('map').firstElementChild
  isThere = facts.places
  ground = document.createElement('canvas')
  grounded = null
  /** Cells with records, the index's own and coarser cells; null until the page has them. */
  levels = null
  /** Whether nobody has moved the map. */
  isHome = true
  /** Whether the map shows a chosen record. */
  isShowing = false
  /** Whether a person moved the map, and did not ask for all places since. */
  isHeld = false
  /** Whether the map shows the rows of an answer, and whether it is to stay at the next one. */
  isFollowing = false
  stays = false
  rest = 0
  near = { places: [], more: false, west: 0, east: 0, south: 0, north: 0, controller: null, timer: 0 }
  drawn = []
  labelled = new Set()
  pointer = null
  flight = 0
  frame = 0
  colours = null
  widths = new Map()

  async load() {
    try {
      const { body } = await ask('v1/dots', {}, new AbortController().signal)
      this.levels = levels(body)
      if (this.isHome) this.home()
      this.draw()
    } catch (failure) {
      if (failure.status === 404) {
        this.isThere = false
        document.body.classList.add('mapless')
        showCard()
        return
      }
      setTimeout(() => this.load(), 10_000) // The list reports a server that fails.
    }
  }

  /** The colour around names and rings. */
  get back() { return this.scale > 48 ? this.colours.ground : this.colours.sea }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.box
    if (!width || !height) return
    const isFirst = !this.width
    Object.assign(this, { width, height })
    const ratio = devicePixelRatio
    this.canvas.width = Math.round(width * ratio)
    this.canvas.height = Math.round(height * ratio)
    if (this.wanted) {
      this.move(this.wanted)
      this.wanted = null
    } else if (isFirst || this.isHome) this.home()
    else this.move({})
    this.paint()
  }

  /** Shows all records of the list. */
  home() {
    Object.assign(this, { isHome: true, isShowing: false, isHeld: false, isFollowing: false })
    const world = { longitude: 10, latitude: 18, scale: this.least }
    if (!this.levels) return this.move(world)
    const { columns, rows } = this.levels[0], side = 360 / columns
    const west = [], edges = { south: 90, north: -90 }
    rows.forEach((row, i) => {
      if (!row.columns.length) return
      edges.south = Math.min(edges.south, 90 - (i + 1) * side)
      edges.north = Math.max(edges.north, 90 - i * side)
      for (const column of row.columns) west.push(column * side - 180)
    })
    const arc = around(west)
    if (!arc || arc.wide + side > 270) return this.move(world)
    this.fit({ ...edges, west: arc.west, wide: arc.wide + side }, 110)
  }

  /** The rows of the list with coordinates, with their number. */
  hits() {
    if (!document.body.classList.contains('open') || answer.query === '' && !isAsked(answer.given)) return []
    return [...answer.pages].flatMap(([page, rows]) => rows.map((match, i) => ({ match, row: page * pageSize + i })))
      .filter(({ match }) => match.at)
  }

  /** Whether hits lie apart, so that zooming in separates them. */
  isSpread(hits) {
    return hits.some(({ match }) => match.at.some((value, axis) => Math.abs(value - hits[0].match.at[axis]) > 1e-4))
  }

  fitHits(hits = this.hits()) {
    if (!hits.length) return
    this.isHome = this.isShowing = this.isFollowing = false
    this.move(this.fittingHits(hits, this.most))
    this.moved()
  }

  fittingHits(hits, most) {
    const latitudes = hits.map(({ match }) => match.at[1])
    return this.fitting({
      ...around(hits.map(({ match }) => match.at[0])), south: Math.min(...latitudes), north: Math.max(...latitudes),
    }, hits.every(({ match }) => `${match.at}` === `${hits[0].match.at}`) ? Math.max(this.scale, 400) : most)
  }

  /**
   * Moves to the rows of a new answer once no other answer comes. A map that a person moved stays while it shows one of
   * them, and so does the map of a link.
   */
  follow() {
    clearTimeout(this.rest)
    if (this.stays) { this.stays = false; return }
    this.rest = setTimeout(() => {
      const hits = this.hits()
      if (chosen || !this.width) return
      if (!hits.length) { if (this.isFollowing) this.home(); return }
      const isIn = ([x, y]) => x > 0 && y > 0 && x < this.width && y < this.height
      if (this.isHeld && hits.some(({ match }) => isIn(this.point(match.at)))) return
      Object.assign(this, { isHome: false, isShowing: false, isHeld: false, isFollowing: true })
      this.fly(this.fittingHits(hits, 400), false)
    }, 250)
  }

  /** Leaves a record that is gone. A map that stays there would look like an answer. */
  leave() { if (this.isShowing) { this.home(); this.moved() } }

  move(target) {
    super.move(target)
    this.draw()
  }

  hold(...held) {
    this.isHome = this.isShowing = this.isFollowing = false
    this.isHeld = true
    super.hold(...held)
  }

  zoomBy(factor, x = this.width / 2, y = this.height / 2) {
    this.hold(this.degrees(x, y), x, y, this.scale * factor)
    this.moved()
  }

  pan(x, y) {
    this.hold(this.degrees(x, y), 0, 0)
    this.moved()
  }

  /** Shows a chosen record, so near that its neighbours have names. */
  show(match, isNearer = false) {
    if (!match.at || !this.isThere) return
    Object.assign(this, { isHome: false, isShowing: true, isHeld: false, isFollowing: false })
    const scale = Math.max(this.scale, isNearer ? 400 : 110)
    // A panel over the map moves the middle.
    const card = byId('card').getBoundingClientRect(), box = this.box.getBoundingClientRect()
    const rest = card.width < box.width || !box.height ? 0 : Math.max(0, box.bottom - card.top) / 2
    this.fly({ longitude: match.at[0], latitude: match.at[1] - rest / scale, scale })
  }

  /** @param isKept Whether the address gets the place. */
  fly(target, isKept = true) {
    cancelAnimationFrame(this.flight)
    if (!this.width) { this.wanted = target; return }
    if (matchMedia('(prefers-reduced-motion: reduce)').matches || document.hidden) {
      this.move(target)
      if (isKept) this.moved()
      return
    }
    const start = performance.now()
    const from = { longitude: this.longitude, latitude: this.latitude, zoom: Math.log2(this.scale) }
    const east = wrap(target.longitude - from.longitude), north = target.latitude - from.latitude
    const zoom = Math.log2(clamp(target.scale, this.least, this.most))
    // On a long way the flight rises until both ends are visible.
    const distance = Math.hypot(east, north) * 2 ** Math.min(from.zoom, zoom)
    const most = Math.max(0, Math.min(from.zoom, zoom) - Math.log2(this.least))
    const rise = clamp(Math.log2(distance / this.width), 0, most)
    const time = 350 + 130 * rise
    const step = now => {
      const t = clamp((now - start) / time, 0, 1), eased = t * t * (3 - 2 * t)
      this.move({
        longitude: from.longitude + east * eased, latitude: from.latitude + north * eased,
        scale: 2 ** (from.zoom + (zoom - from.zoom) * eased - rise * Math.sin(Math.PI * eased)),
      })
      if (t < 1) this.flight = requestAnimationFrame(step)
      else if (isKept) this.moved()
    }
    this.flight = requestAnimationFrame(step)
  }

  /** Runs after each movement by hand, and at the end of a flight. */
  moved() { address.moved() }

  /** Asks for the records in view and half as far around, if the map is near enough. */
  look() {
    const { near } = this
    if (!this.levels || this.scale < 40) {
      clearTimeout(near.timer)
      near.controller?.abort()
      near.places = []
      near.east = near.west
      byId('looking').hidden = true
      return
    }
    const [wide, high] = [this.width / this.scale / this.squeeze(), this.height / this.scale]
    const { longitude, latitude } = this
    const east = near.middle + wrap(longitude - near.middle)
    const isInside = near.east > near.west && east - wide / 2 >= near.west && east + wide / 2 <= near.east
      && near.south <= Math.max(-90, latitude - high / 2) && near.north >= Math.min(90, latitude + high / 2)
    if (isInside && (!near.more || this.scale < near.scale * 1.4)) return
    clearTimeout(near.timer)
    near.timer = setTimeout(async () => {
      near.controller?.abort()
      const controller = near.controller = new AbortController()
      const waiting = setTimeout(() => { byId('looking').hidden = near.controller !== controller }, 300)
      const [west, east] = [longitude - wide * 0.75, longitude + wide * 0.75]
      const [south, north] = [Math.max(-90, latitude - high * 0.75), Math.min(90, latitude + high * 0.75)]
      try {
        // If the box crosses the date line, west is more than east.
        const { body } = await ask('v1/within', {
          west: wrap(west).toFixed(4), south: south.toFixed(4), east: wrap(east).toFixed(4), north: north.toFixed(4),
          limit: 300,
        }, controller.signal)
        const places = body.places.map(place).filter(({ at }) => at)
        // The order of names: the heaviest first, or an order that is not the alphabet's.
        places.forEach((match, i) => {
          match.turn = body.sort === 'rank' ? i : Math.imul(match.position, 0x9e3779b1) >>> 0
        })
        Object.assign(near, {
          west, east, south, north, middle: longitude, scale: this.scale, places, more: body.more, failed: false,
        })
        this.draw()
      } catch { // The map stays without names; the next movement asks again.
        if (!controller.signal.aborted) near.failed = true
      }
      clearTimeout(waiting)
      if (near.controller === controller) byId('looking').hidden = true
    }, 120)
  }

  draw() { this.frame ||= requestAnimationFrame(() => { this.frame = 0; this.paint() }) }

  paint() {
    const { width } = this
    if (!width || !this.isThere || !this.box.clientWidth) return
    if (!this.colours) {
      const style = getComputedStyle(document.documentElement)
      const names = ['sea', 'ground', 'land', 'grid', 'label', 'accent', 'on-accent', 'ink']
      this.grounded = null
      this.colours = Object.fromEntries(names.map(name => [name, style.getPropertyValue(`--${name}`).trim()]))
    }
    this.look()
    const context = this.canvas.getContext('2d', { alpha: false })
    const ratio = this.canvas.width / width
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.drawImage(paintGround(ratio), 0, 0)
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    paintPlaces(context)
    paintScale()
  }

  /** The rows of the list by cells of the screen, with the middle of each. The cells keep their places on the earth. */
  clusters() {
    const side = 32, cells = new Map(), narrow = this.scale * this.squeeze()
    for (const hit of this.hits()) {
      const [longitude, latitude] = hit.match.at
      const cell = `${Math.floor(longitude * narrow / side)},${Math.floor(latitude * this.scale / side)}`
      cells.has(cell) ? cells.get(cell).push(hit) : cells.set(cell, [hit])
    }
    return [...cells.values()].map(hits => {
      const mean = axis => hits.reduce((sum, { match }) => sum + match.at[axis], 0) / hits.length
      return { at: this.point([mean(0), mean(1)]), hits }
    })
  }

  /** The record drawn within `reach` pixels of a point, or undefined. */
  pick(x, y, reach) {
    let best
    for (const entry of this.drawn) {
      const distance = Math.hypot(entry.at[0] - x, entry.at[1] - y)
      if (distance <= Math.max(reach, entry.radius ?? 0)) { reach = distance; best = entry }
    }
    return best
  }
}

export const map = new RecordMap()
