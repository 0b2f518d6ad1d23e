// MARK: Room for names

function* bands([, top, , bottom]) {
  for (let band = top >> 4; band <= bottom >> 4; band++) yield band
}

/** The taken boxes of the map, in bands of 16 pixels, so that each name meets few boxes. */
export class Boxes {
  #taken = new Map()

  take(box) {
    for (const band of bands(box)) {
      const boxes = this.#taken.get(band)
      boxes ? boxes.push(box) : this.#taken.set(band, [box])
    }
  }

  isFree(box) {
    const meet = other => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]
    for (const band of bands(box)) {
      if (this.#taken.get(band)?.some(meet)) return false
    }
    return true
  }
}

/** The beginning of a label that stands on the map, without the last part behind a comma. */
export function stem(label) {
  const end = label.lastIndexOf(', ')
  const text = end > 0 ? label.slice(0, end) : label
  return text.length > 32 ? `${text.slice(0, 31)}…` : text
}
