import { byId, clamp } from './elements.js'
import { input, notice } from './notice.js'
import { answer, asking, list, newest, open, rowAt, shown, state, type } from './answer.js'
import { isAsked } from './conditions.js'
import { activate, choose, chosen, setChosen, setTitle } from './choice.js'
import { address } from './address.js'
import { recent } from './begin.js'

// MARK: Typing and keys

input.addEventListener('input', () => {
  notice.hide('near')
  type(input.value)
  // The chosen record stays one step back in the history.
  const hadChoice = chosen !== null
  if (hadChoice) setChosen(null)
  state.enterWaits = false
  state.isOpen = input.value !== '' || isAsked()
  hadChoice ? address.push() : address.replace()
  setTitle()
  byId('clear').hidden = input.value === ''
})

input.addEventListener('keydown', event => {
  // While an input method composes, the keys belong to it.
  const isTab = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
  if (event.isComposing || event.keyCode === 229 || (event.metaKey && !isTab)) return
  const { active, listed } = answer
  const isListed = document.body.classList.contains('open')
  const { columns } = list
  const step = Math.max(1, Math.floor(list.view / list.rowHeight) - 1) * columns
  let row
  if (event.altKey || (event.ctrlKey && !isTab)) {
    if (event.key === 'ArrowDown' && event.altKey) open(true)
    else if (event.key === 'ArrowUp' && event.altKey) open(false)
    else if (event.key === 'Home' && isListed) row = 0
    else if (event.key === 'End' && isListed) row = listed - 1
    else return
  } else {
    switch (event.key) {
      case 'ArrowDown': row = active < 0 ? 0 : active + columns < listed ? active + columns : -1; break
      case 'ArrowUp': row = active < 0 ? listed - 1 : Math.max(active - columns, -1); break
      // Among cards, once one is highlighted.
      case 'ArrowLeft': case 'ArrowRight':
        if (columns === 1 || active < 0 || !isListed) return
        row = clamp(active + (event.key === 'ArrowLeft' ? -1 : 1), 0, listed - 1)
        break
      case 'PageDown': row = Math.min(active + step, listed - 1); break
      case 'PageUp': row = Math.max(active - step, 0); break
      case 'Enter':
        // Enter means the typed text, even if its answer is still under way.
        if (shown !== newest && (asking.size || active < 0)) state.enterWaits = true
        else if (listed && (isListed || input.value)) choose(Math.max(active, 0), isTab)
        break
      case 'Escape':
        if (isListed) open(false)
        else if (input.value) clear()
        else return
        break
      default: return
    }
  }
  event.preventDefault()
  if (row === undefined) return
  if (!isListed) open(true)
  if (listed) activate(row)
})

function clear() {
  input.focus()
  input.select()
  // The browser deletes the text as a person does, so that undo brings it back. A value set by a script ends undo.
  document.execCommand('delete')
}
byId('clear').addEventListener('click', clear)

/** Types another text, as a person does. */
export function retype(text) {
  input.focus()
  input.select()
  document.execCommand('insertText', false, text)
}

input.addEventListener('pointerdown', () => { if (input.value && !state.isOpen) open(true) })
byId('matches').addEventListener('mousedown', event => event.preventDefault()) // The field keeps the focus.
/** Notes the record of a row whose link the browser follows, here or in another tab. */
function noteLink(event) {
  const row = event.target.closest('.row[href]'), match = row && rowAt(Number(row.id.slice('match-'.length)))
  if (match) recent.note(match)
  return !!match
}
byId('matches').addEventListener('auxclick', event => { if (event.button === 1) noteLink(event) })
byId('matches').addEventListener('click', event => {
  const row = event.target.closest('.row')
  if (!row || noteLink(event)) return
  const at = Number(row.id.slice('match-'.length))
  activate(at)
  choose(at)
  if (matchMedia('(pointer: coarse)').matches) input.blur() // The keyboard would cover the map.
})
