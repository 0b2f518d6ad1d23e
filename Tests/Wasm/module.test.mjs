// Compares the WebAssembly module and its script with the command: node --test Tests/Wasm
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { open, ShardqError } from '../../Sources/Hosts/Wasm/shardq.js'
import { stayAwake } from './awake.mjs'

const root = new URL('../..', import.meta.url).pathname
const program = join(process.env.SHARDQ_BIN ?? join(root, 'bin'), 'shardq')
const modulePath = join(root, '.build/wasm/module/shardq.wasm')
const module = new WebAssembly.Module(readFileSync(modulePath))
const isLong = process.env.SHARDQ_LONG === '1'

/** Numbers from 0 to below a limit, the same in each run. */
function numbers(seed) {
  return limit => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return (seed >>> 8) % limit }
}

const filesOf = directory =>
  new Map(readdirSync(directory).filter(name => /^manifest$|\.zst$/.test(name)).map(name => [name, readFileSync(join(directory, name))]))

/** A storage over files in memory. */
const storage = files => ({
  async get(name, from, to) {
    const file = files.get(name)
    return file ? { bytes: new Uint8Array(file.subarray(from, Math.min(to, file.length))), size: file.length } : null
  },
})

/** A storage over an archive in memory. */
const archiveStorage = (bytes, log = []) => ({
  isArchive: true,
  async get(_, from, to) {
    log.push(`${from}-${to}`)
    return { bytes: new Uint8Array(bytes.subarray(from, Math.min(to, bytes.length))), size: bytes.length }
  },
})

function archived(directory) {
  const path = join(work, 'made.shardq')
  execFileSync(program, ['archive', '-i', directory, '-o', path, '--force', '-q'])
  return readFileSync(path)
}

stayAwake()
let work, small, large, started
before(() => {
  work = mkdtempSync(join(tmpdir(), 'shardq-wasm-'))
  large = join(work, 'index')
  const list = execFileSync(program, ['generate', '--count', '30000', '--seed', '7', '--format', 'jsonl'], { maxBuffer: 1 << 28 })
  execFileSync(program, [
    'build', '-', '--input-format', 'jsonl', '-i', large, '--shard-size', '8KiB', '--weight', '_id', '--words', 'body', '--typos', '--near',
    '--filter', 'country', '-q'], { input: list })
  started = join(work, 'started')
  execFileSync(program, [
    'build', '-', '--input-format', 'jsonl', '-i', started, '--shard-size', '8KiB', '--weight', '_id', '--words', 'body', '--typos',
    '--starts', '-q'], { input: list })
  small = join(root, 'shards')
})
after(() => rmSync(work, { recursive: true }))

/** The answers of the command. */
function expected(directory, texts, options) {
  const lines = execFileSync(program, ['query', '-i', directory, '--stdin', '--format', 'json', '--limit', '10', ...options],
    { input: texts.map(text => text + '\n').join(''), maxBuffer: 1 << 28 })
  return lines.toString().trimEnd().split('\n').map(line => JSON.parse(line))
}

/** Beginnings of keys, some with a typing error. */
function texts(directory, count, seed) {
  const next = numbers(seed)
  const keys = execFileSync(program, ['query', '-i', directory, '--format', 'text', '--all', '--sort', 'key', ''], { maxBuffer: 1 << 28 })
    .toString().trimEnd().split('\n').map(line => [...line.split('  ')[0]])
  const made = ['', ' ', 'zzzzz', 'a ', 'san f', '東京', 'ß', '𐀀']
  for (let n = 0; n < count; n++) {
    const key = keys[next(keys.length)], text = key.slice(0, 1 + next(key.length))
    if (next(4) === 0 && text.length > 3) text.splice(next(text.length), 1)
    made.push(text.join(''))
  }
  return [...new Set(made)].filter(text => !/[\n\r\0]/.test(text))
}

