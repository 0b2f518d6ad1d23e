// Tests the functions of the page that need no browser: node --test Tests/Page
import assert from 'node:assert/strict'
import { test } from 'node:test'

/** An element that keeps its properties and children. */
class Node {
  constructor(name) { this.name = name; this.children = [] }
  append(...children) { this.children.push(...children) }
  toString() { return `<${this.name}>${this.children.join('')}</${this.name}>` }
}

const options = {
  texts: { quote: '»{text}«', compass: 'NSOW', 'matches.one': '{count} Treffer', 'matches.other': '{count} Treffer (viele)' },
  image: 'photo', imageOrigins: ['https://img.example.org'], labels: { price: 'Preis <in> €' },
  orders: [['-price', 'Teuerste zuerst']], index: { filters: ['brand_name', 'colour'], ranges: ['price', 'made'], near: true },
  row: [['title'], ', ', ['kind']], right: [['price'], ' €'], link: ['https://shop.example/', ['sku'], '?from=', ['kind']],
}
globalThis.document = {
  documentElement: { lang: 'de', dataset: { page: JSON.stringify(options) } },
  baseURI: 'https://example.org/search/',
  createElement: name => new Node(name),
}
const load = async name => import(`../../Sources/Page/${name}.js`)
const names = [
  'elements', 'texts', 'degrees', 'rows', 'record', 'picture', 'cells', 'land', 'projection', 'boxes', 'link', 'conditions',
  'colour',
]
const [elements, texts, degrees, rows, record, picture, cells, land, projection, boxes, link, conditions, colour] =
  await Promise.all(names.map(load))

test('a text has its values, and the plural of its language', () => {
  assert.equal(texts.plural('matches', 1), '1 Treffer')
  assert.equal(texts.plural('matches', 1234567), '1.234.567 Treffer (viele)')
  assert.equal(texts.plural('records', 0), '0 records')
  assert.equal(texts.say('noneBegins', { query: 'ha' }), 'Nothing begins with ha.')
  assert.equal(texts.say('noneBegins'), 'Nothing begins with .')
  assert.equal(`${texts.saying('noneBegins', { query: texts.quoted('ha') })}`,
    '<span>Nothing begins with <bdi>»ha«</bdi>.</span>')
})

test('the saying of an answer has the text that was searched, the values of a reading and the words left out', () => {
  const said = found => texts.changes('q', { dropped: [], ...found }).join('')
  const interpretation = { text: 'paris', filter: { country: 'FR', kind: 'city' } }
  const reading = '<span><bdi>»paris«</bdi> with <bdi>FR, city</bdi></span>'
  const begun = '<span>Nothing matches <bdi>»q«</bdi>; showing results'
  assert.equal(said({}), '')
  assert.equal(said({ correction: 'Paris' }), `${begun} for <bdi>»Paris«</bdi>:</span>`)
  assert.equal(said({ dropped: ['x', 'y'] }), `${begun} without <bdi>»x y«</bdi>:</span>`)
  assert.equal(said({ interpretation: { text: 'mount' } }), `${begun} for <bdi>»mount«</bdi>:</span>`)
  assert.equal(said({ interpretation }), `${begun} for ${reading}:</span>`)
  assert.equal(said({ interpretation, correction: 'Paris', dropped: ['x'] }),
    `${begun} for ${reading.replace('paris', 'Paris')} without <bdi>»x«</bdi>:</span>`)
})

test('a number of bytes has three digits and a unit', () => {
  const said = [0, 999, 1000, 1234, 999_400, 1e6, 12_345_678].map(texts.bytes)
  assert.deepEqual(said, ['0 B', '999 B', '1 KB', '1,23 KB', '999 KB', '1 MB', '12,3 MB'])
})

test('coordinates have the directions of the language', () => {
  assert.equal(degrees.coordinates([-0.1257, 51.5085], 2), '51.51° N, 0.13° W')
  assert.equal(degrees.coordinates([151.2, -33.87], 1), '33.9° S, 151.2° O')
  assert.deepEqual([-540, -180, 0, 179.5, 180, 360, 725].map(degrees.wrap), [-180, -180, 0, 179.5, -180, 0, 5])
})

test('a throttled function runs at once, and then with its newest argument', async () => {
  const seen = []
  const note = elements.throttled(20, value => seen.push(value))
  for (const value of [1, 2, 3]) note(value)
  assert.deepEqual(seen, [1])
  await new Promise(done => setTimeout(done, 100))
  assert.deepEqual(seen, [1, 3])
})

