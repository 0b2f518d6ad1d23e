import { clamp } from './elements.js'
import { radians, wrap } from './degrees.js'

// MARK: The projection

/** The place and the scale of a map. A degree of longitude is narrower near by, as it is on the earth. */
export class Projection {
  /** The middle, in degrees. */
  longitude = 10
  latitude = 22
  /** Pixels per degree of latitude. */
  scale = 0
  width = 0
  height = 0

  get least() { return Math.min(this.width / 360, this.height / 150) }
  get most() { return 20_000 } // About 6 m per pixel.

  /** The width of a degree of longitude by that of latitude: 1 for the world, the true ratio near by. */
  squeeze(latitude = this.latitude, scale = this.scale) {
    return Math.cos(latitude * radians * clamp((Math.log2(scale) - 3.5) / 3, 0, 1))
  }

  /** The zoom of common web maps: at 0 the world has 256 pixels. */
  get zoom() { return Math.log2(this.scale * 360 / 256) }

  move({ longitude = this.longitude, latitude = this.latitude, scale = this.scale }) {
    this.scale = clamp(scale, this.least, this.most)
    this.latitude = clamp(latitude, -85, 85)
    this.longitude = wrap(longitude)
  }

  /**
   * The point of a place: of its copies around the world, the copy nearest to the middle.
   * @returns {[number, number]}
   */
  point([longitude, latitude]) {
    return [
      this.width / 2 + wrap(longitude - this.longitude) * this.scale * this.squeeze(),
      this.height / 2 - (latitude - this.latitude) * this.scale,
    ]
  }

  /** The degrees at a point. */
  degrees(x, y) {
    const [east, south] = [(x - this.width / 2) / this.scale / this.squeeze(), (y - this.height / 2) / this.scale]
    return [this.longitude + east, this.latitude - south]
  }

  /** Moves and scales the map so that `degrees` are at x, y. */
  hold([longitude, latitude], x, y, scale = this.scale) {
    scale = clamp(scale, this.least, this.most)
    latitude = clamp(latitude + (y - this.height / 2) / scale, -85, 85)
    this.move({ latitude, scale, longitude: longitude - (x - this.width / 2) / scale / this.squeeze(latitude, scale) })
  }

  /** Moves the map so that all of a box is visible. */
  fit(box, most) { this.move(this.fitting(box, most)) }

  /** The place of a map that shows all of a box. */
  fitting({ west, wide, south, north }, most) {
    const latitude = (south + north) / 2
    const room = [Math.max(40, this.width - 96), Math.max(40, this.height - 96)]
    let scale = this.least
    // Degrees of longitude become narrower as the map zooms in.
    for (let turn = 0; turn < 8; turn++) {
      scale = Math.min(
        room[0] / Math.max(wide, 1e-4) / this.squeeze(latitude, scale), room[1] / Math.max(north - south, 1e-4), most)
    }
    return { longitude: west + wide / 2, latitude, scale }
  }
}

/** The shortest arc with all of these longitudes, in degrees. */
export function around(longitudes) {
  if (!longitudes.length) return
  const sorted = [...new Set(longitudes)].sort((a, b) => a - b)
  let west = sorted[0], gap = sorted[0] + 360 - sorted.at(-1)
  for (let i = 1; i < sorted.length; i++) {
    if (sorted[i] - sorted[i - 1] > gap) { gap = sorted[i] - sorted[i - 1]; west = sorted[i] }
  }
  return { west, wide: 360 - gap }
}
