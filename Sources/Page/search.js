import { texts } from './texts.js'
import { Failure, ask } from './server.js'
import { cost, place } from './rows.js'
import { asked } from './conditions.js'
import { pageSize } from './answer.js'

/** The beginning of a typed text that a server takes: 512 code points. */
const sendable = text => text.length > 512 ? [...text].slice(0, 512).join('') : text

/** The most rows that the list has of a ranked answer. Each further page would cost the server more. */
export const rankedLimit = 10_000

/**
 * Asks for matches: the best first if the index ranks its records, or by name with `sort` as 'key'. An empty query by
 * name asks for the whole order, whose rows are the positions that the map knows.
 *
 * A search by rank has the parameters `given`: those of the chosen conditions, if it has none.
 *
 * Resolves to { nearest, correction, interpretation, dropped, isRanked, isComplete, keys, count, isLeast, hasMore,
 * listed, generation, offset, rows, cost, isFirst, top, facets }, each row { label, name, match, record } and more.
 * `keys` is the number of keys that begin with the query. `count` is the number of matches, or the least number if
 * `isLeast`.
 * `hasMore` tells whether rows follow. `listed` is the number of rows of the list. If there is no match, `nearest` is
 * the longest beginning of the query with matches. If all matches correct typing errors, `correction` is the text of
 * the first. `interpretation` is the reading of the query that the answer comes from: { text, filter }. `dropped` are
 * the words that the answer leaves out, since nothing matches all words. With `typos` as 'min' the rows have the fewest
 * typing errors, and `isComplete` is false if rows with more errors may follow. `isFirst` tells that the answer has no
 * more than the first rows, and not all fields of their records. `top` are rows for the beginning of the page, which
 * have not all fields either; a server's answer has none.
 */
export async function search(query, offset, limit, signal, sort, typos, given = asked()) {
  const found = await searchAll(query, offset, limit, signal, sort, typos, given)
  if (found.failure) throw found.failure
  return found
}

/** Asks for a too large answer in halves. The row of a record that is too large by itself says so. */
async function inHalves(query, offset, limit, signal, sort, given, failure) {
  if (limit === 1) {
    return { failure, rows: [{ label: texts.tooLarge, match: [], record: {}, at: null, isTooLarge: true }] }
  }
  const half = Math.ceil(limit / 2)
  const first = await searchAll(query, offset, half, signal, sort, undefined, given)
  if (first.rows.length < half) return first
  const second = await searchAll(query, offset + half, limit - half, signal, sort, undefined, given)
  return { ...(second.failure ? first : second), offset, rows: [...first.rows, ...second.rows] }
}

/** Does as `search` does; if all records are too large, the answer is { failure, rows }. */
async function searchAll(query, offset, limit, signal, sort, typos, given) {
  // Without a sequence number the same question has the same address, and the browser's cache has the answer.
  const parameters = { q: sendable(query), limit, offset, display: true, ...(sort ? {} : given) }
  if (sort) parameters.sort = sort
  if (typos) parameters.typos = typos
  let answered
  try {
    answered = await ask('v1/search', parameters, signal)
  } catch (failure) {
    if (failure.parameter === 'limit') return inHalves(query, offset, limit, signal, sort, given, failure)
    // The index was built anew without this filter, order or place.
    const isOther = ['filter', 'facets', 'sort', 'near', 'radius'].includes(failure.parameter)
    if (isOther) throw new Failure(texts.changed, false)
    // A link may have a row behind the last row of a ranked answer.
    if (failure.parameter !== 'offset' || offset <= rankedLimit) throw failure
    return searchAll(query, 0, limit, signal, sort, undefined, given)
  }
  const { body, headers } = answered
  const { keys, total: count, generation, matches, display, nearest, correction, interpretation, dropped = [] } = body
  const isWhole = Array.isArray(matches) && Array.isArray(display) && matches.length === display.length
  if (!isWhole || !Number.isSafeInteger(count)) throw new Failure(texts.unreadable, true)
  const rowsOf = (matches, display) => display.map((shown, i) => place({ ...shown, record: matches[i] }))
  const rows = rowsOf(matches, display), top = body.top ? rowsOf(body.top.matches, body.top.display) : []
  const isRanked = body.sort !== undefined && body.sort !== 'key'
  const isLeast = !body.totalIsExact
  const isComplete = body.complete !== false
  const found = rows.length > 0 ? offset + rows.length : 0
  const hasMore = body.more ?? (isRanked ? body.cursor !== undefined : found < count)
  // If the number of rows is unknown, as behind the matches without typing errors, the list ends with a page that may
  // be empty.
  const next = !isComplete ? found : hasMore && found >= count ? found + pageSize : Math.max(found, count)
  const listed = isRanked ? Math.min(next, rankedLimit) : next
  return {
    nearest, correction, interpretation, dropped, isRanked, isComplete, keys, count, isLeast, hasMore, listed,
    generation, offset, rows, cost: cost(headers), isFirst: body.isFirst === true, top, facets: body.facets,
  }
}
