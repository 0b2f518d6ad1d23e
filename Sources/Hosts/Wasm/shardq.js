// shardq in a page: finds names in an index on any host of files. It fetches only the parts of the index that a text needs.
//
//   import { open } from './shardq.js'
//   const index = await open('https://host/cities/') // or an archive: '…/cities.shardq'
//   const { matches, total } = await index.search('san d', { limit: 10 })
//
// It has no dependencies. It also runs in Node 20 and later, with a storage that reads files.

/** The error of a search; the message is for people. */
export class ShardqError extends Error {
  /** @param code 'damaged', 'superseded' or 'missing' for the index, 'refused' for the question, 'unreachable' for the host. */
  constructor(code, message) { super(message); Object.assign(this, { name: 'ShardqError', code }) }
}

const refused = message => { throw new ShardqError('refused', message) }

const [done, waits] = [0, 1]
const codes = { 2: 'damaged', 3: 'superseded', 5: 'missing' }
const [noFile, again] = [-44, -6] // The errors of Sources/Hosts/Wasm/libc.h.
/** The largest manifest and the largest archive from a host without ranges. */
const [unrangedManifest, unrangedArchive] = [1 << 20, 32 << 20]
/** The bytes of compressed shards that stay, besides the cache of the engine. */
const keptBytes = 4 << 20
const inFlight = 6
/** The bytes that an opening asks for first: FetchPlan.swift. */
const headSize = 64 << 10
/** The waits before the second and the third attempt of a request, and the longest silence of a host, in milliseconds. */
const [pauses, silence] = [[250, 1000], 10_000]
/** The greatest number that the module takes. */
const greatest = 2 ** 31 - 1
/** The bytes between two ranges of a file that cost less than another request. */
const nearby = 8 << 10
/** The most rounds of fetching for a question. More rounds mean that the host sends wrong bytes. */
const rounds = 64

/**
 * Opens an index.
 *
 * @param base The URL of a directory, or the URL of an archive, which ends with `.shardq`. Or a storage: an object with
 *   `get(name, from, to, { signal, fresh })`, which resolves to { bytes, size }, the bytes from `from` to before `to` and
 *   the size of the file; or to null if the file is missing. A storage whose `isArchive` is true has one file, the archive.
 *   Messages name the storage by its `address`.
 * @param options.module The compiled module, or its URL; the default is `shardq.wasm` beside this script.
 * @param options.cacheBytes The limit of the cache, in bytes: a whole number above 0.
 */
export async function open(base, options = {}) {
  checkNames(options, ['module', 'cacheBytes'])
  let { module = new URL('shardq.wasm', import.meta.url), cacheBytes = 8 << 20 } = options
  if (checkWhole('cacheBytes', cacheBytes) === 0) refused('cacheBytes must be more than 0')
  const storage = typeof base?.get === 'function' ? base : httpStorage(base)
  // The beginning of the index comes while the module does. If it fails, the opening asks again and says so.
  let early
  if (!(module instanceof WebAssembly.Module)) {
    const name = storage.isArchive === true ? '' : 'manifest', abort = new AbortController()
    early = { name, bytes: storage.get(name, 0, headSize, { signal: abort.signal }).catch(() => undefined) }
    module = await compiled(module).catch(error => { abort.abort(error); throw error })
  }
  const openInstance = isFresh => Instance.open(storage, module, cacheBytes, isFresh, isFresh ? undefined : early)
  const index = new Index(openInstance, await openInstance(false))
  early = undefined
  return index
}

async function compiled(address) {
  try {
    const response = await fetch(address)
    if (!response.ok) throw new Error(`the host answers with status ${response.status}`)
    // If the host sends another type, fetching and compiling are two steps.
    const isTyped = response.headers.get('Content-Type') === 'application/wasm'
    return await (isTyped ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer()))
  } catch (error) {
    throw new ShardqError('unreachable', `${address} cannot be loaded: ${error.message}`)
  }
}

// The checks of options. A value that the module would cut or ignore is refused.

function checkNames(options, names) {
  if (typeof options !== 'object' || options === null) refused('the options must be an object')
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) refused(`there is no option ${name}; the options are ${names.join(', ')}`)
  }
}

