import { element } from './elements.js'
import { options } from './texts.js'
import { firstOf, webAddress } from './record.js'

/** The origins that the policy allows for images: the page's own and those of its options. */
const imageOrigins = new Set([document.baseURI, ...(options.imageOrigins ?? [])].map(text => new URL(text).origin))

/** The address of an image, if the policy allows it. */
export function allowedPicture(text) {
  const url = webAddress(text)
  return url && imageOrigins.has(url.origin) ? url.href : undefined
}

/** The address of a record's image, or of its first one. */
export const pictureOf = match =>
  options.image === undefined ? undefined : allowedPicture(firstOf(match.record, options.image))

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
