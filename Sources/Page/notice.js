import { byId, throttled } from './elements.js'
import { bytes, number } from './texts.js'

// MARK: Messages

export const input = byId('query')
export const announce = throttled(500, text => { byId('spoken').textContent = text })

/** The notice of an error. It repeats the work after 2, 4, 8 and up to 30 seconds, or when the network is back. */
export const notice = {
  work: null, timer: 0, wait: 2000,
  show(failure, work, about = 'answer') {
    clearTimeout(this.timer)
    this.about = about
    this.work = failure.retries ? work : null
    if (this.work) {
      this.timer = setTimeout(() => this.retry(), this.wait)
      this.wait = Math.min(this.wait * 2, 30_000)
    }
    const [text, button] = byId('notice').children
    if (text.textContent !== failure.message) text.textContent = failure.message
    button.hidden = !this.work
    byId('notice').hidden = false
  },
  /** Hides the notice after a success; a notice about other work stays, and so does that of the place. */
  hide(about) {
    if (about ? about !== this.about : this.about === 'near') return
    this.pause()
    this.wait = 2000
    byId('notice').hidden = true
    byId('notice').firstChild.textContent = ''
  },
  /** Stops the repetition, because a new request began. */
  pause() {
    clearTimeout(this.timer)
    this.work = null
  },
  retry() {
    const { work } = this
    this.pause()
    work?.()
  },
}
byId('notice').lastChild.addEventListener('click', () => { notice.wait = 2000; notice.retry(); input.focus() })
addEventListener('online', () => notice.retry())

const spent = { answers: 0, bytes: 0 }
export function showCost({ touched, all, loads, bytes: size, duration }) {
  if (touched === undefined) return
  spent.answers += 1
  spent.bytes += size
  const counted = (count, one) => `${number.format(count)} ${one}${count === 1 ? '' : 's'}`
  const work = loads ? `${counted(loads, 'load')}, ${bytes(size)} decompressed` : 'nothing to load'
  byId('cost').textContent = `${touched} of ${counted(Number(all), 'shard')} · ${work}`
    + (duration === undefined ? '' : ` · ${number.format(Math.round(duration * 1000))} µs`)
  byId('cost').title =
    `${counted(spent.answers, 'answer')} since the page was opened: ${bytes(spent.bytes)} decompressed`
}