/** A whole number from 0 on, as the module takes it. */
function checkWhole(name, value) {
  if (!Number.isSafeInteger(value) || value < 0) refused(`${name} must be a whole number from 0 on, and not ${shown(value)}`)
  return Math.min(value, greatest)
}

function checkType(name, value, type) {
  if (typeof value !== type) refused(`${name} must be a ${type}, and not ${shown(value)}`)
  return value
}

function shown(value) {
  try { return (typeof value === 'string' ? JSON.stringify(value) : String(value)).slice(0, 100) } catch { return typeof value }
}

const searchOptions = [
  'limit', 'offset', 'sort', 'group', 'typos', 'display', 'hits', 'total', 'words', 'filters', 'facets', 'facetLimit', 'near',
  'after', 'signal', 'parse',
]
const corrections = new Map([[false, 0], [true, 1], ['min', 2]])

function checkOrder(sort) {
  if (checkType('sort', sort, 'string') === '') refused("sort must be 'rank', 'key' or a field of numbers, and not ''")
  return sort
}

function checkTexts(name, texts, example) {
  if (!Array.isArray(texts)) refused(`${name} must be an array such as ['${example}'], and not ${shown(texts)}`)
  return texts.map(text => checkType(`a ${name.slice(0, -1)}`, text, 'string'))
}

/** The latitude and the longitude of a place, and the radius in kilometres; NaN for none. */
function checkPlace(near) {
  if (near === undefined) return [NaN, NaN, NaN]
  const isPlace = typeof near === 'object' && near !== null && !Array.isArray(near)
    && Object.keys(near).every(name => ['latitude', 'longitude', 'radius'].includes(name))
    && Number.isFinite(near.latitude) && Number.isFinite(near.longitude)
  if (!isPlace) refused('near must be { latitude, longitude }, two numbers of degrees, perhaps with a radius in kilometres')
  const { radius } = near
  if (radius !== undefined && !(typeof radius === 'number' && radius > 0 && radius <= 20040)) {
    refused(`the radius of near must be a number of kilometres above 0 and at most 20,040, and not ${shown(radius)}`)
  }
  return [near.latitude, near.longitude, radius ?? NaN]
}

/** Resolves after a time; rejects if the signal aborts. */
function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const end = () => { clearTimeout(timer); reject(signal.reason) }
    const timer = setTimeout(() => { signal?.removeEventListener('abort', end); resolve() }, milliseconds)
    signal?.addEventListener('abort', end, { once: true })
  })
}

