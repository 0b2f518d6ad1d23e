import { input } from './notice.js'
import { learnTotal, newest, shown, type } from './answer.js'
import { map } from './map.js'
import { address } from './address.js'

// MARK: Start

// The browser may keep this page while it shows another, and end its requests.
addEventListener('pageshow', event => { if (event.persisted && shown !== newest) type(input.value) })
if (map.isThere) map.load()
address.read().then(async () => {
  if (matchMedia('(pointer: fine)').matches) input.focus()
  // The answer to an empty field has the number.
  if (input.value !== '') learnTotal()
})