test('matches are marked, and no text becomes markup', () => {
  const shown = (text, ranges) => [...record.marked(text, ranges)].join('')
  assert.equal(shown('San José', [[0, 3], [4, 6]]), '<mark>San</mark> <mark>Jo</mark>sé')
  assert.equal(shown('San José', undefined), 'San José')
  assert.equal(record.cut('abc\u{1F600}def', 4), 'abc…')
  assert.equal(record.cut('abcd', 4), 'abcd')
})

test('the fields of a record are texts by path', () => {
  const match = { label: 'A', record: { a: 1, b: { c: null, d: 'x' }, e: ['u', null, 'v'], f: {}, g: [{ h: true }] } }
  assert.deepEqual([...record.fields(match.record)],
    [['a', '1'], ['b.c', 'null'], ['b.d', 'x'], ['e', 'u, v'], ['f', '{}'], ['g.0.h', 'true']])
  assert.equal(record.textOf(match, 'b'), 'x')
  assert.equal(record.textOf(match, 'g'), 'true')
  assert.equal(record.textOf(match, 'none'), '')
})

test('the second line of a row has the place, or the fields beside the label', () => {
  const paris = rows.place({ label: 'Paris', record: { name: 'Paris', country: 'FR' }, latitude: 48.85, longitude: 2.35 })
  assert.equal(record.detailOf(paris), 'Frankreich · 48.85° N, 2.35° O')
  const book = rows.place({ label: 'Emma', record: { title: 'Emma', author: 'Austen', photo: 'e.png', year: 1815 } })
  assert.equal(book.at, null)
  assert.equal(record.detailOf(book), 'Austen · 1815')
  assert.equal(rows.place({ latitude: 91, longitude: 0 }).at, null)
})

test('a digest tells records apart', () => {
  assert.equal(record.digest({}), (Math.imul(Math.imul(0x811c9dc5 ^ 0x7b, 0x01000193) ^ 0x7d, 0x01000193) >>> 0).toString(16))
  assert.notEqual(record.digest({ a: 1 }), record.digest({ a: 2 }))
})

test('the page links to addresses alone that run no script and look like no other', () => {
  for (const text of ['https://example.org/a?b', 'mailto:a@example.org', 'tel:+4912', 'geo:1,2']) assert.ok(record.linked(text), text)
  for (const text of ['javascript:alert(1)', 'https://a:b@example.org', 'see https://example.org', 'https://', 'a'.repeat(3000)]) {
    assert.equal(record.linked(text), undefined, text)
  }
})

test('an image comes from an allowed origin', () => {
  const address = photo => picture.pictureOf({ record: { photo } })
  assert.equal(address('a.png'), 'https://example.org/search/a.png')
  assert.equal(address('https://img.example.org/b.png'), 'https://img.example.org/b.png')
  for (const photo of ['https://other.example.org/c.png', 'javascript:1', '', null]) assert.equal(address(photo), undefined)
})

test('the first image of an array, of a path, and of a row with flat fields is shown', () => {
  for (const record of [
    { photo: ['', null, 'a.png', 'b.png'] }, { photo: { url: 'a.png' } }, { photo: [{ url: 'a.png' }, { url: 'b.png' }] },
    { 'photo.0': 'a.png' },
  ]) assert.equal(picture.pictureOf({ record }), 'https://example.org/search/a.png', JSON.stringify(record))
  assert.equal(record.firstOf({ a: { b: ['', 7] } }, 'a.b'), '7')
  assert.equal(record.firstOf({ a: ['x', 'y'] }, 'a.1'), 'y')
  for (const empty of [{}, { photo: [] }, { photo: [null, ''] }, { photo: {} }, { photo: [['javascript:1']] }]) {
    assert.equal(picture.pictureOf({ record: empty }), undefined, JSON.stringify(empty))
  }
})

test('the first line and the right side of a row are templates, with numbers as the language writes them', () => {
  const row = (price, more) => ({ label: 'Lamp, Lumen', record: { title: 'Lamp', price, ...more } })
  assert.equal(record.titleOf(row('1', { kind: 'new' })), 'Lamp, new')
  assert.equal(record.titleOf({ label: 'Lamp, Lumen', record: { other: 'x' } }), 'Lamp, Lumen')
  const said = ['1234.5', '0.05', '39', '12345678.125', '-7.1', '1e3', '007', 'about 5', '12345678901234567'].map(price => record.rightOf(row(price)))
  assert.deepEqual(said, ['1.234,50 €', '0,05 €', '39 €', '12.345.678,125 €', '-7,10 €', '1e3 €', '007 €', 'about 5 €', '12345678901234567 €'])
  assert.equal(record.rightOf(row('')), '')
})

