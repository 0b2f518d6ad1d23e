// What the page asks where there is no server: the index that lies beside it. The questions are those of shardq serve.
import { open, ShardqError } from './shardq.js'

const address = new URL(document.documentElement.dataset.index, document.baseURI)
let opened

/** The letters that the last sessions began with, the newest first. A browser may refuse to keep them. */
const letters = {
  kept: 8,
  name: `shardq first letters ${address.pathname}`,
  get() {
    try {
      const list = JSON.parse(localStorage.getItem(this.name))
      return Array.isArray(list) ? list.filter(letter => typeof letter === 'string').slice(0, this.kept) : []
    } catch { return [] }
  },
  note([letter]) {
    if (letter === this.last) return
    this.last = letter
    if (letter === undefined) return
    try {
      localStorage.setItem(this.name, JSON.stringify([letter, ...this.get().filter(old => old !== letter)].slice(0, this.kept)))
    } catch {}
  },
}

let idle
/** Fetches the first answers of those letters while nobody types, once. */
function fetchAhead(index, options) {
  if (idle || navigator.connection?.saveData) return
  idle = new AbortController()
  const begin = globalThis.requestIdleCallback ?? (work => setTimeout(work, 200))
  begin(() => idle.signal.aborted || index.prefetch(letters.get(), { ...options, signal: idle.signal }).catch(() => {}))
}

/** Answers a question as the page's server does: { body, headers }. */
export async function ask(path, parameters, signal, exact) {
  // An index that could not be opened is tried again at the next question.
  const index = await (opened ??= open(address).catch(error => { opened = undefined; throw error }))
  const { q: text, limit, offset, display, sort } = parameters
  try {
    if (path === '/v1/search') {
      letters.note(text)
      if (text !== '') (idle ??= new AbortController()).abort()
      const parse = answer => JSON.parse(answer, exact)
      const options = { limit, offset, display, sort, signal, parse }
      const body = await index.search(text, options)
      if (text === '') fetchAhead(index, { limit, display })
      return { body, headers: new Headers() }
    }
    if (path === '/v1/dots') return { body: await index.dots({ signal }), headers: new Headers() }
  } catch (error) {
    // As the server says that there is no map, and which parameter is wrong.
    if (error.code === 'refused' && path === '/v1/dots') error.status = 404
    else if (error.code === 'refused') error.parameter = /ask for fewer/.test(error.message) ? 'limit' : 'offset'
    throw error
  }
  // Places in a box are found by reading all records.
  throw new ShardqError('refused', 'only a server finds the places in a box')
}
