// The answers for a page without a server: from the index beside the page, to the questions of `shardq serve`.
import { open, ShardqError } from './shardq.js'

// The page has the address of its index in its element. A box has it in the address of this script.
const query = new URL(import.meta.url).searchParams
const said = query.has('index') ? Object.fromEntries(query) : document.documentElement.dataset
const address = new URL(said.index, document.baseURI)

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

// First answers: the first rows of short texts, which `shardq page` wrote into files. They show before the module runs,
// and only beside the index that they come from. docs/static-page.md describes them.

/** The most bytes of a file, the most characters of a text, and the rows of a text. */
const [largestFile, longestText, fewestRows] = [256 << 10, 3, 8]
/** The rows that the page asks for at a time: answer.js. */
const pageSize = 20

/** The page's facts of its first answers: { records, characters, mark, from, to, top }; undefined if the page has none. */
const first = (() => {
  try {
    const facts = JSON.parse(said.first)
    const isWhole = [facts.records, facts.from, facts.to].every(number => Number.isSafeInteger(number) && number >= 0)
      && typeof facts.characters === 'string' && /^[0-9a-f]+$/.test(facts.mark) && facts.to - facts.from === facts.mark.length / 2
    return isWhole ? facts : undefined
  } catch { return undefined }
})()

/** The bytes of an answer up to `most`. */
async function beginning(response, most) {
  const reader = response.body.getReader(), bytes = []
  while (bytes.length < most) {
    const { done, value } = await reader.read()
    if (done) return bytes
    for (const byte of value.subarray(0, most - bytes.length)) bytes.push(byte)
  }
  await reader.cancel().catch(() => {})
  return bytes
}

/** Resolves to whether the host has the index that the first answers come from. */
async function hasMark() {
  const { from, to, mark } = first
  const file = address.pathname.endsWith('.shardq') ? address : new URL('manifest', address)
  // The browser's cache would have this request wait for the opening's request for the same file.
  const response = await fetch(file, { headers: { Range: `bytes=${from}-${to - 1}` }, cache: 'no-store' })
  // A host without ranges sends the whole file.
  const start = response.status === 206 ? 0 : from
  const bytes = response.ok ? (await beginning(response, start + to - from)).slice(start) : []
  return bytes.map(byte => byte.toString(16).padStart(2, '0')).join('') === mark
}
let marked
const isSame = () => marked ??= hasMark().catch(() => false)

const files = new Map()
/** Resolves to the answers to texts that begin with a character, by text; undefined if there are none. */
async function answersOf(character, exact) {
  const response = await fetch(new URL(`first-${character.codePointAt(0).toString(16)}.json`, import.meta.url))
  if (!response.ok) return undefined
  const bytes = Uint8Array.from(await beginning(response, largestFile))
  const { mark, answers } = JSON.parse(new TextDecoder().decode(bytes), exact)
  return mark === first.mark && typeof answers === 'object' ? answers : undefined
}

const isText = value => typeof value === 'string'
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)
const isRange = range => Array.isArray(range) && range.length === 2 && range.every(Number.isSafeInteger)

/** Whether a row of a file has the members that the page draws. */
function isRow(row) {
  if (!isObject(row) || !isObject(row.record) || !isObject(row.display)) return false
  const { label, name, match, latitude, longitude } = row.display
  return isText(label) && (name === undefined || isText(name)) && Array.isArray(match) && match.every(isRange)
    && [latitude, longitude].every(degrees => ['undefined', 'number', 'string'].includes(typeof degrees))
    && Object.values(row.record).every(isText)
}

const rowsOf = rows => ({ matches: rows.map(({ record }) => record), display: rows.map(({ display }) => display) })

/** Resolves to the rows at the top of the list; undefined if the host has another index. */
async function topRows() {
  const rows = first?.top?.rows
  return first && await isSame() ? rowsOf(Array.isArray(rows) && rows.every(isRow) ? rows : []) : undefined
}

