// MARK: Colours

/** The brightness of a colour, from 0 to 1. Source: WCAG 2.2, relative luminance. */
export const luminance = colour => colour
  .map(value => value <= 10.31 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4)
  .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0)
const mixed = (colour, other, share) => colour.map((value, i) => Math.round(value + (other[i] - value) * share))

/** The colour and its wash on a ground: darker or lighter than given until texts in it have a contrast of 4.5. */
export function readable(given, ground) {
  const colour = [1, 3, 5].map(at => Number.parseInt(given.slice(at, at + 2), 16))
  const isLight = luminance(ground) > 0.5, end = isLight ? [0, 0, 0] : [255, 255, 255]
  for (let share = 0; ; share += 0.02) {
    const accent = mixed(colour, end, Math.min(share, 1)), wash = mixed(ground, accent, 0.07)
    const [low, high] = [luminance(accent), luminance(wash)].sort((a, b) => a - b)
    if ((high + 0.05) / (low + 0.05) >= 4.6 || share > 1) return { accent, wash }
  }
}