test('marks are at the same words in another first line', () => {
  assert.deepEqual(record.moved([[0, 2]], 'Lamp, Lumen', 'Lamp'), [[0, 2]])
  assert.deepEqual(record.moved([[6, 8]], 'Lamp, Lumen', 'Lumen Lamp'), [[0, 2]])
  assert.deepEqual(record.moved([[0, 2], [6, 8]], 'La, xx Lu', 'aLa La'), [[4, 6]])
  for (const [ranges, title] of [[[[0, 2]], 'Desk'], [[[0, 0]], 'Desk'], [undefined, 'Desk'], [[[0, 2]], 'xLa']]) {
    assert.deepEqual(record.moved(ranges, 'Lamp', title), [])
  }
})

test('a row leads to an address of the web, whose fields all have a value', () => {
  const to = (sku, kind) => record.linkOf({ record: { sku, kind } })
  assert.equal(to('a/b?c', 'x y'), 'https://shop.example/a%2Fb%3Fc?from=x%20y')
  assert.equal(to(['p', 'q'], 'x'), 'https://shop.example/p?from=x')
  for (const [sku, kind] of [['', 'x'], [null, 'x'], ['\ud800', 'x'], ['a'.repeat(3000), 'x']]) assert.equal(to(sku, kind), undefined)
  assert.equal(record.webAddress('a/b#c').href, 'https://example.org/search/a/b#c')
  for (const text of [
    'javascript:alert(1)', 'JavaScript:alert(1)', ' javascript:alert(1)', 'java\nscript:alert(1)', 'data:text/html,x', 'blob:x', 'file:///etc',
    'mailto:a@b.example', 'https://a:b@example.org/', 'a b', 'https:\\\\evil.example', 'https://shop.example/\u202egpj', '', undefined,
  ]) assert.equal(record.webAddress(text), undefined, text)
})

test('a colour becomes readable on its ground and on its wash', () => {
  const contrast = (a, b) => {
    const [low, high] = [a, b].map(colour.luminance).sort((x, y) => x - y)
    return (high + 0.05) / (low + 0.05)
  }
  const steps = ['00', '33', '66', '99', 'cc', 'ff']
  for (const red of steps) for (const green of steps) for (const blue of steps) {
    for (const ground of [[253, 252, 250], [21, 25, 28]]) {
      const { accent, wash } = colour.readable(`#${red}${green}${blue}`, ground)
      for (const behind of [ground, wash]) assert.ok(contrast(accent, behind) >= 4.5, `${red}${green}${blue} ${ground}`)
      assert.ok(contrast(accent, ground[0] > 99 ? [255, 255, 255] : [28, 18, 12]) >= 4.5, `${red}${green}${blue}, its text`)
    }
  }
  assert.deepEqual(colour.readable('#2f6f62', [253, 252, 250]).accent, [47, 111, 98])
})

test('the work of an answer is read from its headers', () => {
  const headers = new Map([['Shardq-Cost', 'shards=2/35, loads=1, bytes=4096'], ['Server-Timing', 'search;dur=0.25']])
  assert.deepEqual(rows.cost(headers), { touched: '2', all: '35', loads: 1, bytes: 4096, duration: '0.25' })
  assert.equal(rows.cost(new Map()).touched, undefined)
})

