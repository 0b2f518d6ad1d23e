import { button, byId, element } from './elements.js'
import { options, plural, texts } from './texts.js'
import { coordinates } from './degrees.js'
import { input } from './notice.js'
import { nameOf } from './conditions.js'
import { cut, linkOf, rightOf, textOf, textsOf, titleOf, valueNodes } from './record.js'
import { pictureOf, showPicture } from './picture.js'
import { answer, list, rowAt } from './answer.js'
import { chosen, isWide, setChosen } from './choice.js'
import { map } from './map.js'
import { address } from './address.js'

/** The most fields that the page shows of a record. */
const fieldLimit = 200
let carded = null

/** Shows the chosen record. Without a map and a choice, shows the highlighted record, or the first. */
export function showCard() {
  const isPreviewed = !map.isThere && isWide.matches && document.body.classList.contains('open')
    && !document.body.classList.contains('single')
  const match = chosen ?? (isPreviewed && !answer.isFirst ? rowAt(Math.max(answer.active, 0)) : undefined)
  const isChanged = document.body.classList.contains('carded') !== !!match
  document.body.classList.toggle('carded', !!match)
  byId('card').hidden = !match
  byId('card').classList.toggle('preview', !!match && !chosen)
  if (match && match !== carded) fillCard(match)
  carded = match
  if (isChanged && !map.isThere) list.resize()
}

function fillCard(match) {
  const title = cut(titleOf(match), 300), href = linkOf(match), right = rightOf(match)
  byId('chosen').replaceChildren(href ? element('a', { href }, title) : title)
  const geo = `geo:${match.latitude},${match.longitude}`
  byId('place').replaceChildren(...(right ? [element('strong', {}, right)] : []), ...(match.at ? [
    element('a', { href: geo, rel: 'noopener noreferrer', title: texts.openMap }, coordinates(match.at, 4)),
    ...(map.isThere ? [button(texts.showOnMap, () => map.show(match, true))] : []),
  ] : []))
  const address = pictureOf(match)
  showPicture(byId('picture'), address)
  const listed = (options.fields ? options.fields.map(name => [name, textOf(match, name)]) : [...textsOf(match)])
    .filter(([name, text]) => text !== '' && !(address && name === options.image))
  byId('fields').hidden = listed.every(([, text]) => text === match.label)
  const rest = listed.length - fieldLimit
  byId('fields').replaceChildren(
    ...listed.slice(0, fieldLimit).flatMap(([name, text]) => [
      element('dt', {}, element('bdi', {}, cut(nameOf(name), 200))), element('dd', {}, ...valueNodes(text))]),
    ...(rest > 0 ? [element('dt', {}, '…'), element('dd', {}, plural('more', rest))] : []))
}
byId('picture').addEventListener('error', () => { byId('picture').hidden = true })

function closeCard() {
  setChosen(null)
  address.push()
  input.focus()
}
document.querySelector('#card .close').addEventListener('click', closeCard)
