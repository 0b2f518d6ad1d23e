// Compares the WebAssembly module and its script with the command: node --test Tests/Wasm
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { open, ShardqError } from '../../Sources/Wasm/shardq.js'

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
      const index = await open(storage(filesOf(directory)), { module })
      for (const [i, text] of asked.entries()) {
        const found = await index.search(text, { sort, count: true })
        const { count, matches, correction, nearest } = answers[i]
        assert.deepEqual(found.matches, matches, text)
        assert.equal(found.count, count, text)
        if (sort === 'rank') {
          assert.equal(found.nearest, nearest, text)
          assert.equal(found.correction !== undefined, matches.length > 0 && answers[i].hits.every(hit => hit.edits > 0), text)
        }
      }
    }
  })
}

test('filters, a place, cursors and offsets are those of the command', async () => {
  const index = await open(storage(filesOf(large)), { module })
  const [country] = (await index.search('s')).matches.map(record => record.country)
  const filtered = await index.search('s', { filters: [`country=${country}`] })
  assert.deepEqual(filtered.matches, expected(large, ['s'], ['--filter', `country=${country}`])[0].matches)
  const near = await index.search('s', { near: { latitude: 48.5, longitude: 2.25 } })
  assert.deepEqual(near.matches, expected(large, ['s'], ['--near', '48.5,2.25'])[0].matches)
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
  ]) {
    await assert.rejects(index.search(text, options), error => error instanceof ShardqError && error.code === 'refused', options)
  }
  assert.equal((await index.search('x'.repeat(1 << 16))).matches.length, 0)
  assert.equal((await index.search('s')).matches.length, 10)
})

test('the module imports three functions and no others', () => {
  assert.deepEqual(WebAssembly.Module.imports(module).map(({ module, name }) => `${module}.${name}`).sort(),
    ['host.open', 'host.read', 'host.size'])
})

const hasBinaryen = spawnSync('wasm-opt', ['--version']).status === 0
test('the module takes at most 300 KiB with gzip', { skip: !hasBinaryen && 'there is no wasm-opt' }, () => {
  // One comparison of texts by == brings tables of Unicode with 26 KB: Sources/ShardedIndex/Format/Bytes/Texts.swift.
  assert.ok(gzipSync(readFileSync(modulePath), { level: 9 }).length <= 300 << 10)
})

test('the module without ranks answers in the order of keys', { skip: !isLong && 'long runs alone build it' }, async () => {
  const module = new WebAssembly.Module(readFileSync(join(root, '.build/wasm-keys/module/shardq.wasm')))
  for (const directory of [small, large]) {
    const asked = texts(directory, 2000, 5), answers = expected(directory, asked, ['--sort', 'key'])
    const index = await open(storage(filesOf(directory)), { module })
    for (const [i, text] of asked.entries()) {
      const { matches, count } = await index.search(text, { count: true })
      assert.deepEqual([matches, count], [answers[i].matches, answers[i].count], text)
    }
    for (const options of [{ sort: 'rank' }, { filters: ['country=FR'] }, { near: { latitude: 48.5, longitude: 2.25 } }]) {
      await assert.rejects(index.search('s', options), { code: 'refused' })
    }
  }
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
        const counted = await index.search(text, { sort, count: true })
        const found = await index.search(text, { sort })
        assert.deepEqual(found.matches, counted.matches, text)
        assert.equal(found.more, counted.more, text)
        assert.ok(found.count === undefined || found.count === counted.count, text)
        assert.equal(found.nearest, counted.nearest, text)
        assert.equal(found.correction, counted.correction, text)
        if (sort === 'key') assert.equal(counted.more, counted.count > 10, text)
      }
    }
  }
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
      const found = await index.search(text, options), right = await whole.search(text, { ...options, count: true })
      assert.deepEqual(found.matches, right.matches, `${text} ${JSON.stringify(options)}`)
      assert.equal(found.more, right.more, text)
      assert.equal(found.generation, right.generation)
      if (log.slice(before).every(name => name === 'manifest') && found.matches.length > 0) answered++
    }
  }
  assert.ok(answered > 100, `${answered} answers`)
  // A page behind the starts, and one by a cursor, are those of all records.
  const next = await index.search('a', { limit: 10, offset: 20 })
  assert.deepEqual(next.matches, (await whole.search('a', { limit: 10, offset: 20, count: true })).matches)
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
    // Half of the damage is in the first header and the places, which the script reads as well.
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

/** A host of files with the faults of `wrong`. */
async function host(files, use) {
  const log = [], wrong = {}
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, 'http://host').pathname).replace(/^\/.*\//, '')
    log.push(name)
    if (wrong.hang) return
    if (wrong.login) return response.end('<title>Log in</title>'.repeat(20))
    let file = (wrong.files ?? files).get(name)
    if (!file || wrong.missing?.(name)) return response.writeHead(404).end()
    if (wrong.flipped?.(name)) { file = Buffer.from(file); file[100] ^= 1 }
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
    if (!range || wrong.whole) return response.end(file)
    const from = Number(range[1]), to = Math.min(Number(range[2]) + 1, file.length)
    const headers = wrong.hidden ? {} : { 'Content-Range': `bytes ${from}-${to - 1}/${file.length}` }
    let body = file.subarray(from, to)
    if (wrong.short?.(name)) body = body.subarray(0, body.length >> 1)
    response.writeHead(206, headers).end(body)
  })
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
    ['bodies cut short', { short: shard }, 'damaged'],
  ]) {
    await host(files, async (address, wrong) => {
      Object.assign(wrong, change)
      const asking = (async () => JSON.stringify((await (await open(address, { module })).search('sa')).matches))()
      if (code) await assert.rejects(asking, error => error instanceof ShardqError && error.code === code && error.message !== '', what)
      else assert.equal(await asking, right, what)
    })
  }
  const archive = new Map([['made.shardq', archived(large)]])
  for (const [what, change, code] of [
    ['nothing', {}], ['ranges ignored', { whole: true }], ['Content-Range hidden', { hidden: true }],
    ['no archive', { missing: () => true }, 'missing'], ['a login page', { login: true }, 'damaged'],
    ['a bit flipped', { flipped: () => true }, 'damaged'], ['bodies cut short', { short: () => true }, 'damaged'],
  ]) {
    await host(archive, async (address, wrong) => {
      Object.assign(wrong, change)
      const asking = (async () => JSON.stringify((await (await open(`${address}/made.shardq`, { module })).search('sa')).matches))()
      if (code) await assert.rejects(asking, error => error instanceof ShardqError && error.code === code && error.message !== '', what)
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
