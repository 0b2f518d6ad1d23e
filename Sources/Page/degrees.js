import { texts } from './texts.js'

// MARK: Degrees

/** Degrees with their direction; `directions` has the positive and the negative direction. */
function degrees(value, digits, directions) {
  return `${Math.abs(value).toFixed(digits)}° ${texts.compass[directions[value < 0 ? 1 : 0]]}`
}
export const coordinates = ([longitude, latitude], digits) =>
  `${degrees(latitude, digits, [0, 1])}, ${degrees(longitude, digits, [2, 3])}`

export const radians = Math.PI / 180

export const wrap = longitude => ((longitude + 180) % 360 + 360) % 360 - 180
