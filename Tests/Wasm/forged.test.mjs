// Forged indexes, whose checksums are right, in the WebAssembly module: numbers that an Int of 32 bits does not hold, and
// sums of numbers that pass its end. docs/format.md section 3 has the places.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { open, ShardqError } from '../../Sources/Hosts/Wasm/shardq.js'
import { stayAwake } from './awake.mjs'

const root = new URL('../..', import.meta.url).pathname
const program = join(process.env.SHARDQ_BIN ?? join(root, 'bin'), 'shardq')
const module = new WebAssembly.Module(readFileSync(join(root, '.build/wasm/module/shardq.wasm')))
const hasZstd = spawnSync('zstd', ['--version']).status === 0

stayAwake()
let work, many, one
before(() => {
  work = mkdtempSync(join(tmpdir(), 'shardq-forged-'))
  const build = (name, count, ...options) => {
    const path = join(work, name)
    const list = execFileSync(program, ['generate', '--count', count, '--seed', '7', '--format', 'jsonl'], { maxBuffer: 1 << 28 })
    execFileSync(program, ['build', '-', '--input-format', 'jsonl', '-i', path, '-q', ...options], { input: list })
    return new Map(readdirSync(path).filter(name => /^manifest$|\.zst$/.test(name)).map(name => [name, readFileSync(join(path, name))]))
  }
  many = build('many', '12000', '--shard-size', '4KiB', '--weight', '_id', '--words', 'body', '--typos', '--near', '--filter', 'country')
  one = build('one', '40', '--weight', '_id')
})
after(() => rmSync(work, { recursive: true }))

// MARK: Frames and numbers

const unpack = frame => execFileSync('zstd', ['-dcq'], { input: frame, maxBuffer: 1 << 26 })
const pack = content => execFileSync('zstd', ['-qc', '--check', `--stream-size=${content.length}`], { input: content, maxBuffer: 1 << 26 })
const checksum = frame => frame.readUInt32LE(frame.length - 4)

/** The size of the zstd frame at the beginning of bytes (RFC 8878). */
function frameSize(bytes) {
  const isSingle = bytes[4] & 0x20
  let at = (isSingle ? 5 : 6) + (bytes[4] < 64 && !isSingle ? 0 : 1 << (bytes[4] >> 6))
  for (;;) {
    const header = bytes.readUIntLE(at, 3)
    at += 3 + ((header >> 1 & 3) === 1 ? 1 : header >> 3)
    if (header & 1) return at + 4
  }
}

function varint(value) {
  const bytes = []
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push(value % 128 | 128)
  return Buffer.from([...bytes, value])
}

/** Reads varints from `at` on. */
function reader(bytes, at = 0) {
  return {
    get at() { return at },
    bytes: size => bytes.subarray(at, (at += size)),
    varint() {
      for (let value = 0, scale = 1; ; scale *= 128) {
        const byte = bytes[at++]
        value += (byte & 127) * scale
        if (byte < 128) return value
      }
    },
  }
}

/** Bytes with a number in another place. */
function changed(bytes, at, value, size) {
  const copy = Buffer.from(bytes)
  if (size === 8) copy.writeBigUInt64LE(BigInt(value), at)
  else copy.writeUIntLE(value, at, size)
  return copy
}

/** Bytes with other varints from `at` on. */
function respelled(bytes, at, ...values) {
  const old = reader(bytes, at)
  const now = values.map(value => (old.varint(), varint(value)))
  return Buffer.concat([bytes.subarray(0, at), ...now, bytes.subarray(old.at)])
}

/** A manifest of one level: its root's content, its pages' contents and the bytes of its chains, by section. */
class Manifest {
  constructor(file) {
    const size = frameSize(file)
    this.root = unpack(file.subarray(0, size))
    this.pages = []
    let at = size
    for (let page = 0; page < Math.ceil(this.root.readUInt32LE(32) / 64); page++) {
      const end = size + Number(this.root.readBigUInt64LE(this.section(5) + 20 * page))
      this.pages.push(unpack(file.subarray(at, end)))
      at = end
    }
    this.chains = new Map()
    for (let number = 8; number < 32; number++) {
      const entry = this.section(number)
      if (entry === undefined) continue
      const end = at + this.root.readUInt32LE(entry)
      this.chains.set(number, file.subarray(at, end))
      at = end
    }
    assert.equal(at, file.length)
  }

