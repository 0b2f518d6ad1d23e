import { index } from './server.js'
import { search } from './search.js'
import { notice, showCost } from './notice.js'
import { answer, list, loading, newest, pageLimit, pageSize, shown, showState, type } from './answer.js'
import { activate } from './choice.js'
import { showCard } from './card.js'
import { map } from './map.js'

let pageTimer = 0

/** Loads the pages in view once the view rests. The page does not ask for rows that fly by. */
export function needPages(first, last) {
  if (answer.query === null) return
  const isMissing = () => {
    const missing = []
    // The first page may have its first rows alone.
    const isThere = page => answer.pages.has(page) && (page > 0 || answer.isComplete || shown !== newest)
    for (let page = Math.floor(first / pageSize); page * pageSize < last; page++) {
      if (!isThere(page) && !loading.has(page)) missing.push(page)
    }
    return missing
  }
  for (const [page, controller] of loading) {
    if ((page + 1) * pageSize <= first || page * pageSize >= last) { controller.abort(); loading.delete(page) }
  }
  clearTimeout(pageTimer)
  if (isMissing().length) pageTimer = setTimeout(() => isMissing().forEach(loadPage), 60)
}

async function loadPage(page) {
  const controller = new AbortController()
  loading.set(page, controller)
  try {
    const { query, given } = answer
    const found = await search(query, page * pageSize, pageSize, controller.signal, undefined, undefined, given)
    if (loading.get(page) !== controller) return
    loading.delete(page)
    notice.hide('page')
    // The index was rebuilt: pages of two generations do not fit together.
    if (found.generation !== answer.generation || (!index && found.keys !== answer.keys)) {
      return type(query, list.first)
    }
    answer.pages.set(page, found.rows)
    if (page === 0) answer.isComplete = true
    while (answer.pages.size > pageLimit) {
      const farther = (far, at) => Math.abs(at - page) > Math.abs(far - page) ? at : far
      answer.pages.delete([...answer.pages.keys()].reduce(farther))
    }
    showCost(found.cost)
    const counts = answer.isLeast && (!found.isLeast || found.count > answer.count)
    if (counts) Object.assign(answer, { count: found.count, isLeast: found.isLeast })
    // An empty page is behind the last row.
    const listed = found.hasMore || found.rows.length > 0 ? found.listed : found.offset
    if (found.hasMore ? listed > answer.listed : listed !== answer.listed) {
      answer.listed = listed
      list.count = listed
      list.resize()
      if (answer.active >= listed) activate(listed - 1)
      showState()
    } else if (counts) showState()
    list.draw(true)
    showCard()
    map.draw()
  } catch (failure) {
    if (loading.get(page) !== controller) return
    loading.delete(page)
    notice.show(failure, () => list.draw(), 'page')
  }
}