test('a link becomes the state that made it', () => {
  const chosen = { label: 'Köln, "a&b"', digest: 'ff', query: 'kö', row: 12 }
  const text = link.linkText('kö', chosen, '5.00/50.9000/6.9000')
  assert.ok(text.startsWith('#q=k%C3%B6&row=12&'), text)
  const { view, map, ...state } = link.readLink(text)
  assert.deepEqual(state, {
    query: 'kö', filters: [], order: '', key: chosen.label, is: 'ff', row: 12, position: undefined, isGrid: false })
  assert.deepEqual([view, map], [[5, 50.9, 6.9], '5.00/50.9000/6.9000'])
  assert.equal(link.readLink(link.linkText('other', chosen)).row, undefined)
  assert.equal(link.readLink(link.linkText('', { ...chosen, position: 7 })).position, 7)
  assert.equal(link.linkText('', null), '')
  assert.equal(link.linkText('', null, undefined, {}, true), '#view=grid')
  assert.equal(link.readLink('#view=grid').isGrid, true)
  const empty = {
    query: '', filters: [], order: '', key: null, is: null, row: undefined, position: undefined, view: undefined,
    map: undefined, isGrid: false,
  }
  for (const broken of ['', '#', '#view=x', '#row=-1', '#row=1e3', '#position=9999999999999999', '#map=1/2', '#map=a/b/c']) {
    assert.deepEqual(link.readLink(broken), empty, broken)
  }
})

test('a link has the conditions, and no more filters than a search takes', () => {
  const filters = [['brand_name', 'A=B & <C>'], ['price', '20..50'], ['colour', '']], order = '-price'
  const text = link.linkText('kö', null, undefined, { filters, order })
  assert.ok(text.startsWith('#q=k%C3%B6&filter=brand_name%3DA%3DB'), text)
  const read = link.readLink(text)
  assert.deepEqual([read.filters, read.order], [filters, order])
  assert.deepEqual(link.readLink('#filter=&filter=a&filter==b&filter=a%0A%3Db%0Ac').filters, [['a\n', 'b\nc']])
  assert.equal(link.readLink(`#${'filter=a%3Db&'.repeat(100)}`).filters.length, 64)
})

test('a field has a name for people', () => {
  const wanted = {
    price: 'Preis <in> €', brand_name: 'Brand name', size: 'Size', 'coord.lat': 'Coord lat', postalCode: 'Postal code',
    imageURL: 'ImageURL', 'in-stock': 'In stock', 'No\\.': 'No', __: '__', toString: 'To string', 'ärmel': 'Ärmel', '': '',
  }
  for (const [field, name] of Object.entries(wanted)) assert.equal(conditions.nameOf(field), name)
  assert.equal(conditions.nameOf('x'.repeat(10_000)).length, 10_000)
})

test('a number is read as the language writes it', () => {
  const read = {
    '19,5': '19.5', '19.5': '19.5', '1.234,5': '1234.5', '1.234': '1234', '1 234,5': '1234.5', '−7': '-7', '007': '007',
    '2025-01': '2025-01', '2025-01-31': '2025-01-31', '2025-01-31T10:00Z': '2025-01-31T10:00Z',
  }
  for (const [typed, number] of Object.entries(read)) assert.equal(conditions.readNumber(typed), number, typed)
  for (const typed of ['', 'x', '1,2,3', '<b>', '1..2', '€5', 'NaN', '9'.repeat(50), '2025-1-1']) {
    assert.equal(conditions.readNumber(typed), undefined, typed)
  }
  assert.deepEqual(['1234567.5', '1999', '-0.25', '2025-01', '9'.repeat(30)].map(conditions.shownNumber),
    ['1.234.567,5', '1999', '-0,25', '2025-01', '9'.repeat(30)])
})

test('a range has an end, and its ends in their order', () => {
  for (const range of ['20..50', '20..', '..50', '20', '-3..-1', '2024-01..2024-02-03', '5..2024-01']) {
    assert.ok(conditions.isRange(range), range)
  }
  for (const range of ['', '..', '50..20', 'a..b', '1..2..3', '2024-02..2024-01', '2024-01..5', '<b>', '1...2']) {
    assert.ok(!conditions.isRange(range), range)
  }
})

test('conditions become parameters, and what the index has not is not asked', () => {
  const filters = [['brand_name', 'A'], ['brand_name', 'B'], ['nope', 'x'], ['price', 'abc'], ['price', '..50'], ['colour', 'x'.repeat(501)]]
  const given = { filters, order: '-price', place: { latitude: 1.5, longitude: -2, radius: 25 } }
  assert.deepEqual(conditions.asked(given),
    { filter: ['brand_name=A', 'brand_name=B', 'price=..50'], sort: '-price', near: '1.5,-2', radius: 25 })
  assert.equal(conditions.asked({ ...given, filters: Array(100).fill(['colour', 'red']) }).filter.length, 64)
  assert.deepEqual(conditions.asked({ filters: [], order: 'toString', place: null }), {})
  assert.deepEqual(filters.map(conditions.filterText).slice(0, 5),
    ['Brand name: A', 'Brand name: B', 'Nope: x', 'Preis <in> €: abc', 'Preis <in> €: to 50'])
  assert.ok(conditions.filterText(filters[5]).length < 120)
})