  /** The place of a section in the root. */
  section(number) {
    for (let at = 48; at < 48 + 24 * this.root.readUInt32LE(12); at += 24) {
      if (this.root.readUInt32LE(at) === number) return Number(this.root.readBigUInt64LE(at + 8))
    }
  }

  /** The frames of a chain. */
  frames(number) {
    const frames = []
    for (let rest = this.chains.get(number); rest.length > 0; rest = rest.subarray(frameSize(rest))) {
      frames.push(rest.subarray(0, frameSize(rest)))
    }
    return frames
  }

  /** Gives a chain another first frame, and other frames behind. */
  put(number, head, behind = this.frames(number).slice(1)) {
    const first = pack(head), chain = Buffer.concat([first, ...behind]), entry = this.section(number)
    this.chains.set(number, chain)
    this.root.writeUInt32LE(chain.length, entry)
    this.root.writeUInt32LE(head.length, entry + 4)
    this.root.writeUInt32LE(checksum(first), entry + 8)
  }

  /** The file. `change` changes the root after its entries of pages are right. */
  file(change = () => {}) {
    const pages = this.pages.map(pack)
    let end = 0
    for (const [number, page] of pages.entries()) {
      const entry = this.section(5) + 20 * number
      this.root.writeBigUInt64LE(BigInt(end += page.length), entry)
      this.root.writeUInt32LE(this.pages[number].length, entry + 8)
      this.root.writeUInt32LE(checksum(page), entry + 12)
    }
    change(this.root, this)
    return Buffer.concat([pack(this.root), ...pages, ...this.chains.values()])
  }
}

/** A forged index: the files with another manifest, and other files. */
function forged(files, forge) {
  const manifest = new Manifest(files.get('manifest')), others = new Map(files)
  const change = forge(manifest, others)
  return others.set('manifest', manifest.file(change))
}

/** Changes the content of the first frame of a kind in the first side file, with right sizes and checksums above it. */
function changingSide(manifest, files, kind, change) {
  const [head, ...groups] = manifest.frames(11).map(unpack), old = reader(groups[0])
  const digest = old.bytes(16), count = old.varint(), frames = []
  for (let k = 0; k < count; k++) {
    frames.push({ kind: old.bytes(1)[0], numbers: [old.varint(), old.varint()], size: old.varint(), content: old.varint(), sum: old.bytes(4) })
  }
  const name = `side-${digest.subarray(0, 8).toString('hex')}.zst`, file = files.get(name)
  let at = 0, isDone = false
  const bodies = frames.map(frame => {
    const body = file.subarray(at, (at += frame.size))
    if (frame.kind !== kind || isDone) return body
    isDone = true
    const content = change(unpack(body)), packed = pack(content)
    Object.assign(frame, { size: packed.length, content: content.length, sum: packed.subarray(-4) })
    return packed
  })
  assert.ok(isDone)
  files.set(name, Buffer.concat(bodies))
  const entries = frames.map(({ kind, numbers, size, content, sum }) =>
    Buffer.concat([Buffer.from([kind]), ...[...numbers, size, content].map(varint), sum]))
  const group = Buffer.concat([digest, varint(count), ...entries, groups[0].subarray(old.at)])
  const bodiesOfGroups = [group, ...groups.slice(1)].map(pack)
  let end = 0
  for (const [k, body] of bodiesOfGroups.entries()) {
    head.writeUInt32LE(end += body.length, 8 + 4 * k)
    head.writeUInt32LE(checksum(body), 8 + 4 * (bodiesOfGroups.length + k))
  }
  manifest.put(11, head, bodiesOfGroups)
}

/** The lists of a table of values (section 3.12), whose numbers `change` changes: { sizes, steps, counts }. */
function changingLists(content, shards, change) {
  const old = reader(content)
  for (let values = old.varint(); values > 0; values--) old.bytes(old.varint())
  const start = old.at, numbers = count => Array.from({ length: count }, () => old.varint())
  const sizes = numbers(shards), total = sizes.reduce((sum, size) => sum + size, 0)
  const lists = { sizes, steps: numbers(total), counts: numbers(total) }
  change(lists)
  const made = [...lists.sizes, ...lists.steps, ...lists.counts].map(varint)
  return Buffer.concat([content.subarray(0, start), ...made, content.subarray(old.at)])
}