for (const sort of ['key', 'rank']) {
  test(`answers by ${sort} are those of the command`, async () => {
    for (const directory of [small, large]) {
      const asked = texts(directory, isLong ? 5000 : 600, 3)
      const answers = expected(directory, asked, ['--sort', sort])
      const counts = expected(directory, asked, ['--sort', sort, '--count'])
      const index = await open(storage(filesOf(directory)), { module })
      for (const [i, text] of asked.entries()) {
        const found = await index.search(text, { sort, total: 'exact' })
        const { count, keys = count, matches, correction, nearest } = answers[i]
        assert.deepEqual(found.matches, matches, text)
        assert.deepEqual([found.total, found.count, found.keys], [counts[i].count, counts[i].count, keys], text)
        assert.equal(found.totalIsExact, counts[i].totalIsExact ?? true, text)
        const known = await index.search(text, { sort })
        assert.ok(known.totalIsExact ? known.total === found.total : known.total <= found.total, text)
        if (sort === 'rank') {
          assert.equal(found.nearest, nearest, text)
          assert.equal(found.correction !== undefined, matches.length > 0 && answers[i].hits.every(hit => hit.edits > 0), text)
        }
      }
    }
  })
}

test('filters, a place, groups, cursors and offsets are those of the command', async () => {
  const index = await open(storage(filesOf(large)), { module })
  const [country] = (await index.search('s')).matches.map(record => record.country)
  const filtered = await index.search('s', { filters: [`country=${country}`] })
  assert.deepEqual(filtered.matches, expected(large, ['s'], ['--filter', `country=${country}`])[0].matches)
  const near = await index.search('s', { near: { latitude: 48.5, longitude: 2.25 } })
  assert.deepEqual(near.matches, expected(large, ['s'], ['--near', '48.5,2.25'])[0].matches)
  for (const radius of [0.1, 25, 400.5, 20040]) {
    const within = await index.search('s', { near: { latitude: 48.5, longitude: 2.25, radius }, total: 'exact' })
    const [right] = expected(large, ['s'], ['--near', '48.5,2.25', '--radius', `${radius}`])
    assert.deepEqual(within.matches, right.matches, `${radius} km`)
    assert.equal(radius > 1 && radius < 1000, within.total > 0 && within.total < 1000, `${radius} km, ${within.total}`)
  }
  for (const group of ['country', 'key']) {
    const grouped = await index.search('s', { group }), [right] = expected(large, ['s'], ['--group', group])
    const members = ({ matches, others, othersAreExact, total, cursor }) => ({ matches, others, othersAreExact, total, cursor })
    assert.deepEqual(members(grouped), members(right))
    assert.equal(grouped.others.length, grouped.matches.length)
  }
  const counted = await index.search('s', { facets: ['country'], facetLimit: 3, filters: [`country=${country}`] })
  const line = ['--facet', 'country', '--facet-limit', '3', '--filter', `country=${country}`]
  assert.deepEqual(counted.facets, expected(large, ['s'], line)[0].facets)
  assert.equal(counted.facets[0].values.length, 3)
  const listed = await index.facets('country', { startingWith: country.toLowerCase(), limit: 5 })
  assert.ok(listed.exact && listed.values.every(({ value, count }) => value.startsWith(country) && count > 0))
  for (const wrong of [['name'], ['country', { limit: 0 }], ['country', { limit: 101 }], [5], ['country', { startingWith: 5 }], ['country', { x: 1 }]]) {
    await assert.rejects(index.facets(...wrong), { code: 'refused' })
  }
  const first = await index.search('s', { limit: 7 })
  const second = await index.search('s', { limit: 3, after: first.cursor })
  assert.deepEqual([...first.matches, ...second.matches], (await index.search('s')).matches)
  assert.deepEqual((await index.search('s', { offset: 7, limit: 3 })).matches, second.matches)
  const shown = await index.search('s', { limit: 1, display: true })
  assert.equal(shown.display[0].match[0][0], 0)
  assert.equal((await index.dots()).columns, 720)
  for (const [text, options] of [
    ['s', { after: 'nonsense' }], ['s', { limit: 1001 }], ['s', { filters: ['name=x'] }], ['s', { filters: ['x'] }],
    ['s', { sort: 'key', near: { latitude: 0, longitude: 0 } }], ['s', { offset: 10_001 }],
    ['s', { group: 'nation' }], ['s', { sort: 'key', group: 'key' }],
  ]) {
    await assert.rejects(index.search(text, options), error => error instanceof ShardqError && error.code === 'refused', options)
  }
  // As the command words it, for nobody calls BuildOptions here.
  await assert.rejects(index.search('s', { filters: ['name=x'] }), /has no filter by name, but by country; .*--filter name$/)
  await assert.rejects((await open(storage(filesOf(small)), { module })).search('s', { filters: ['name=x'] }), /--filter/)
  assert.equal((await index.search('x'.repeat(1 << 16))).matches.length, 0)
  assert.equal((await index.search('s')).matches.length, 10)
})

