// What the page asks where there is no server: the index that lies beside it. The questions are those of shardq serve.
import { open, ShardqError } from './shardq.js'

const address = new URL(document.documentElement.dataset.index, document.baseURI)
let opened

/** Answers a question as the page's server does: { body, headers }. */
export async function ask(path, parameters, signal, exact) {
  // An index that could not be opened is tried again at the next question.
  const index = await (opened ??= open(address).catch(error => { opened = undefined; throw error }))
  const { q: text, limit, offset, display, sort } = parameters
  try {
    if (path === '/v1/search') {
      const parse = answer => JSON.parse(answer, exact)
      return { body: await index.search(text, { limit, offset, display, sort, count: true, signal, parse }), headers: new Headers() }
    }
    if (path === '/v1/dots') return { body: await index.dots({ signal }), headers: new Headers() }
  } catch (error) {
    // As the server says that there is no map, and which parameter is wrong.
    if (error.code === 'refused') Object.assign(error, path === '/v1/dots' ? { status: 404 } : { parameter: 'offset' })
    throw error
  }
  // Places in a box are found by reading all records.
  throw new ShardqError('refused', 'only a server finds the places in a box')
}
