import { readFilters } from './conditions.js'

// MARK: Links

/**
 * The state behind the #: `q`, the typed text; `filter`, a field and a value, for each filter; `order`; `row` or
 * `position`, `key` and `is` (a digest), the chosen record; `map`, zoom/latitude/longitude; `view`, `grid` for cards.
 * Browsers do not send the state to the server. A link outlives a rebuild: if the row has another record by then, the
 * page looks for the key.
 */
export function linkText(query, match, view, { filters = [], order = '' } = {}, isGrid) {
  const parameters = new URLSearchParams()
  if (query) parameters.set('q', query)
  for (const pair of filters) parameters.append('filter', pair.join('='))
  if (order) parameters.set('order', order)
  if (match) {
    if (match.position !== undefined) parameters.set('position', match.position)
    else if (match.row !== undefined && match.query === query) parameters.set('row', match.row)
    parameters.set('key', match.label)
    if (match.digest) parameters.set('is', match.digest)
  }
  if (view) parameters.set('map', view)
  if (isGrid) parameters.set('view', 'grid')
  const text = parameters.toString().replaceAll('%2C', ',').replaceAll('%2F', '/')
  return text && `#${text}`
}

/** The state that a link has; `view` is the place of the map in numbers, or undefined. */
export function readLink(text) {
  const said = new URLSearchParams(text.slice(1))
  const [row, position] = ['row', 'position'].map(name =>
    /^\d{1,15}$/.test(said.get(name) ?? '') ? Number(said.get(name)) : undefined)
  const view = (said.get('map') ?? '').split('/').map(Number)
  const isView = view.length === 3 && view.every(Number.isFinite)
  return {
    query: said.get('q') ?? '', filters: readFilters(said.getAll('filter')), order: said.get('order') ?? '',
    key: said.get('key'), is: said.get('is'), row, position,
    view: isView ? view : undefined, map: isView ? said.get('map') : undefined, isGrid: said.get('view') === 'grid',
  }
}