test('keys of 256 bytes and more, and words of other fields, answer as in the command', async () => {
  const long = join(work, 'long')
  const rows = [255, 256, 1000, 65_000].map((size, i) => ({ name: `k${i}${'x'.repeat(size - 2)}`, text: `shelf word${i}` }))
  execFileSync(program, ['build', '-', '--input-format', 'jsonl', '-i', long, '--key', '{name}', '--search-field', 'text', '--typos', '-q'], {
    input: rows.map(row => JSON.stringify(row)).join('\n') })
  const index = await open(storage(filesOf(long)), { module })
  for (const text of ['k', 'k1x', 'k3', 'shelf', 'word2', 'shelf word3', 'shefl', 'word1 k1']) {
    const found = await index.search(text), [right] = expected(long, [text], [])
    assert.deepEqual(found.matches, right.matches, text)
    assert.ok(found.matches.length > 0, text)
  }
})

test('the module imports three functions and no others', () => {
  assert.deepEqual(WebAssembly.Module.imports(module).map(({ module, name }) => `${module}.${name}`).sort(),
    ['host.open', 'host.read', 'host.size'])
})

const hasBinaryen = spawnSync('wasm-opt', ['--version']).status === 0
test('the module takes at most 378 KiB with gzip', { skip: !hasBinaryen && 'there is no wasm-opt' }, () => {
  // One comparison of texts by == brings tables of Unicode with 26 KB: Sources/ShardedIndex/Format/Bytes/Texts.swift.
  assert.ok(gzipSync(readFileSync(modulePath), { level: 9 }).length <= 378 << 10)
})

test('a damaged index is refused or harmless, and ends no instance', async () => {
  const files = filesOf(small), names = [...files.keys()], next = numbers(11)
  const asked = ['', 's', 'san f', 'lodnon', 'zz']
  const right = await open(storage(files), { module })
  const answers = new Map()
  for (const text of asked) answers.set(text, JSON.stringify((await right.search(text)).matches))
  const counts = { right: 0, refused: 0 }
  for (let n = 0; n < (isLong ? 20_000 : 600); n++) {
    const name = names[next(names.length)], file = Buffer.from(files.get(name))
    for (let k = 0; k <= next(3); k++) file[next(file.length)] = next(256)
    const damaged = new Map(files).set(name, next(10) === 0 ? file.subarray(0, next(file.length)) : file)
    try {
      const index = await open(storage(damaged), { module })
      for (const text of asked) {
        assert.equal(JSON.stringify((await index.search(text)).matches), answers.get(text), `${name}, ${text}`)
        counts.right++
      }
    } catch (error) {
      if (!(error instanceof ShardqError)) throw error
      counts.refused++
    }
  }
  assert.ok(counts.refused > 0 && counts.right > 0, JSON.stringify(counts))
})

test('an answer that counts nothing has the same records, and says whether there are more', async () => {
  for (const directory of [small, large]) {
    const index = await open(storage(filesOf(directory)), { module })
    for (const text of texts(directory, 200, 17)) {
      for (const sort of ['key', 'rank']) {
        const counted = await index.search(text, { sort, total: 'exact' })
        const found = await index.search(text, { sort })
        assert.deepEqual(found.matches, counted.matches, text)
        assert.equal(found.more, counted.more, text)
        assert.ok(!found.totalIsExact || found.total === counted.total, text)
        assert.equal(found.nearest, counted.nearest, text)
        assert.equal(found.correction, counted.correction, text)
        if (sort === 'key') assert.equal(counted.more, counted.count > 10, text)
      }
    }
  }
})