/** A storage that fetches ranges of files by HTTP. */
function httpStorage(base) {
  let root
  if (typeof base !== 'string' && !(base instanceof URL)) refused(`${shown(base)} is no address of an index; open a URL`)
  try { root = new URL(base, globalThis.location?.href) } catch { refused(`${shown(base)} is no address of an index; open a URL`) }
  const isArchive = root.pathname.endsWith('.shardq')
  if (!isArchive && !root.pathname.endsWith('/')) root.pathname += '/'
  const address = name => isArchive ? root : new URL(name.replaceAll('%', '%25'), root)
  // Messages have no user, no password, and no text after the ?.
  const open = url => Object.assign(new URL(url), { username: '', password: '', search: '', hash: '' }).href
  const request = async (name, { fresh }, range, patience) => {
    try {
      return await fetch(address(name), {
        signal: patience.signal, headers: range ? { Range: range } : {}, cache: fresh ? 'no-cache' : 'default',
      })
    } catch (error) {
      const what = address(name).href, reason = error.message.replaceAll(what, open(what))
      throw patience.error ?? new ShardqError('unreachable', `${open(what)} cannot be reached: ${reason}`)
    }
  }
  const body = async (response, limit, said, patience) => {
    const reader = response.body?.getReader(), pieces = [], broken = `${open(response.url || root)} broke off`
    let size = 0
    for (; reader;) {
      const { done, value } = await reader.read().catch(error => {
        throw patience.error ?? new ShardqError('unreachable', `${broken}: ${error.message}`)
      })
      if (done) break
      patience.renew()
      size += value.length
      // The storage does not read a too long body to its end.
      if (size > limit) { await reader.cancel().catch(() => {}); throw new ShardqError('damaged', said) }
      pieces.push(value)
    }
    const bytes = new Uint8Array(size)
    let at = 0
    for (const piece of pieces) { bytes.set(piece, at); at += piece.length }
    return bytes
  }
  /** One attempt; resolves to null if there is no such file. */
  const attempt = async (name, from, to, options, patience) => {
    const what = open(address(name)), place = response => {
      const found = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '')
      return found?.slice(1).map(Number)
    }
    let response = await request(name, options, `bytes=${from}-${to - 1}`, patience)
    if (response.status === 404 || response.status === 410) { await response.body?.cancel().catch(() => {}); return null }
    if (response.status === 206 && !place(response)) {
      // Another origin may hide the header Content-Range. Then the whole file comes, if it is not large.
      await response.body?.cancel().catch(() => {})
      response = await request(name, options, undefined, patience)
    }
    if (response.status === 206) {
      const [start, end, size] = place(response) ?? [-1, -1, -1]
      const bytes = await body(response, to - from, `${what}: the host sent too many bytes`, patience)
      if (start !== from || end + 1 !== Math.min(to, size) || bytes.length !== end + 1 - start) {
        throw new ShardqError('damaged', `${what}: the host sent other bytes than the page asked for`)
      }
      return { bytes, size }
    }
    if (response.status !== 200) throw new ShardqError('unreachable', `${what} has status ${response.status}`)
    // A host without ranges sends the whole file.
    const limit = options.size ?? (isArchive ? unrangedArchive : unrangedManifest)
    const bytes = await body(
      response, limit, `${what}: the host sends no ranges, and the file has over ${limit} bytes`, patience)
    return { bytes, size: bytes.length, start: 0 }
  }
  return {
    isArchive,
    address: open(root),
    /** Tries twice more if a host fails: with no file, another status, a broken body, or silence. */
    async get(name, from, to, options = {}) {
      for (let tries = 0; ; tries++) {
        const patience = new Patience(open(address(name)), options.signal)
        try {
          const got = await attempt(name, from, to, options, patience)
          if (got !== null || tries === pauses.length) return got
        } catch (error) {
          options.signal?.throwIfAborted()
          if (tries === pauses.length) throw error
        } finally {
          patience.end()
        }
        await pause(pauses[tries], options.signal)
      }
    },
  }
}

/** Ends a request when its question is given up, or when the host is silent for too long. */
class Patience {
  constructor(what, signal) {
    const abort = new AbortController(), giveUp = () => abort.abort(signal.reason)
    Object.assign(this, { what, abort, given: signal, giveUp, signal: abort.signal })
    if (signal?.aborted) giveUp()
    signal?.addEventListener('abort', giveUp, { once: true })
    this.renew()
  }

  renew() {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.error = new ShardqError('unreachable', `${this.what} does not answer within ${silence / 1000} s`)
      this.abort.abort(this.error)
    }, silence)
  }

  end() {
    clearTimeout(this.timer)
    this.given?.removeEventListener('abort', this.giveUp)
  }
}

/** An instance of the module, with the fetched bytes. */
class Instance {
  /**
   * @param isFresh Whether the browser asks the host if cached bytes are still valid.
   * @param early The beginning of the index that is under way: { name, bytes }; undefined for none.
   */
  static async open(storage, module, cacheBytes, isFresh, early) {
    const instance = new Instance()
    Object.assign(instance, { storage, isFresh, early, files: [], byName: new Map(), kept: new Set(), keptSize: 0, wanted: [], missing: new Set() })
    instance.engine = (await WebAssembly.instantiate(module, { host: instance.host() })).exports
    const place = storage.address ?? 'the storage', cache = checkWhole('cacheBytes', cacheBytes)
    await instance.asking(engine => engine.shardq_open(given(engine, place), cache, storage.isArchive === true ? 1 : 0))
    instance.isFresh = false
    instance.early = undefined
    // The starts come after the opening. A question that needs the starts waits for the same request.
    if (!globalThis.navigator?.connection?.saveData) instance.fetch(instance.wanted).catch(() => {})
    return instance
  }