const largest = 0xffff_ffff, half = 0x7fff_ffff
const lastOf = (manifest, number) => unpack(manifest.frames(number)[0])

const cases = {
  'a manifest of entries of 2^40 bytes': m => m.put(12, changed(lastOf(m, 12), 5, 2 ** 40, 8)),
  'a manifest of entries of 2^31 bytes': m => m.put(12, changed(lastOf(m, 12), 5, 2 ** 31, 8)),
  'an end of ranks of 2^32 - 1': m => { const head = lastOf(m, 10); m.put(10, changed(head, 4 + 4 * head.readUInt32LE(4), largest, 4)) },
  'ranks of 2^31 pages': m => m.put(10, changed(lastOf(m, 10), 4, 2 ** 31, 4)),
  'an end of sides of 2^32 - 1': m => m.put(11, changed(lastOf(m, 11), 8, largest, 4)),
  'sides of 2^31 - 1 pages': m => m.put(11, changed(lastOf(m, 11), 4, half, 4)),
  'sketch counts whose sum passes 2^31': (m, files) => changingSide(m, files, 5, content => {
    const old = reader(content)
    for (let count = old.varint(); count > 0; count--) old.varint()
    const groups = Math.ceil(Math.min(64, m.root.readUInt32LE(32)) / 16)
    assert.ok(groups > 1)
    return Buffer.concat([content.subarray(0, old.at), Buffer.from([4]), ...Array(groups).fill(Buffer.from('ffffff7f', 'hex')), content])
  }),
  'a negative sketch count': (m, files) => changingSide(m, files, 6, content => {
    const shards = Math.min(16, m.root.readUInt32LE(32))
    return Buffer.concat([Buffer.from([4]), ...Array(shards).fill(Buffer.from('ffffffff', 'hex')), content])
  }),
  'a character of a sketch behind 2^31': (m, files) => changingSide(m, files, 5, content => {
    const start = varint(reader(content).varint()).length
    return respelled(content, start, 5, half)
  }),
  'a step between values of 2^31': (m, files) => changingSide(m, files, 1, content =>
    changingLists(content, Math.min(64, m.root.readUInt32LE(32)), lists => { lists.steps[lists.steps.length - 1] = half })),
  'counts of values whose sum passes 2^31': (m, files) => changingSide(m, files, 1, content =>
    changingLists(content, Math.min(64, m.root.readUInt32LE(32)), lists => lists.counts.fill(0x3fff_ffff))),
  'counts of parts of 2^24': (m, files) => changingSide(m, files, 2, content => {
    const shards = Math.min(16, m.root.readUInt32LE(32))
    return Buffer.concat([...Array(shards).fill(varint(1 << 24)), Buffer.alloc(1 << 24)])
  }),
  'chains whose sum passes 2^31': m => at => { for (const number of [10, 11, 12]) at.writeUInt32LE(half, m.section(number)) },
  'a chain of 2^32 - 1 bytes': m => at => at.writeUInt32LE(largest, m.section(10)),
  'pages that end at 2^63 - 1': m => at => at.writeBigUInt64LE(2n ** 63n - 1n, m.section(5) + 20 * (m.pages.length - 1)),
  'pages that end at 2^31 - 1': m => at => at.writeBigUInt64LE(BigInt(half), m.section(5) + 20 * (m.pages.length - 1)),
  '2^31 - 1 shards': () => at => at.writeUInt32LE(half, 32),
  '2^31 - 64 shards': () => at => at.writeUInt32LE(half - 63, 32),
  'a lower bound that ends at 2^32 - 1': m => at => at.writeUInt32LE(largest, m.section(3) + 4 * (m.pages.length - 1)),
  'a shard of 2^32 - 1 bytes': m => {
    const count = Math.min(64, m.root.readUInt32LE(32))
    m.pages[0] = changed(m.pages[0], 20 * count + 8, largest, 4)
  },
  'a header of 2^32 - 1 bytes': m => {
    const count = Math.min(64, m.root.readUInt32LE(32))
    m.pages[0] = changed(m.pages[0], 20 * count + 16, largest, 4)
  },
  'a lower bound of a shard that ends at 2^32 - 1': m => {
    const count = Math.min(64, m.root.readUInt32LE(32))
    m.pages[0] = changed(m.pages[0], 20 * count + 4, largest, 4)
  },
  'a cell of the density grid behind 2^31': m => {
    const [head, ...bands] = m.frames(9).map(unpack)
    const band = bands.findIndex(content => reader(content).varint() > 1)
    const start = varint(reader(bands[band]).varint()).length
    const frames = bands.map((content, k) => pack(k === band ? respelled(content, start, 5, half) : content))
    for (const [k, frame] of frames.entries()) head.writeUInt32LE(checksum(frame), 8 + 4 * k)
    m.put(9, head, frames)
  },
}