test('an answer with the fewest errors is the beginning of the exact one, after fewer requests', async () => {
  const counts = { short: 0, complete: 0, exact: 0, fewest: 0 }
  const asked = async (text, typos) => {
    let requests = 0
    const files = storage(filesOf(large))
    const index = await open({ get(...range) { requests++; return files.get(...range) } }, { module })
    requests = 0
    return { ...await index.search(text, { typos, hits: true }), requests }
  }
  for (const right of texts(large, 200, 23).filter(({ length }) => length > 5)) {
    const text = right.slice(0, 2) + right.slice(3)
    const [exact, fewest] = [await asked(text, true), await asked(text, 'min')]
    const head = exact.hits.filter(({ edits }) => edits === exact.hits[0].edits).length
    assert.deepEqual(fewest.matches, exact.matches.slice(0, head), text)
    assert.equal(fewest.correction, exact.correction, text)
    assert.ok(exact.complete && (fewest.complete ? head === exact.matches.length : fewest.more), text)
    assert.ok(fewest.requests <= exact.requests, text)
    counts.short += head < exact.matches.length
    counts.complete += fewest.complete
    counts.exact += exact.requests
    counts.fewest += fewest.requests
  }
  assert.ok(counts.short > 5 && counts.complete > 5 && counts.fewest < counts.exact, JSON.stringify(counts))
})

test('starts answer short texts as all records do, without a request of their own', async () => {
  const log = []
  const files = storage(filesOf(started))
  const logged = { get(name, from, to) { log.push(name); return files.get(name, from, to) } }
  const whole = await open(files, { module }), index = await open(logged, { module })
  const letters = 'abcdefghijklmnopqrstuvwxyz', short = [...letters].flatMap(a => [a, ...[...letters].map(b => a + b)])
  let answered = 0
  for (const text of short) {
    for (const options of [{ sort: 'key' }, { sort: 'rank' }, { limit: 20, sort: 'key' }, { limit: 5, offset: 15 }]) {
      const before = log.length
      const found = await index.search(text, options), right = await whole.search(text, { ...options, total: 'exact' })
      assert.deepEqual(found.matches, right.matches, `${text} ${JSON.stringify(options)}`)
      assert.equal(found.more, right.more, text)
      assert.equal(found.generation, right.generation)
      if (log.slice(before).every(name => name === 'manifest') && found.matches.length > 0) answered++
    }
  }
  assert.ok(answered > 100, `${answered} answers`)
  // The list before the first letter, with its number of records.
  const before = log.length, all = await index.search('', { limit: 20 }), right = await whole.search('', { limit: 20, total: 'exact' })
  assert.deepEqual([all.matches, all.total, all.totalIsExact, all.more], [right.matches, 30000, true, true])
  assert.equal(log.length, before)
  // A page behind the starts, and one by a cursor, are those of all records.
  const next = await index.search('a', { limit: 10, offset: 20 })
  assert.deepEqual(next.matches, (await whole.search('a', { limit: 10, offset: 20, total: 'exact' })).matches)
})

test('the manifest of entries comes with the opening, and an answer from starts does not wait for it', async () => {
  const files = storage(filesOf(started)), log = []
  let release
  const held = new Promise(resolve => { release = resolve })
  const index = await open({
    async get(name, from, to) {
      log.push(name)
      if (name.startsWith('entries-')) await held
      return files.get(name, from, to)
    },
  }, { module })
  assert.equal(log.filter(name => name.startsWith('entries-')).length, 1)
  assert.equal((await index.search('s')).matches.length, 10)
  const other = index.search('santafan')
  assert.equal(await Promise.race([other, new Promise(resolve => setTimeout(resolve, 100, 'waits'))]), 'waits')
  release()
  await other
  assert.equal(log.filter(name => name.startsWith('entries-')).length, 1)
})