  /** The three functions that the module imports: Sources/Hosts/Wasm/host.h. */
  host() {
    return {
      open: (name, size, head) => {
        const memory = new Uint8Array(this.engine.memory.buffer)
        const text = decoder.decode(memory.subarray(name, memory.indexOf(0, name)))
        let number = this.byName.get(text)
        if (number === undefined) {
          const isArchive = this.storage.isArchive === true
          number = this.files.push({ name: isArchive ? '' : text, size: Number(size), runs: [] }) - 1
          this.byName.set(text, number)
        }
        const file = this.files[number]
        if (this.missing.has(file)) return noFile
        if (file.size >= 0) return number
        this.wanted.push({ file, from: 0, to: Number(head) })
        return again
      },
      size: number => BigInt(this.files[number].size),
      read: (number, offset, size, into, first, end) => {
        const file = this.files[number], [from, to] = [Number(offset), Number(offset + size)]
        if (this.missing.has(file)) return noFile
        const run = file.runs.find(({ start, bytes }) => start <= from && to <= start + bytes.length)
        if (!run) { this.wanted.push({ file, from: Number(first), to: Number(end) }); return again }
        new Uint8Array(this.engine.memory.buffer).set(run.bytes.subarray(from - run.start, to - run.start), into)
        // The run that was used last is dropped last.
        if (this.kept.delete(run)) this.kept.add(run)
        return 0
      },
    }
  }

  /** Drops the shards that were used longest ago. */
  trim() {
    for (const run of this.kept) {
      if (this.keptSize <= keptBytes) return
      this.keptSize -= run.bytes.length
      run.file.runs.splice(run.file.runs.indexOf(run), 1)
      this.kept.delete(run)
    }
  }

  /**
   * Calls the engine until no bytes are missing; returns the text of the answer.
   *
   * @param budget.bytes The bytes that may still come. If more are missing, the result is undefined.
   */
  async asking(call, signal, budget) {
    // A file that was missing may be there again.
    this.missing.clear()
    for (let round = 0; round < rounds; round++) {
      this.wanted = []
      const status = this.called(call)
      if (status !== waits) {
        this.trim()
        const { memory, shardq_answer, shardq_answer_size } = this.engine
        const text = decoder.decode(new Uint8Array(memory.buffer, shardq_answer(), shardq_answer_size()))
        if (status === done) return text
        if (this.missing.has(this.files[0])) {
          throw new ShardqError('missing', `there is no index at ${this.storage.address ?? 'the storage'}`)
        }
        throw new ShardqError(codes[status] ?? 'refused', text)
      }
      if (budget && (budget.bytes -= this.wanted.reduce((size, { from, to }) => size + to - from, 0)) < 0) return undefined
      await this.fetch(this.wanted, signal)
    }
    throw new ShardqError('damaged', `${this.storage.address ?? 'the storage'} sends other bytes than the page asks for`)
  }

  called(call) {
    try {
      return call(this.engine)
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error
      const reason = 'the index is damaged, or needs more memory than the module has'
      throw new ShardqError('damaged', `${this.storage.address ?? 'the storage'}: the module ended, because ${reason}`)
    }
  }

  /** Fetches missing ranges, at most six at a time. Two questions that need the same range share one request. */
  async fetch(wanted, signal) {
    const left = joined(wanted).map(want => [`${want.file.name} ${want.from} ${want.to}`, want])
    let failure
    const worker = async () => {
      for (let next; !failure && (next = left.shift());) await this.shared(...next, signal).catch(error => { failure ??= error })
    }
    // A question that fails leaves no request behind, which a later question would share.
    await Promise.all(Array.from({ length: Math.min(inFlight, left.length) }, worker))
    if (failure) throw failure
    signal?.throwIfAborted()
  }

  async shared(key, want, signal) {
    const requests = want.file.requests ??= new Map()
    // A request for a larger range also has the bytes.
    let request = [...requests.values()].find(({ from, to }) => from <= want.from && want.to <= to)
    if (!request) {
      const abort = new AbortController()
      const forget = () => { if (requests.get(key) === request) requests.delete(key) }
      request = { ...want, abort, forget, waiting: 0 }
      request.bytes = this.get(want, abort.signal).finally(forget)
      requests.set(key, request)
    }
    request.waiting++
    // A request is aborted when no question waits for it. A later question makes another request.
    const leave = () => { if (--request.waiting === 0) { request.forget(); request.abort.abort(signal.reason) } }
    signal?.addEventListener('abort', leave, { once: true })
    try { await request.bytes } finally { signal?.removeEventListener('abort', leave) }
  }

