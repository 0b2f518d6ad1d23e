// The answers for a page without a server: from the index beside the page, to the questions of `shardq serve`.
import { open, ShardqError } from './shardq.js'

const address = new URL(document.documentElement.dataset.index, document.baseURI)
let opened

/** The first letters of the last sessions, the newest first. A browser may refuse to store the letters. */
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
/** Fetches the first answers to those letters once, while nobody types. */
function fetchAhead(index, options) {
  if (idle || navigator.connection?.saveData) return
  idle = new AbortController()
  const begin = globalThis.requestIdleCallback ?? (work => setTimeout(work, 200))
  begin(() => idle.signal.aborted || index.prefetch(letters.get(), { ...options, signal: idle.signal }).catch(() => {}))
}

/** Rejects when a signal aborts. */
function aborted(signal) {
  return new Promise((_, reject) => {
    const end = () => reject(signal.reason)
    if (signal?.aborted) end()
    signal?.addEventListener('abort', end, { once: true })
  })
}

/** Resolves to { body, headers }, as from the page's server. */
export async function ask(path, parameters, signal, exact) {
  // If the index cannot be opened, the next question tries again. A question does not wait longer than its signal.
  opened ??= open(address).catch(error => { opened = undefined; throw error })
  const index = await Promise.race([opened, aborted(signal)])
  const { q: text, limit, offset, display, sort, typos } = parameters
  try {
    if (path === 'v1/search') {
      letters.note(text)
      if (text !== '') (idle ??= new AbortController()).abort()
      const parse = answer => JSON.parse(answer, exact)
      const options = { limit, offset, display, sort, typos, signal, parse }
      const body = await index.search(text, options)
      if (text === '') fetchAhead(index, { limit, display })
      return { body, headers: new Headers() }
    }
    if (path === 'v1/dots') return { body: await index.dots({ signal }), headers: new Headers() }
  } catch (error) {
    // The server also tells that there is no map, and which parameter is wrong.
    if (error.code === 'refused' && path === 'v1/dots') error.status = 404
    else if (error.code === 'refused') error.parameter = /\bfewer\b/.test(error.message) ? 'limit' : 'offset'
    throw error
  }
  // A search in a box reads all records.
  throw new ShardqError('refused', 'only a server finds the places in a box; ask shardq serve')
}