test('an archive answers as its directory, in as few requests', async () => {
  for (const directory of [small, large]) {
    const bytes = archived(directory), log = []
    const index = await open(archiveStorage(bytes, log), { module })
    assert.equal(log.length, 1)
    const whole = await open(storage(filesOf(directory)), { module })
    for (const text of texts(directory, isLong ? 2000 : 100, 5)) {
      for (const sort of ['key', 'rank']) {
        assert.deepEqual(await index.search(text, { sort }), await whole.search(text, { sort }), `${text} by ${sort}`)
      }
    }
    const session = await open(archiveStorage(bytes, log), { module })
    for (const [n, text] of ['l', 'lo', 'lon', 'lond', 'm', 'p', 'pa', 'x'].entries()) {
      const from = log.length
      await session.search(text, { sort: 'key' })
      assert.ok(log.length - from <= (n === 0 ? 3 : 2), `${text}: ${log.slice(from)}`)
    }
  }
})

test('a damaged archive is refused or harmless, and ends no instance', async () => {
  const bytes = archived(small), next = numbers(13), counts = { right: 0, refused: 0 }
  const asked = ['', 's', 'san f', 'lodnon']
  const right = await open(archiveStorage(bytes), { module })
  const answers = new Map()
  for (const text of asked) answers.set(text, JSON.stringify((await right.search(text)).matches))
  for (let n = 0; n < (isLong ? 20_000 : 400); n++) {
    let damaged = Buffer.from(bytes)
    // Half of the damage is in the first header.
    for (let k = 0; k <= next(3); k++) damaged[next(2) ? next(80) : next(damaged.length)] = next(256)
    if (next(10) === 0) damaged = damaged.subarray(0, next(damaged.length))
    try {
      const index = await open(archiveStorage(damaged), { module })
      for (const text of asked) {
        assert.equal(JSON.stringify((await index.search(text)).matches), answers.get(text), text)
        counts.right++
      }
    } catch (error) {
      if (!(error instanceof ShardqError)) throw error
      counts.refused++
    }
  }
  assert.ok(counts.refused > 0 && counts.right > 0, JSON.stringify(counts))
})

/** Whether an error is of the documented type, and names the place of the index. */
const isNamed = (error, code, place) => error instanceof ShardqError && error.name === 'ShardqError' && error.code === code
  && error.message.includes(place)