  async get({ file, from, to }, signal) {
    const size = file.size < 0 ? undefined : file.size
    const isEarly = this.early?.name === file.name && from === 0 && to <= headSize
    const got = (isEarly ? await this.early.bytes : undefined)
      ?? await this.storage.get(file.name, from, Math.min(to, size ?? Infinity), { signal, size, fresh: this.isFresh })
    if (got === null) { this.missing.add(file); return }
    const what = `${file.name || 'the archive'} of ${this.storage.address ?? 'the storage'}`
    if (size !== undefined && got.size !== size) throw new ShardqError('damaged', `${what} has ${got.size} bytes and not ${size}`)
    const run = { file, start: got.start ?? from, bytes: got.bytes }
    if (!(run.start <= from && run.start + run.bytes.length >= Math.min(to, got.size))) {
      throw new ShardqError('damaged', `${what}: fewer bytes came than the page asked for`)
    }
    file.size = got.size
    file.runs.push(run)
    // A manifest and the beginning of an archive stay.
    if (file.name === 'manifest' || file.name === '' && run.start === 0) return
    this.kept.add(run)
    this.keptSize += run.bytes.length
  }
}

class Index {
  constructor(openInstance, instance) { Object.assign(this, { openInstance, instance }) }

  /**
   * Resolves to the best matches of a text: { matches, more, total, totalIsExact, keys, sort, correction, nearest, cursor, … }, as
   * `/v1/search` of shardq serve answers. `more` tells whether more matches follow.
   *
   * @param options.limit At most 1,000. @param options.offset The number of matches to skip.
   * @param options.sort 'rank' or 'key'; the default is by rank if the index has ranks. A field of `build --number` sorts by its
   *   numbers, the least first, or with a minus sign the greatest: 'price', '-price'.
   * @param options.group A field, or 'key': only the best of the records with the same text in it, and `others`, the numbers of the
   *   other ones. If `othersAreExact` is false, there may be more.
   * @param options.typos Whether to correct typing errors: true, false, or 'min' for only the records with the fewest errors,
   *   which takes fewer requests; `complete` is false if there may be records with more errors.
   * @param options.display Whether to add the texts of a list.
   * @param options.hits Whether to add the rank of each record of a ranked answer.
   * @param options.total 'exact' counts the matches, at most 10,000, which may fetch more files. Else `total` is the number that the
   *   search knows: if `totalIsExact` is false, there may be more. `keys` is left out if it is unknown.
   * @param options.words 'all' asks for no reading of the text, and leaves out no word; the default is 'auto'.
   * @param options.filters Such as ['country=FR', 'price=20..50']. @param options.near { latitude, longitude }. With
   *   `radius`, only records at most so many kilometres from that place match.
   * @param options.facets Such as ['country']: the answer's `facets` have the values of these fields among the matches.
   * @param options.facetLimit The most values of each facet, at most 100; the default is 10.
   * @param options.after The cursor of the previous page. @param options.signal Ends the search.
   * @param options.parse Makes the answer from its text; the default is JSON.parse.
   */
  async search(text, options = {}) {
    const question = this.question(text, options)
    const { offset = 0, signal, parse = JSON.parse } = options
    checkType('parse', parse, 'function')
    const answer = parse(await this.answered(question, signal))
    answer.more = answer.cursor !== undefined || !answer.totalIsExact || answer.total > offset + answer.matches.length
    return answer
  }

