import { byId, element } from './elements.js'
import { index } from './server.js'
import { cut, digest, linkOf, titleOf, webAddress } from './record.js'
import { allowedPicture, picture, pictureOf, showPicture } from './picture.js'
import { rowNode, showRow } from './row.js'
import { answer, rowAt } from './answer.js'
import { linkText } from './link.js'
import { isGrid } from './grid.js'

// MARK: Before the first letter

/** The records at the top of the list that the beginning shows. */
const topLimit = 12

/** The records that were last chosen in this browser, the newest first. A browser may refuse to store them. */
export const recent = {
  limit: 8,
  name: `shardq chosen ${location.pathname}`,
  list: [],
  read() {
    try {
      const stored = JSON.parse(localStorage.getItem(this.name))
      const isEntry = entry =>
        Array.isArray(entry) && entry.length === 5 && entry.every(text => typeof text === 'string')
      if (Array.isArray(stored)) this.list = stored.filter(isEntry).slice(0, this.limit)
    } catch {}
  },
  write() {
    try {
      if (this.list.length) localStorage.setItem(this.name, JSON.stringify(this.list))
      else localStorage.removeItem(this.name)
    } catch {}
  },
  note(match) {
    const is = match.digest ?? digest(match.record), link = linkOf(match) ?? ''
    const others = this.list.filter(([, other, , , address]) => other !== is && (address !== link || !link))
    // A price or a place may change; the entry has neither.
    const entry = [match.label, is, cut(titleOf(match), 200), pictureOf(match) ?? '', link]
    this.list = [entry, ...others].slice(0, this.limit)
    this.write()
  },
}
recent.read()

const item = (...content) => element('li', {}, ...content)
const linkHere = match => linkText('', match, undefined, {}, isGrid())

function recentItem([label, is, title, image, link]) {
  const href = webAddress(link)?.href ?? linkHere({ label, digest: is })
  const address = allowedPicture(image), thumb = address ? [picture('thumb')] : []
  if (address) showPicture(thumb[0], address)
  return item(element('a', { className: 'chip', href }, ...thumb, element('bdi', { dir: 'auto' }, title)))
}

function topItem(match, row) {
  const node = rowNode({ className: 'tile' })
  showRow(node, match)
  if (node.hasAttribute('href')) node.addEventListener('click', () => recent.note(match))
  return item(node.hasAttribute('href') ? node
    : element('a', { className: 'tile', href: linkHere({
      ...match, row, query: '', digest: index ? undefined : digest(match.record),
    }) }, ...node.childNodes))
}

/** Shows the last chosen records, and of a ranked list the best ones. */
export function showBegin() {
  const isThere = answer.query === '' && document.body.classList.contains('empty')
  const length = answer.isRanked ? Math.min(topLimit, answer.listed) : 0
  const best = answer.top.length ? answer.top : Array.from({ length }, (_, row) => rowAt(row))
  const shown = isThere ? best.filter(match => match && !match.isTooLarge) : []
  byId('recent').hidden = !recent.list.length
  byId('recent').lastElementChild.replaceChildren(...recent.list.map(recentItem))
  byId('top').hidden = !shown.length
  byId('top').lastElementChild.replaceChildren(...shown.map(topItem))
}

byId('forget').addEventListener('click', () => {
  recent.list = []
  recent.write()
  showBegin()
  byId('query').focus()
})
