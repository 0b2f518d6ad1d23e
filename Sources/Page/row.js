import { element } from './elements.js'
import { options, texts } from './texts.js'
import { detailOf, linkOf, mark, rightOf } from './record.js'
import { picture, pictureOf, showPicture } from './picture.js'

/** An empty row. If rows lead to addresses, a row is a link of the browser. */
export const rowNode = properties =>
  element(options.link === undefined ? 'div' : 'a', properties,
    element('div', { className: 'title' }, element('bdi', { dir: 'auto' })),
    element('div', { className: 'detail' }),
    ...(options.right ? [element('div', { className: 'right' })] : []),
    ...(options.image === undefined ? [] : [picture('thumb')]))

/** Shows a record in a row; without a record the row waits for one. */
export function showRow(node, match) {
  const [title, detail] = node.children, [right, thumb] = ['.right', '.thumb'].map(part => node.querySelector(part))
  node.classList.toggle('waiting', !match)
  node.classList.toggle('quiet', !!match?.isTooLarge)
  if (match) mark(title.firstChild, match)
  else title.firstChild.replaceChildren(element('span', { className: 'spoken' }, texts.loading))
  detail.textContent = match ? detailOf(match) : ''
  if (right) right.textContent = match ? rightOf(match) : ''
  if (thumb) showPicture(thumb, match && pictureOf(match))
  const href = match && linkOf(match)
  if (href) node.href = href
  else node.removeAttribute('href')
}