  /** The call of the module for a search. */
  question(text, options) {
    checkType('the text', text, 'string')
    checkNames(options, searchOptions)
    const { limit = 10, offset = 0, sort, group = '', typos = true, display = false, hits = false, total, words = 'auto', after = '' } = options
    const { filters = [], facets = [], facetLimit = 10 } = options
    const numbers = [checkWhole('offset', offset), checkWhole('limit', limit)]
    if (total !== undefined && total !== 'known' && total !== 'exact') refused(`total must be 'known' or 'exact', and not ${shown(total)}`)
    if (words !== 'auto' && words !== 'all') refused(`words must be 'auto' or 'all', and not ${shown(words)}`)
    if (!corrections.has(typos)) refused(`typos must be true, false or 'min', and not ${shown(typos)}`)
    const [texts, ranks] = Object.entries({ display, hits }).map(([name, value]) => checkType(name, value, 'boolean') ? 1 : 0)
    const flags = [corrections.get(typos), texts | ranks << 1 | (words === 'all' ? 4 : 0), total === 'exact' ? 1 : 0]
    const place = checkPlace(options.near)
    const conditions = [...checkTexts('filters', filters, 'country=FR'), ...checkTexts('facets', facets, 'country')]
    const order = sort === undefined ? '' : checkOrder(sort)
    const question = joinedTexts([text, checkType('after', after, 'string'), order, checkType('group', group, 'string'), ...conditions])
    const counted = [facets.length, checkWhole('facetLimit', facetLimit)]
    return engine => engine.shardq_search(given(engine, question), ...numbers, ...flags, ...place, ...counted)
  }

  /**
   * Fetches the bytes that answers to texts will need, one text after the other.
   *
   * @param options The options of `search`. @param options.bytes The most bytes to fetch; the default is 256 KiB.
   */
  async prefetch(texts, { bytes = 256 << 10, ...options } = {}) {
    const budget = { bytes: checkWhole('bytes', bytes) }
    for (const text of texts) await this.instance.asking(this.question(text, options), options.signal, budget)
  }

  /**
   * Resolves to the values of a field that the index has a filter by: { field, values, exact, more }, as `/v1/facets` of
   * shardq serve answers.
   *
   * @param options.startingWith The beginning of the values. @param options.limit At most 100, which is the default.
   * @param options.signal Ends the search.
   */
  async facets(field, options = {}) {
    checkNames(options, ['startingWith', 'limit', 'signal'])
    const { startingWith = '', limit = 100, signal } = options
    const question = joinedTexts([checkType('the field', field, 'string'), checkType('startingWith', startingWith, 'string')])
    const most = checkWhole('limit', limit)
    if (most < 1 || most > 100) refused(`limit must be from 1 to 100, and not ${shown(limit)}`)
    return JSON.parse(await this.answered(engine => engine.shardq_facets(given(engine, question), most), signal))
  }

  /** Resolves to the cells of a map that have records: { columns, rows, cells }, as `/v1/dots` of shardq serve answers. */
  async dots(options = {}) {
    checkNames(options, ['signal'])
    return JSON.parse(await this.answered(engine => engine.shardq_dots(), options.signal))
  }

  /**
   * Answers a question with a text. If a file is missing or damaged, opens the host's current manifest and tries
   * once more: the index may have been rebuilt meanwhile. Another instance also follows a module that ended.
   */
  async answered(call, signal) {
    const { instance } = this
    try {
      return await instance.asking(call, signal)
    } catch (error) {
      if (!['damaged', 'superseded'].includes(error.code)) throw error
      // Another question may have replaced the instance already.
      if (this.instance === instance) {
        this.opening ??= this.openInstance(true).finally(() => { this.opening = undefined })
        this.instance = await this.opening
      }
      return this.instance.asking(call, signal)
    }
  }
}

/** The missing ranges, each once; ranges of a file that nearly touch are joined. */
function joined(wanted) {
  const ranges = []
  for (const want of [...wanted].sort((a, b) => a.from - b.from)) {
    const near = ranges.find(({ file, to }) => file === want.file && want.from <= to + nearby)
    if (near) near.to = Math.max(near.to, want.to)
    else ranges.push({ ...want })
  }
  return ranges
}

/** The texts of a question with a zero byte between each two. */
const joinedTexts = texts => texts.map(text => text.replaceAll('\0', ' ')).join('\0')

const decoder = new TextDecoder()
const encoder = new TextEncoder()

/** Gives a text to the module; returns its size in bytes. */
function given(engine, text) {
  const most = 3 * text.length // Bytes of UTF-8.
  const room = engine.shardq_reserve(most)
  if (room === 0 && most > 0) refused('the text is too long')
  return encoder.encodeInto(text, new Uint8Array(engine.memory.buffer, room, most)).written
}