test('the history gives a place, or none', () => {
  const take = (state, filters = []) => [conditions.takeConditions(filters, '', state), conditions.conditions.place]
  assert.deepEqual(take({ place: { latitude: 52, longitude: 13, radius: 5, x: 1 } }), [true, { latitude: 52, longitude: 13, radius: 5 }])
  assert.deepEqual(take({ place: { latitude: 52, longitude: 13, radius: 5 } })[0], false)
  for (const state of [null, {}, { place: null }, { place: { latitude: 91, longitude: 0 } }, { place: '<b>' }]) {
    assert.equal(take(state)[1], null, JSON.stringify(state))
  }
  assert.deepEqual(take(null, [['colour', 'red']])[0], true)
})

/** A projection of 1,000 x 500 pixels. */
function map(place) {
  const made = Object.assign(new projection.Projection(), { width: 1000, height: 500 })
  made.move(place)
  return made
}

test('a point of the map has its degrees, also across the date line', () => {
  for (const scale of [0, 20, 110, 5000]) {
    const world = map({ longitude: 170, latitude: 40, scale })
    for (const [x, y] of [[0, 0], [500, 250], [730, 20]]) {
      const [at, down] = world.point(world.degrees(x, y))
      assert.ok(Math.hypot(at - x, down - y) < 1e-6 || scale === 0, `${scale}: ${at}, ${down}`)
    }
    assert.ok(world.point([-175, 40])[0] > 500)
  }
})

test('zooming holds the degrees under the pointer', () => {
  const world = map({ longitude: 10, latitude: 50, scale: 100 })
  const held = world.degrees(300, 100)
  world.hold(held, 300, 100, 800)
  const [x, y] = world.point(held)
  assert.ok(Math.hypot(x - 300, y - 100) < 1e-6)
  assert.equal(world.scale, 800)
  world.hold(held, 300, 100, 1e9)
  assert.equal(world.scale, world.most)
})

test('a box fits into the map', () => {
  const world = map({})
  world.fit({ west: 5, wide: 10, south: 47, north: 55 }, 20_000)
  for (const corner of [[5, 47], [15, 55]]) {
    const [x, y] = world.point(corner)
    assert.ok(x >= 0 && x <= 1000 && y >= 0 && y <= 500, `${x}, ${y}`)
  }
})

test('the shortest arc may cross the date line', () => {
  assert.deepEqual(projection.around([170, -170, 175]), { west: 170, wide: 20 })
  assert.deepEqual(projection.around([3]), { west: 3, wide: 0 })
  assert.equal(projection.around([]), undefined)
})

test('cells become coarser, and each level has all records', () => {
  const bits = new Uint8Array(16 * 8 / 8)
  for (const cell of [0, 1, 16, 127]) bits[cell >> 3] |= 0x80 >> (cell & 7)
  const levels = cells.levels({ columns: 16, rows: 8, cells: Buffer.from(bits).toString('base64') })
  assert.deepEqual(levels.map(({ columns, rows }) => [columns, rows.length]), [[16, 8], [8, 4], [4, 2], [2, 1]])
  assert.deepEqual(levels[1].rows[0], { columns: [0], shares: [0.75] })
  levels.forEach(({ rows }, turn) => {
    const sum = rows.flatMap(({ shares }) => shares).reduce((sum, share) => sum + share * 4 ** turn, 0)
    assert.equal(sum, 4)
  })
})

test('names take room', () => {
  const room = new boxes.Boxes()
  room.take([10, 10, 50, 30])
  assert.ok(!room.isFree([40, 25, 60, 40]))
  assert.ok(room.isFree([50, 10, 60, 30]))
  assert.ok(room.isFree([10, 30, 50, 40]))
  assert.equal(boxes.stem('Springfield, Illinois, US'), 'Springfield, Illinois')
  assert.equal(boxes.stem('x'.repeat(40)), `${'x'.repeat(31)}…`)
})

test('the outline of the land is rings on the earth', () => {
  const rings = land.rings()
  assert.ok(rings.length > 50)
  for (const [longitude, latitude] of rings.flat()) {
    assert.ok(Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90)
  }
  assert.equal(rings, land.rings())
})
