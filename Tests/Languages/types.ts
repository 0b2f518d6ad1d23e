// Uses all of the package's types; the compiler refuses each line behind a mark, and no other.
import { open, ShardqError } from 'shardq'
import { searchClient } from 'shardq/instantsearch'
import type { Answer, Facet, Index, OpenOptions, SearchOptions, Storage } from 'shardq'

interface City { name: string, population?: number }

const storage: Required<Storage> = {
  isArchive: true,
  address: 'memory',
  async get(name: string, from: number, to: number, { signal, size, fresh }) {
    signal?.throwIfAborted()
    return name === '' && !fresh ? { bytes: new Uint8Array(to - from), size: size ?? 0 } : null
  },
}
const openOptions: Required<OpenOptions> = { cacheBytes: 1 << 20, module: new WebAssembly.Module(new Uint8Array()) }
// Required: an option that is left out here is an error.
const searchOptions: Required<SearchOptions> = {
  limit: 10, offset: 0, sort: 'rank', group: 'key', typos: 'min', words: 'all', filters: ['country=FR'], facets: ['country'], facetLimit: 3, near: { latitude: 48.5, longitude: 2.25, radius: 25 },
  after: '', total: 'exact', display: true, hits: true, signal: new AbortController().signal, parse: text => JSON.parse(text),
}

export async function used(): Promise<string[]> {
  const index: Index = await open(storage, openOptions)
  await open('cities', { module: 'shardq.wasm' })
  await open(new URL('https://host/cities/'), { module: new URL('https://host/shardq.wasm') })
  await index.prefetch(['san'], { ...searchOptions, bytes: 1 << 16 })
  const { schema, field, values, exact }: Facet & { schema: 1 } = await index.facets('country', { startingWith: 'f', limit: 1 })
  await index.facets(`${field} ${schema} ${exact}`, { signal: searchOptions.signal }).then(({ more }) => more && values[0]?.count)
  const { columns, rows, cells } = await index.dots({ signal: searchOptions.signal })
  try {
    const answer = await index.search<City>('san', searchOptions)
    const shown: string[] = answer.matches.map(({ name, population = 0 }) => `${name} ${population.toFixed()}`)
    return [...shown, ...said(answer), (columns * rows).toFixed(), cells, (await index.search('san')).matches[0]?.anything]
  } catch (error) {
    if (!(error instanceof ShardqError)) throw error
    const code: 'missing' | 'damaged' | 'refused' | 'superseded' | 'unreachable' = error.code
    return [code, error.message]
  }
}

function said(answer: Answer): string[] {
  const { query, count, more, offset, limit, generation, sort, total, totalIsExact, keys, correction, nearest, cursor, matches,
    display, hits, others, othersAreExact, complete, facets }:
    Required<Answer> = { ...empty, ...answer }
  const numbers: number[] = [facets.length, count, offset, limit, total, keys, matches.length, display.length, hits.length, ...others]
  const texts: string[] = [query, generation, sort, correction, nearest, cursor]
  return more && totalIsExact && othersAreExact && complete ? texts : numbers.map(number => number.toFixed())
}

const empty: Required<Answer> = {
  schema: 1, query: '', count: 0, more: false, offset: 0, limit: 10, generation: '', sort: 'rank', total: 0, totalIsExact: true,
  keys: 0, correction: '', interpretation: { text: '', filter: { country: 'FR' } }, dropped: [], nearest: '', cursor: '', matches: [],
  display: [], hits: [], others: [], othersAreExact: true, complete: true, facets: [],
}

export async function searched(index: Index): Promise<number[]> {
  const client = searchClient({ cities: index, towns: open('towns'), shops: 'https://shop.example/' }, { objectID: 'sku' })
  const { results } = await client.search([{ indexName: 'cities/sort/population:desc', params: { query: 'san', facets: ['country'] } }])
  const [values] = await client.searchForFacetValues([{ indexName: 'shops', params: { facetName: 'brand', facetQuery: 'a' } }])
  return [results[0].nbHits, values.facetHits.length]
}

export async function refused(index: Index, answer: Answer<City>) {
  // refused:
  searchClient({ cities: 5 })
  // refused:
  searchClient({ cities: index }, { id: 'sku' })
  // refused:
  await open()
  // refused:
  await open({ isArchive: true })
  // refused:
  await open('cities', { cacheSize: 1 })
  // refused:
  index.search('san', { limits: 10 })
  // refused:
  index.search('san', { sort: 5 })
  // refused:
  index.search('san', { near: { latitude: 48.5 } })
  // refused:
  index.search('san').matches
  // refused:
  answer.cursor.length
  // refused:
  answer.matches[0].population.toFixed()
  // refused:
  answer.matches[0].country
  // refused:
  index.prefetch('san')
}