/** Asks an index everything that reads the forged places; returns the number of refused questions. */
async function refusedQuestions(files, what) {
  const storage = {
    async get(name, from, to) {
      const file = files.get(name)
      return file ? { bytes: new Uint8Array(file.subarray(from, Math.min(to, file.length))), size: file.length } : null
    },
  }
  let refused = 0
  const trying = async ask => {
    try { return await ask() } catch (error) {
      assert.ok(error instanceof ShardqError, `${what}: ${error.stack}`)
      // The module ends with a trap, or because it has no more memory.
      assert.doesNotMatch(error.message, /the module ended/, what)
      refused++
    }
  }
  const index = await trying(() => open(storage, { module }))
  if (!index) return refused
  const near = { latitude: 48.5, longitude: 2.25 }
  const first = await trying(() => index.search('s', { limit: 1 }))
  const filters = [`country=${first?.matches[0].country ?? 'FR'}`]
  for (const text of ['', 's', 'san f', 'lodnon', 'zz']) {
    for (const options of [{}, { sort: 'key', total: 'exact' }, { filters }, { near, limit: 100 }, { filters, near }]) {
      await trying(() => index.search(text, options))
    }
  }
  await trying(() => index.dots())
  return refused
}

for (const [what, forge] of Object.entries(cases)) {
  test(`${what}: refused without a trap`, { skip: !hasZstd && 'there is no zstd' }, async () => {
    assert.ok(await refusedQuestions(forged(many, forge), what) > 0)
  })
}

test('parts of a shard whose bytes pass 2^31: refused without a trap', { skip: !hasZstd && 'there is no zstd' }, async () => {
  for (const parts of [half, 0x1fff_ffff, 0x0fff_ffff]) {
    const files = forged(one, (m, files) => {
      assert.equal(m.root.readUInt32LE(32), 1)
      const label = m.pages[0].subarray(64 - 8 + 8, 64 + 8), digest = m.pages[0].subarray(48, 56)
      const name = [...files.keys()].find(name => name.endsWith(`-${digest.toString('hex')}.zst`))
      assert.ok(name, label.toString())
      const file = files.get(name), size = frameSize(file)
      const content = respelled(unpack(file.subarray(0, size)), 4, half, parts), header = pack(content)
      files.set(name, Buffer.concat([header, file.subarray(size)]))
      // The entry of the file, and the counts of records above it.
      for (const [at, value] of [[28, header.length + file.length - size], [32, header.length], [36, content.length], [40, checksum(header)]]) {
        m.pages[0] = changed(m.pages[0], at, value, 4)
      }
      m.pages[0] = changed(m.pages[0], 16, half, 8)
      return at => { at.writeBigUInt64LE(BigInt(half), 24); at.writeBigUInt64LE(BigInt(half), m.section(2) + 8) }
    })
    assert.ok(await refusedQuestions(files, `${parts} parts`) > 0)
  }
})

test('the index that was forged answers all questions', { skip: !hasZstd && 'there is no zstd' }, async () => {
  assert.equal(await refusedQuestions(many, 'the index'), 0)
  assert.equal(await refusedQuestions(forged(many, () => {}), 'the index, packed anew'), 0)
})
