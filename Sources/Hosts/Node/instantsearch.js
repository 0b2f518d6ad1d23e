// A search client of Algolia's interface, for the components of InstantSearch and Autocomplete: docs/instantsearch.md.
import { ShardqError } from './shardq.js'

const refused = message => { throw new ShardqError('refused', message) }

/**
 * Makes a search client.
 *
 * @param indexes The index of each name that requests have: an opened index, a promise of one, or the address of a server.
 * @param options.objectID The field that tells records apart; the default is objectID.
 */
export function searchClient(indexes, { objectID = 'objectID', ...others } = {}) {
  if (Object.keys(others).length > 0) refused(`a search client has no option ${Object.keys(others)[0]}; its option is objectID`)
  const sources = new Map(Object.entries(indexes).map(([name, index]) => [name, typeof index === 'string' ? server(index) : index]))
  // A search says why an index cannot be opened.
  for (const index of sources.values()) if (index instanceof Promise) index.catch(() => {})
  const answered = async request => {
    if (typeof request.params === 'string') refused('params must be an object, and not a text')
    const { indexName, type, facet, params, ...rest } = request, given = { ...rest, ...params }
    // Another order than the index's own: products/sort/price:asc.
    const [, name, order] = /^(.*?)(?:\/sort\/(.*))?$/s.exec(String(indexName))
    const source = await (sources.get(name) ?? refused(`there is no index ${name}; the search client has ${[...sources.keys()].join(', ')}`))
    const started = performance.now()
    const answer = type === 'facet' ? await values(source, { facetName: facet, ...given }) : await hits(source, given, order, objectID)
    return { ...answer, index: indexName, processingTimeMS: Math.round(performance.now() - started) }
  }
  return {
    search: async requests => ({ results: await Promise.all((Array.isArray(requests) ? requests : requests.requests).map(answered)) }),
    searchForFacetValues: requests => Promise.all(requests.map(request => answered({ ...request, type: 'facet' }))),
  }
}

/** A server, with the functions of an opened index that the client uses. */
function server(address) {
  const base = new URL(address, globalThis.location?.href)
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  const ask = async (route, parameters) => {
    const url = new URL(route, base), what = `${base.origin}${base.pathname}`
    for (const [name, value] of parameters) if (value !== undefined) url.searchParams.append(name, value)
    const unreachable = error => { throw new ShardqError('unreachable', `${what} cannot be reached: ${error.message}`) }
    const response = await fetch(url).catch(unreachable), answer = await response.json().catch(unreachable)
    if (!response.ok) throw new ShardqError(response.status === 400 ? 'refused' : 'unreachable', `${what}: ${answer.detail ?? answer.title}`)
    return answer
  }
  return {
    search: (q, { limit, offset, sort, typos, filters, facets, facetLimit, near, total, display }) => ask('v1/search', [
      ['q', q], ['limit', limit], ['offset', offset], ['sort', sort], ['total', total], ['display', display],
      ['typos', typos === false ? 'none' : typos], ...filters.map(filter => ['filter', filter]),
      ...(facets.length > 0 ? [['facets', facets.map(field => field.replaceAll(/[\\,]/g, '\\$&')).join()], ['facet-limit', facetLimit]] : []),
      ['near', near && `${near.latitude},${near.longitude}`], ['radius', near?.radius],
    ]),
    facets: (field, { startingWith, limit }) => ask('v1/facets', [['field', field], ['starting-with', startingWith], ['limit', limit]]),
  }
}

// The parameters. Those of accounts and statistics change no answer. Others that would change it are refused.

const followed = [
  'query', 'hitsPerPage', 'page', 'facets', 'facetFilters', 'numericFilters', 'filters', 'maxValuesPerFacet', 'highlightPreTag',
  'highlightPostTag', 'attributesToRetrieve', 'attributesToHighlight', 'aroundLatLng', 'aroundRadius', 'typoTolerance',
  'facetName', 'facetQuery', 'maxFacetHits',
]
const withoutEffect = [
  'analytics', 'analyticsTags', 'clickAnalytics', 'enableABTest', 'enablePersonalization', 'percentileComputation', 'userToken',
]
const isEmpty = value => [undefined, null, false, ''].includes(value) || Array.isArray(value) && value.length === 0