/** A host of files with the faults of `wrong`. */
async function host(files, use) {
  const log = [], wrong = {}
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, 'http://host').pathname).replace(/^\/.*\//, '')
    log.push(name)
    if (wrong.hang) return
    const fault = wrong.next?.shift()
    if (fault === 'dropped') return request.socket.destroy()
    if (typeof fault === 'number') return response.writeHead(fault).end('a fault')
    if (wrong.login) return response.end('<title>Log in</title>'.repeat(20))
    let file = (wrong.files ?? files).get(name)
    if (!file || wrong.missing?.(name)) return response.writeHead(404).end()
    if (wrong.flipped?.(name)) { file = Buffer.from(file); file[100] ^= 1 }
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
    if (wrong.blind && !range) return response.writeHead(206).end(file)
    if (!range || wrong.whole) return response.end(file)
    const from = Number(range[1]), to = Math.min(Number(range[2]) + 1, file.length)
    const headers = wrong.hidden || wrong.blind ? {} : { 'Content-Range': `bytes ${from}-${to - 1}/${file.length}` }
    let body = file.subarray(from, to)
    if (wrong.short?.(name)) body = body.subarray(0, body.length >> 1)
    if (wrong.oneByte) {
      body = body.subarray(0, 1)
      headers['Content-Range'] = `bytes ${from}-${from}/${file.length}`
    }
    if (fault === 'broken') {
      // Half of the body comes, then the connection ends.
      response.writeHead(206, { ...headers, 'Content-Length': body.length }).write(body.subarray(0, body.length >> 1))
      return setTimeout(() => request.socket.destroy(), 20)
    }
    response.writeHead(206, headers).end(body)
  })
  // No connection ends by itself between two requests, however slow the machine is.
  server.keepAliveTimeout = 0
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  try {
    await use(`http://127.0.0.1:${server.address().port}/a/b`, wrong, log)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('an index opens with one request, and a key takes two at most', async () => {
  await host(filesOf(small), async (address, _, log) => {
    const index = await open(address, { module })
    assert.deepEqual(log, ['manifest'])
    for (const text of ['s', 'sa', 'san', 'san f']) {
      const from = log.length
      await index.search(text, { sort: 'key' })
      assert.ok(log.length - from <= 2, `${text}: ${log.slice(from)}`)
    }
    assert.equal(new Set(log).size, log.length, 'a file came twice')
  })
})

test('hosts that do wrong: the answer is right, or the error names the fault', async () => {
  const files = filesOf(large), shard = name => name !== 'manifest'
  const right = JSON.stringify((await (await open(storage(files), { module })).search('sa')).matches)
  const other = filesOf(small)
  for (const [what, change, code] of [
    ['ranges ignored', { whole: true }], ['Content-Range hidden', { hidden: true }],
    ['no index', { missing: () => true }, 'missing'], ['a login page', { login: true }, 'damaged'],
    ['shards missing', { missing: shard }, 'superseded'], ['a bit flipped in shards', { flipped: shard }, 'damaged'],
    ['a bit flipped in the manifest', { flipped: name => !shard(name) }, 'damaged'],
    ['bodies cut short', { short: shard }, 'damaged'], ['one byte for each range', { oneByte: true }, 'damaged'],
    ['206 without Content-Range, for whole files too', { blind: true }, 'damaged'],
  ]) {
    await host(files, async (address, wrong) => {
      Object.assign(wrong, change)
      const asking = (async () => JSON.stringify((await (await open(address, { module })).search('sa')).matches))()
      if (code) await assert.rejects(asking, error => isNamed(error, code, address), what)
      else assert.equal(await asking, right, what)
    })
  }
  const archive = new Map([['made.shardq', archived(large)]])
  for (const [what, change, code] of [
    ['nothing', {}], ['ranges ignored', { whole: true }], ['Content-Range hidden', { hidden: true }],
    ['no archive', { missing: () => true }, 'missing'], ['a login page', { login: true }, 'missing'],
    ['a bit flipped', { flipped: () => true }, 'damaged'], ['bodies cut short', { short: () => true }, 'damaged'],
    ['one byte for each range', { oneByte: true }, 'damaged'], ['206 without Content-Range', { blind: true }, 'damaged'],
  ]) {
    await host(archive, async (address, wrong) => {
      Object.assign(wrong, change)
      const asking = (async () => JSON.stringify((await (await open(`${address}/made.shardq`, { module })).search('sa')).matches))()
      if (code) await assert.rejects(asking, error => isNamed(error, code, address), what)
      else assert.equal(await asking, right, what)
    })
  }
  await host(files, async (address, wrong) => {
    // The index is built anew while it is open: the new generation answers the next question.
    const index = await open(address, { module })
    wrong.files = other
    const found = await index.search('lon')
    assert.equal(found.matches[0].name, 'London')
  })
  await host(archive, async (address, wrong) => {
    const index = await open(`${address}/made.shardq`, { module })
    wrong.files = new Map([['made.shardq', archived(small)]])
    assert.equal((await index.search('lon')).matches[0].name, 'London')
  })
  await assert.rejects(open('http://127.0.0.1:9/', { module }), error => error.code === 'unreachable')
})

test('a question that is given up ends its requests', async () => {
  await host(filesOf(large), async (address, wrong) => {
    const index = await open(address, { module })
    wrong.hang = true
    const asking = index.search('sa', { signal: AbortSignal.timeout(50) })
    await assert.rejects(asking, error => error.name === 'TimeoutError')
    wrong.hang = false
    assert.ok((await index.search('sa')).matches.length > 0)
    // A question behind one that is given up has requests of its own.
    wrong.hang = true
    const last = new AbortController()
    const ended = assert.rejects(index.search('ma', { signal: last.signal }), error => error.name === 'AbortError')
    await new Promise(resolve => setTimeout(resolve, 50))
    wrong.hang = false
    last.abort()
    assert.ok((await index.search('ma')).matches.length > 0)
    await ended
  })
})

test('a fault of a host is tried again twice, and closes no index', async () => {
  const archive = new Map([['made.shardq', archived(large)]])
  const right = JSON.stringify((await (await open(storage(filesOf(large)), { module })).search('sa')).matches)
  for (const [files, file] of [[filesOf(large), ''], [archive, '/made.shardq']]) {
    await Promise.all([404, 410, 429, 503, 500, 'dropped', 'broken'].map(fault => host(files, async (address, wrong) => {
      // While the index opens, and while it is open: once and twice.
      wrong.next = [fault]
      const index = await open(address + file, { module })
      assert.deepEqual(wrong.next, [])
      wrong.next = [fault, fault]
      assert.equal(JSON.stringify((await index.search('sa')).matches), right, `${fault}`)
      // A host that fails for longer fails the question only.
      wrong.next = Array(60).fill(fault)
      await assert.rejects(index.search('lo'), error => isNamed(error, error.code, address), `${fault}`)
      wrong.next = []
      assert.ok((await index.search('lo')).matches.length > 0, `${fault}`)
      assert.equal(JSON.stringify((await index.search('sa')).matches), right, `${fault}`)
    })))
  }
})

test('the later attempt waits longer', async () => {
  await host(filesOf(small), async (address, wrong, log) => {
    wrong.next = Array(9).fill(503)
    const times = []
    const asking = open(address, { module })
    asking.catch(() => {})
    for (let seen = 0, turns = 0; times.length < 3;) {
      assert.ok(++turns < 3000, `${log}`)
      await new Promise(resolve => setTimeout(resolve, 10))
      for (; seen < log.length; seen++) times.push(performance.now())
    }
    await assert.rejects(asking, error => isNamed(error, 'unreachable', address))
    assert.ok(times[1] - times[0] >= 200 && times[2] - times[1] > 2 * (times[1] - times[0]), `${times}`)
    assert.equal(log.length, 3)
  })
})

test('an opening without an answer ends after 10 s, and is tried again', async context => {
  await host(filesOf(small), async (address, wrong, log) => {
    const seen = async count => {
      const end = performance.now() + 30_000
      while (log.length < count) {
        assert.ok(performance.now() < end, `${log.length} requests, and not ${count}`)
        await new Promise(resolve => setImmediate(resolve))
      }
    }
    const settled = async () => { for (let n = 0; n < 200; n++) await new Promise(resolve => setImmediate(resolve)) }
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const silentTwice = async count => {
      await seen(count + 1)
      context.mock.timers.tick(9_900)
      await settled()
      assert.equal(log.length, count + 1)
      context.mock.timers.tick(100)
      await settled()
      context.mock.timers.tick(250)
      await seen(count + 2)
      context.mock.timers.tick(10_000)
      await settled()
    }
    wrong.hang = true
    const answered = open(address, { module })
    await silentTwice(0)
    wrong.hang = false
    context.mock.timers.tick(1000)
    assert.ok(await answered)
    wrong.hang = true
    const count = log.length
    const refused = assert.rejects(open(address, { module }), error => isNamed(error, 'unreachable', address) && error.message.includes('10 s'))
    await silentTwice(count)
    context.mock.timers.tick(1000)
    await seen(count + 3)
    context.mock.timers.tick(10_000)
    await refused
    context.mock.timers.reset()
    wrong.hang = false
    assert.ok((await (await open(address, { module })).search('lon')).matches.length > 0)
  })
})

test('numbers are checked before they are cut, and unknown options and values are refused', async () => {
  const index = await open(storage(filesOf(large)), { module })
  const named = (name, options) => [options, new RegExp(name)]
  for (const [options, says] of [
    ...[Infinity, -Infinity, NaN, 2 ** 32, 2 ** 32 + 5, -1, 0.5, 1001, '10', null, 10n].map(limit => named('limit', { limit })),
    ...[Infinity, NaN, 2 ** 32, -1, 0.5, -(2 ** 32), '3', null].map(offset => named('offset', { offset })),
    ...['name', 'toString', 1, '', null, ['rank']].map(sort => named('sort', { sort })),
    ...[{ lat: 1, lng: 2 }, { lat: 48, lon: 2 }, [48, 2], '48,2', null, {}, { latitude: 1 }, { latitude: '1', longitude: 2 },
      { latitude: NaN, longitude: 0 }, { latitude: 1, longitude: Infinity }, { latitude: 1, longitude: 2, height: 3 }]
      .map(near => named('near', { near })),
    named('place', { near: { latitude: 91, longitude: 0 } }), named('radius', { radius: 25 }),
    ...[0, -1, NaN, Infinity, 1e9, 20_041, '25', null, true]
      .map(radius => named(`radius.* ${radius}|radius.* "25"`, { near: { latitude: 1, longitude: 2, radius } })),
    ...[1, null, ['key'], 'nation'].map(group => named('group', { group })),
    ...['country=FR', { country: 'FR' }, null, 5].map(filters => named('filters', { filters })),
    ...['country', null, 5, [5]].map(facets => named('facet', { facets })), named('by', { facets: ['name'] }),
    ...[0, 101, 0.5, '3'].map(facetLimit => named('facet', { facets: ['country'], facetLimit })),
    named('filter', { filters: [5] }), named('=', { filters: ['x'] }),
    ...['typos', 'display', 'count'].map(name => named(name, { [name]: 'none' })),
    ...['max', 1, null].map(typos => named('typos', { typos })), ...['some', true, null].map(words => named('words', { words })),
    named('after', { after: 5 }), named('parse', { parse: 'x' }), named('limt', { limt: 3 }), named('filter', { filter: 'x' }),
    [null, /options/], ['x', /options/],
  ]) {
    await assert.rejects(index.search('s', options),
      error => error instanceof ShardqError && error.name === 'ShardqError' && error.code === 'refused' && says.test(error.message),
      `${Object.entries(options ?? {}).map(([name, value]) => `${name} ${String(value)}`)}`)
  }
  for (const text of [undefined, null, 5, ['s']]) await assert.rejects(index.search(text), { code: 'refused' })
  assert.equal((await index.search('s', { offset: 2 ** 31 - 1, sort: 'key' })).matches.length, 0)
  assert.equal((await index.search('s', { offset: 2 ** 40, sort: 'key' })).matches.length, 0)
  for (const options of [{ near: undefined, sort: undefined, limit: undefined }, { limit: 10, offset: 0 }]) {
    assert.equal((await index.search('s', options)).matches.length, 10)
  }
  await assert.rejects(index.dots({ limit: 3 }), { code: 'refused' })
  await assert.rejects(index.prefetch(['s'], { bytes: NaN }), { code: 'refused' })
  await assert.rejects(index.prefetch(['s'], { byte: 3 }), { code: 'refused' })
  for (const options of [{ cacheBytes: 0 }, { cacheBytes: Infinity }, { cacheBytes: 2.5 }, { cache: 5 }, null]) {
    await assert.rejects(open(storage(filesOf(small)), options && { module, ...options }), { code: 'refused' }, JSON.stringify(options))
  }
  const wide = await open(storage(filesOf(small)), { module, cacheBytes: 2 ** 40 })
  assert.ok((await wide.search('lon')).matches.length > 0)
  for (const base of [undefined, null, 5, 'no address', {}]) {
    await assert.rejects(open(base, { module }), error => error instanceof ShardqError && error.code === 'refused', `${base}`)
  }
  await assert.rejects(open('http://127.0.0.1:9/', { module: new URL('http://127.0.0.1:9/x.wasm') }), { code: 'unreachable' })
})