/** Resolves to the first answer to a text, in the form of an answer of the index; undefined if there is none. */
async function firstAnswer(text, { limit, offset, sort, filter, near }, exact) {
  if (!first || offset !== 0 || filter || near) return undefined
  if (text === '' && limit === 0) {
    const { records } = first, top = await topRows()
    return top && { ...rowsOf([]), total: records, totalIsExact: true, more: records > 0, isFirst: true, top }
  }
  const typed = text.toLowerCase(), [character, ...others] = typed
  if (sort !== undefined || limit < fewestRows || character === undefined || others.length >= longestText) return undefined
  if (!first.characters.includes(character)) return undefined
  if (!files.has(character)) files.set(character, answersOf(character, exact).catch(() => undefined))
  const [isCurrent, answers] = await Promise.all([isSame(), files.get(character)])
  if (!isCurrent || !answers || !Object.hasOwn(answers, typed)) return undefined
  const { sort: order, total, totalIsExact, rows } = answers[typed]
  if (!Number.isSafeInteger(total) || !Array.isArray(rows) || total < rows.length || !rows.every(isRow)) return undefined
  return {
    ...rowsOf(rows), total,
    totalIsExact: totalIsExact === true, more: totalIsExact !== true || total > rows.length, sort: order, isFirst: true,
  }
}

let opened, isOpen = false
/** Resolves to the index. If the index cannot be opened, the next question tries again. */
function opening() {
  opened ??= open(address).then(index => { isOpen = true; return index }, error => { opened = undefined; throw error })
  return opened
}
// The module and the index come while the page shows its first rows.
opening().catch(() => {})

/**
 * Resolves to { body, headers }, as from the page's server. The path `opened` resolves when the index is open.
 *
 * @param exact The function that JSON.parse applies to values.
 */
export async function ask(path, parameters, signal, exact) {
  const { q: text, limit, offset, display, sort, typos } = parameters
  const { filter: filters = [], facets = [], near, radius } = parameters
  // A question does not wait longer than its signal.
  const isAborted = aborted(signal)
  isAborted.catch(() => {})
  const wanted = opening()
  if (path === 'v1/search' && !isOpen) {
    // If the index cannot be opened, the first answer may still come.
    const whenOpen = wanted.then(() => undefined, () => new Promise(() => {}))
    const body = await Promise.race([firstAnswer(text, parameters, exact).catch(() => undefined), whenOpen, isAborted])
    if (body && !isOpen) {
      letters.note(text)
      return { body, headers: new Headers() }
    }
  }
  const index = await Promise.race([wanted, isAborted])
  if (path === 'opened') return {}
  try {
    if (path === 'v1/search') {
      letters.note(text)
      if (text !== '') (idle ??= new AbortController()).abort()
      const parse = answer => JSON.parse(answer, exact)
      const [latitude, longitude] = near ? near.split(',').map(Number) : []
      const place = near && { latitude, longitude, radius }
      const options = { limit, offset, display, sort, typos, filters, facets, near: place, signal, parse }
      const body = await index.search(text, options)
      if (text === '') fetchAhead(index, { limit: pageSize, display })
      // The beginning of the page has rows, and asks for none. It does not wait long for a host that does not say which
      // index it has.
      const late = new Promise(done => setTimeout(done, 1000))
      if (text === '' && limit === 0) body.top = await Promise.race([topRows(), late])
      return { body, headers: new Headers() }
    }
    if (path === 'v1/facets') {
      const { field, 'starting-with': startingWith } = parameters
      return { body: await index.facets(field, { startingWith, limit, signal }), headers: new Headers() }
    }
    if (path === 'v1/dots') return { body: await index.dots({ signal }), headers: new Headers() }
  } catch (error) {
    // The server also tells that there is no map, and which parameter is wrong.
    if (error.code === 'refused' && path === 'v1/dots') error.status = 404
    else if (error.code === 'refused') {
      const isOther = /^the index (has no|does not)\b/.test(error.message)
      error.parameter = isOther ? 'filter' : /\bfewer\b/.test(error.message) ? 'limit' : 'offset'
    }
    throw error
  }
  // A search in a box reads all records.
  throw new ShardqError('refused', 'only a server finds the places in a box; ask shardq serve')
}
