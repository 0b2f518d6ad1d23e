import { byId } from './elements.js'
import { options, texts } from './texts.js'
import { answer, list } from './answer.js'
import { address } from './address.js'

// MARK: Cards in place of rows

export const isGrid = () => document.body.classList.contains('grid')

/** Shows the list as cards or as rows. A list without images has rows. */
export function setGrid(isWanted) {
  const isOn = isWanted && options.image !== undefined
  if (isOn !== isGrid()) {
    document.body.classList.toggle('grid', isOn)
    list.resize()
    if (answer.active >= 0) list.reveal(answer.active)
  }
  byId('layout').ariaLabel = byId('layout').title = texts[isOn ? 'asRows' : 'asCards']
}

byId('layout').addEventListener('mousedown', event => event.preventDefault()) // The field keeps the focus.
byId('layout').hidden = options.image === undefined
byId('layout').addEventListener('click', () => { setGrid(!isGrid()); address.replace() })
