import { element } from './elements.js'
import { options } from './texts.js'
import { textOf } from './record.js'

/** The origins that the policy allows for images: the page's own and those of its options. */
const imageOrigins = new Set([document.baseURI, ...(options.imageOrigins ?? [])].map(text => new URL(text).origin))

/** The address of a record's image, if the policy allows it. */
export function pictureOf(match) {
  const text = options.image === undefined ? '' : textOf(match, options.image)
  if (!text || text.length > 2048 || !URL.canParse(text, document.baseURI)) return
  const url = new URL(text, document.baseURI)
  return imageOrigins.has(url.origin) ? url.href : undefined
}

export const picture = className =>
  element('img', {
    className, alt: '', decoding: 'async', referrerPolicy: 'no-referrer', hidden: true,
    onerror() { this.hidden = true },
  })

export function showPicture(node, address) {
  if (node.getAttribute('src') !== (address ?? null)) address ? node.src = address : node.removeAttribute('src')
  else if (!address || node.complete && !node.naturalWidth) return
  node.hidden = !address
}