function whole(name, value, most = Infinity) {
  const range = most === Infinity ? 'from 0 on' : `from 0 to ${most}`
  return Number.isInteger(value) && value >= 0 && value <= most ? value : refused(`${name} must be a whole number ${range}, and not ${value}`)
}

/** The question of a request: the options of a search, and its conditions by field. */
function question(given) {
  for (const [name, value] of Object.entries(given)) {
    if (!followed.includes(name) && !withoutEffect.includes(name) && !isEmpty(value)) refused(`there is no parameter ${name} here; leave it out`)
  }
  const { query, typoTolerance = 'min', aroundLatLng, aroundRadius = 'all' } = given
  if (!['min', false, 'false'].includes(typoTolerance)) refused(`typoTolerance is 'min' or false here, and not ${typoTolerance}`)
  const near = isEmpty(aroundLatLng) ? undefined : place(aroundLatLng)
  if (near && aroundRadius !== 'all') near.radius = aroundRadius / 1000
  const conditions = conditionsOf([
    ...groups('facetFilters', given.facetFilters).map(group => group.map(facetCondition)),
    ...groups('numericFilters', given.numericFilters).map(group => group.map(numericCondition)),
    ...expression(given.filters ?? ''),
  ])
  const filters = [...conditions].flatMap(([field, condition]) => textsOf(condition).map(text => `${field}=${text}`))
  // With `min` the total is the number of the hits: an answer does not count corrections behind other matches.
  const typos = typoTolerance === 'min' ? 'min' : false
  return { text: query ?? '', conditions, options: { filters, near, typos, facets: [], total: 'exact' } }
}

function place(text) {
  const [latitude, longitude, other] = String(text).split(',').map(Number)
  if (!Number.isFinite(latitude) || !Number.isFinite(longitude) || other !== undefined) {
    refused(`aroundLatLng must be a latitude, a comma and a longitude, and not ${text}`)
  }
  return { latitude, longitude }
}

// The conditions. A record must pass all groups, and of a group one.

function groups(name, given) {
  if (isEmpty(given)) return []
  const list = Array.isArray(given) ? given : given.includes(',') ? refused(`${name} must be an array; a text has one condition`) : [given]
  return list.map(group => Array.isArray(group) ? group : [group])
}

function facetCondition(text) {
  const [, field, sign, value] = /^(.+?):(-|\\(?=-))?(.*)$/s.exec(text) ?? refused(`${text} is no condition; write field:value`)
  return sign === '-' ? refused(`${text}: there are no conditions that leave records out`) : { field, value }
}

const decimal = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`
const comparison = new RegExp(`^(.+?)\\s*(<=|>=|!=|<|>|=)\\s*(${decimal})$`)
const between = new RegExp(`^(.+?)\\s*:\\s*(${decimal})\\s+TO\\s+(${decimal})$`)

function numericCondition(text) {
  const range = between.exec(text), compared = comparison.exec(text)
  if (range) return { field: range[1], ranges: [[Number(range[2]), Number(range[3])]] }
  if (!compared) refused(`${text} is no condition of a number; write price>=10 or price:10 TO 20`)
  const [, field, sign] = compared, number = Number(compared[3])
  const below = [-Infinity, sign === '<=' ? number : beside(number, -1)], above = [sign === '>=' ? number : beside(number, 1), Infinity]
  const ranges = { '=': [[number, number]], '!=': [below, above] }[sign] ?? [sign[0] === '<' ? below : above]
  return { field, ranges }
}

/** The next number above or below a number. The index takes smaller ones than 1e-31 for 0. */
function beside(number, step) {
  if (number === 0) return step * 1e-31
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, number)
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(number > 0 ? step : -step))
  return view.getFloat64(0)
}

/** The groups of a text of `filters`: conditions with AND, and in parentheses, or alone, with OR. */
function expression(text) {
  const example = 'brand:Alma AND (price < 10 OR price > 50)'
  const flaw = reason => refused(`filters: ${reason}; write conditions with AND, and with OR in parentheses, such as ${example}`)
  const quoted = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gs, texts = []
  // A quoted text becomes a number in the place of it, so that the words and signs in it have no meaning.
  const held = text.replace(quoted, found => `\0${texts.push(found.slice(1, -1).replaceAll(/\\(.)/gs, '$1')) - 1}\0`)
  const shown = part => part.replaceAll(/\0(\d+)\0/g, (_, number) => texts[number])
  const condition = part => {
    const trimmed = part.trim()
    if (/^NOT\b/.test(trimmed)) flaw('there are no conditions that leave records out')
    if (/[()]/.test(trimmed) || /\bNOT\b/.test(trimmed)) flaw(`${shown(trimmed)} is no condition`)
    if (comparison.test(trimmed) || between.test(trimmed)) {
      const { field, ranges } = numericCondition(trimmed)
      return { field: shown(field), ranges }
    }
    const [, field, value] = /^(.+?)\s*:\s*(.+)$/s.exec(trimmed) ?? flaw(`${shown(trimmed) || 'an empty text'} is no condition`)
    return { field: shown(field), value: shown(value) }
  }
  if (text.trim() === '') return []
  const parts = held.split(/\bAND\b/)
  return parts.map(part => {
    const inner = /^\s*\((.*)\)\s*$/s.exec(part)
    if (!inner && parts.length > 1 && /\bOR\b/.test(part)) flaw('AND and OR stand side by side')
    return (inner?.[1] ?? part).split(/\bOR\b/).map(condition)
  })
}

/** The conditions by field: { ranges } or { values }. A search takes several filters by a field as alternatives. */
function conditionsOf(groups) {
  const found = new Map()
  for (const group of groups) {
    const [{ field, ranges }] = group
    if (!group.every(other => other.field === field && !other.ranges === !ranges)) {
      const fields = group.map(({ field }) => field).join(' OR ')
      refused(`${fields}: the alternatives of a condition must be of one field, and all values or all numbers`)
    }
    const next = ranges
      ? { ranges: group.flatMap(({ ranges }) => ranges) } : { values: [...new Set(group.map(({ value }) => value))].sort() }
    const last = found.get(field) ?? next
    if (ranges && last.ranges) found.set(field, { ranges: common(last.ranges, next.ranges) })
    else if (last.values && last.values.join('\0') === next.values?.join('\0')) found.set(field, next)
    else refused(`${field}: a record cannot have to pass two conditions by one field; join them with OR`)
  }
  return found
}

/** The ranges that are in two lists of ranges. */
function common(list, others) {
  const all = list.flatMap(([from, to]) => others.map(([low, high]) => [Math.max(from, low), Math.min(to, high)]))
  // Equal lists have each range once.
  return list === others ? list : all.filter(([low, high]) => low <= high)
}

/** The texts of the filters by a field; none if no record can pass. */
function textsOf({ ranges, values }) {
  const end = number => Number.isFinite(number) ? String(number) : ''
  return values ?? ranges.map(([from, to]) => from === to ? end(from) : `${end(from)}..${end(to)}`)
}

// The answers.

async function hits(source, given, order, objectID) {
  const { text, conditions, options } = question(given)
  const page = whole('page', given.page ?? 0), hitsPerPage = whole('hitsPerPage', given.hitsPerPage ?? 20, 1000)
  const fields = typeof given.facets === 'string' ? given.facets.split(',').filter(field => field !== '') : given.facets ?? []
  if (fields.includes('*')) refused('facets must name the fields; * is not known here')
  Object.assign(options, { limit: Math.max(1, hitsPerPage), offset: page * hitsPerPage, display: true, facets: fields, facetLimit: 100 })
  if (order !== undefined) {
    const [, field, direction] = /^([^,]+):(asc|desc)$/.exec(order) ?? refused(`${order} is no order; write price:asc or price:desc`)
    options.sort = direction === 'asc' ? field : `-${field}`
  }
  const answer = await asked(source, text, conditions, options)
  const count = whole('maxValuesPerFacet', given.maxValuesPerFacet ?? 100)
  const counted = await Promise.all((answer.facets ?? []).map(facet => facetCounts(source, text, conditions, options, facet, count)))
  const byField = name => Object.fromEntries(counted.filter(facet => facet[name]).map(facet => [facet.field, facet[name]]))
  const exhaustive = {
    nbHits: answer.totalIsExact, typo: answer.complete !== false,
    facetsCount: counted.every(({ exact }) => exact), facetValues: counted.every(({ more }) => !more),
  }
  return {
    hits: hitsPerPage === 0 ? [] : answer.matches.map((record, at) => hit(record, answer.display[at], text, given, objectID)),
    nbHits: answer.total, page, hitsPerPage, query: text,
    // Beyond 10,000 records a ranked answer has no page.
    nbPages: hitsPerPage === 0 ? 0 : Math.min(Math.ceil(answer.total / hitsPerPage), Math.floor(10_000 / hitsPerPage) + 1),
    ...(fields.length > 0 ? { facets: byField('counts'), facets_stats: byField('stats') } : {}),
    exhaustive, exhaustiveFacetsCount: exhaustive.facetsCount, exhaustiveNbHits: exhaustive.nbHits, exhaustiveTypo: exhaustive.typo,
    params: new URLSearchParams(Object.entries(given).filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : value])).toString(),
  }
}

/** The fields of numbers that sources have, each by the promise of an answer in its order. */
const ordered = new WeakMap()

/** The answer of a search; an empty one if no record can pass the conditions. */
async function asked(source, text, conditions, options) {
  // To a filter of a field without numbers, a range would be a value, which no record has. An order by the field is refused.
  const known = ordered.get(source) ?? new Map()
  ordered.set(source, known)
  for (const [field, { ranges }] of conditions) {
    if (!ranges?.some(([from, to]) => from !== to)) continue
    const question = { filters: [], facets: [], limit: 1, sort: field }
    const inOrder = () => source.search('', question).catch(error => { known.delete(field); throw error })
    await (known.get(field) ?? known.set(field, inOrder()).get(field))
  }
  const isNothing = [...conditions.values()].some(condition => textsOf(condition).length === 0)
  const facets = options.facets.map(field => ({ field, values: [], exact: true, more: false }))
  return isNothing ? { matches: [], display: [], total: 0, totalIsExact: true, facets } : source.search(text, options)
}

/**
 * The counts of a facet. The index counts a field as if the question had no condition by it, and an answer of Algolia's
 * interface counts the matches: then the facet has the asked values alone, and of numbers nothing.
 */
async function facetCounts(source, text, conditions, options, { field, values, least, greatest, exact, more }, count) {
  const condition = conditions.get(field)
  if (condition?.ranges || condition && least !== undefined) return { field, exact, more: true }
  if (condition) {
    const shown = new Map(values.map(({ value, count }) => [folded(value), [value, count]]))
    const others = options.filters.filter(filter => !filter.startsWith(`${field}=`))
    const alone = value => ({ ...options, limit: 1, offset: 0, facets: [], filters: [...others, `${field}=${value}`] })
    const found = await Promise.all(condition.values.map(async value =>
      shown.get(folded(value)) ?? [value, (await source.search(text, alone(value))).total]))
    return { field, counts: Object.fromEntries(found.filter(([, count]) => count > 0)), exact, more: true }
  }
  const [min, max] = [least, greatest].map(text => new RegExp(`^${decimal}$`).test(text) ? Number(text) : undefined)
  return {
    field, exact, more: more || values.length > count, stats: min !== undefined && max !== undefined ? { min, max } : undefined,
    counts: Object.fromEntries(values.slice(0, count).map(({ value, count }) => [value, count])),
  }
}

/** The values of a facet that begin with a text. */
async function values(source, given) {
  const { facetName: field, facetQuery = '', maxFacetHits = 10 } = given, { text, conditions, options } = question(given)
  if (typeof field !== 'string') refused('a request for the values of a facet must name it as facetName')
  const begun = await source.facets(field, { startingWith: facetQuery, limit: 100 })
  if (begun.least !== undefined) refused(`${field} is a field of numbers, whose values cannot be searched`)
  let { values, exact, more } = begun
  if (text !== '' || conditions.size > 0 || options.near) {
    const { facets: [facet] } = await asked(source, text, conditions, { ...options, limit: 1, offset: 0, facets: [field], facetLimit: 100 })
    const names = new Set(values.map(({ value }) => folded(value)))
    values = facet.values.filter(({ value }) => names.has(folded(value)))
    exact = facet.exact && !more && !facet.more
  }
  const { highlightPreTag: open = '<em>', highlightPostTag: close = '</em>' } = given, length = facetQuery.trim().length
  return {
    facetHits: values.slice(0, whole('maxFacetHits', maxFacetHits)).map(({ value, count }) => {
      const isBegun = length > 0 && folded(value.slice(0, length)) === folded(facetQuery.trim())
      return { value, count, highlighted: marked(value, isBegun ? [[0, length]] : [], open, close) }
    }),
    exhaustiveFacetsCount: exact,
  }
}

// The hits.

const folded = text => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
const isObject = value => typeof value === 'object' && value !== null
const mapped = (object, change) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))

/** The fields that a list of attributes names; of a path the whole outermost field. */
function picked(record, paths = ['*']) {
  if (paths.includes('*')) return record
  return Object.fromEntries(Object.entries(record).filter(([name]) => paths.some(path => path === name || path.startsWith(`${name}.`))))
}

function hit(record, display, text, given, objectID) {
  const id = record[objectID] ?? refused(`a record has no field ${objectID}; name the field that tells records apart: { objectID: 'sku' }`)
  const { highlightPreTag: open = '<em>', highlightPostTag: close = '</em>' } = given
  return {
    ...picked(record, given.attributesToRetrieve),
    objectID: String(id),
    ...(display.latitude === undefined ? {} : { _geoloc: { lat: display.latitude, lng: display.longitude } }),
    _highlightResult: picked(highlighted(record, display, text, open, close), given.attributesToHighlight),
  }
}

/** The texts of a record with marks. The engine marks the key or another name, which has the texts of fields in it. */
function highlighted(record, { label, name, match }, query, open, close) {
  const leaves = [], leaf = value => leaves[leaves.push({ text: String(value ?? '') }) - 1]
  const shape = value => Array.isArray(value) ? value.map(shape) : isObject(value) ? mapped(value, shape) : leaf(value)
  const result = mapped(record, shape), taken = [], words = query.split(/\s+/).filter(word => word !== '')
  // Long texts have the first choice, so that a short one does not take a place inside them.
  for (const leaf of [...leaves].sort((a, b) => b.text.length - a.text.length)) {
    const ranges = name === undefined ? rangesIn(label, leaf.text, match, taken) : leaf.text === name ? match : []
    const marks = ranges.map(([start, end]) => folded(leaf.text.slice(start, end))).join(' ')
    leaf.value = marked(leaf.text, ranges, open, close)
    leaf.matchLevel = ranges.length === 0 ? 'none' : ranges.length === match.length ? 'full' : 'partial'
    leaf.matchedWords = leaf.matchLevel === 'full' ? words : words.filter(word => marks.includes(folded(word)))
    delete leaf.text
  }
  return result
}

/** The ranges in a text that is a part of the key, between characters that are neither letters nor digits. */
function rangesIn(label, text, match, taken) {
  const isInWord = at => /[\p{L}\p{N}\p{M}]/u.test(label[at - 1] ?? '') && /[\p{L}\p{N}\p{M}]/u.test(label[at] ?? '')
  for (let start = text === '' ? -1 : label.indexOf(text); start >= 0; start = label.indexOf(text, start + 1)) {
    const end = start + text.length
    if (isInWord(start) || isInWord(end) || taken.some(([from, to]) => from < end && start < to)) continue
    taken.push([start, end])
    return match.map(([from, to]) => [Math.max(from, start) - start, Math.min(to, end) - start]).filter(([from, to]) => from < to)
  }
  return []
}

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A text with marks. Between tags of markup it is escaped. The components have marks of their own, and escape texts themselves. */
function marked(text, ranges, open, close) {
  const shown = open.includes('<') ? part => part.replaceAll(/[&<>"']/g, sign => entities[sign]) : part => part
  let at = 0, result = ''
  for (const [start, end] of ranges) {
    result += shown(text.slice(at, start)) + open + shown(text.slice(start, end)) + close
    at = end
  }
  return result + shown(text.slice(at))
}
