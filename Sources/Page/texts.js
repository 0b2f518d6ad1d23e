import { element } from './elements.js'

// MARK: Options and texts

/** The texts in English. Options give the texts of other languages: Sources/Programs/QueryOutput/PageTexts.swift. */
const english = {
  placeholder: 'Type to search',
  hint: 'Results update as you type.',
  browse: 'Browse all',
  showList: 'Show the list',
  rule: 'Matches the beginning of a name; case and accents are ignored.',
  ruleWords: 'Matches the beginning of any word; case and accents are ignored.',
  ruleTypos: 'Typing errors are corrected.',
  keyMove: 'moves through the list',
  keyPages: 'moves through the list by screens',
  keyChoose: 'shows the record',
  keyEscape: 'closes the list, then clears the field',
  keyMap: 'goes to the map; arrows move the map, + and − zoom',
  'records.one': '{count} record',
  'records.other': '{count} records',
  'matches.one': '{count} match',
  'matches.other': '{count} matches',
  matchesAtLeast: '{count}+ matches',
  matchesFor: '{matches} for {query}',
  best: 'The list has the best {count} matches; type more letters to find others.',
  empty: 'This list has no records.',
  noneBegins: 'Nothing begins with {query}.',
  noneMatches: 'Nothing matches {query}.',
  instead: 'Search {query}',
  filters: 'Filters',
  order: 'Order',
  relevance: 'Relevance',
  nearMe: 'Near me',
  nearDenied: 'The browser does not tell this page where you are. Allow it in the browser’s settings, then press the button again.',
  nearUnknown: 'The browser does not know where you are.',
  distance: 'Distance',
  anyDistance: 'any distance',
  upTo: 'up to {distance}',
  clearAll: 'Clear all',
  remove: 'Remove {name}',
  noneFiltered: 'Nothing matches all of this.',
  showWithout: 'Show without {name}',
  notHere: '{name} (not in this list)',
  moreValues: 'More',
  narrow: 'Beginning of a value',
  wholeList: 'In the whole list:',
  noValues: 'No value begins like this.',
  countsLeast: 'There may be more than these numbers.',
  from: 'from',
  to: 'to',
  wrongRange: 'Write a number such as {number} or a date such as 2025-01-31, the smaller one first.',
  changed: 'This list has changed. Load the page again.',
  corrected: 'Nothing matches {query}; showing results for {other}:',
  without: 'Nothing matches {query}; showing results without {words}:',
  correctedWithout: 'Nothing matches {query}; showing results for {other} without {words}:',
  filtered: '{text} with {values}',
  recent: 'Last chosen',
  forget: 'Forget these',
  top: 'At the top of the list',
  asCards: 'Show as cards',
  asRows: 'Show as a list',
  chosen: '{name}, chosen',
  loading: 'Loading',
  quote: '“{text}”',
  compass: 'NSEW',
  clear: 'Clear the field',
  close: 'Close the record',
  list: 'Matches',
  map: 'Map. Arrow keys move the map, plus and minus zoom, 0 shows everything.',
  zoom: 'Zoom',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  showAll: 'Show everything',
  showMatches: 'Show the matches',
  tooLarge: 'This record is too large to show here.',
  places: 'Looking for places…',
  openMap: 'Open in a map application',
  showOnMap: 'Show on the map',
  'more.one': 'and {count} more field',
  'more.other': 'and {count} more fields',
  cut: '{count} characters in all',
  retry: 'Retry',
  slow: 'The server has not answered for 10 seconds.',
  offline: 'There is no network. The page tries again when the network is back.',
  unreachable: 'The server cannot be reached.',
  failed: 'The server reports error {status}.',
  says: 'The server says: {text}',
  fromDisk: 'The browser lets no page from a disk read an index. In a terminal, type python3 -m http.server in the folder of this page, and open localhost:8000.',
  unreadable: 'The server’s answer cannot be read.',
  gone: '{name} is no longer in this list.',
}

/** The options of `shardq serve` and `shardq page`: Sources/Programs/QueryOutput/PageOptions.swift. */
export const options = JSON.parse(document.documentElement.dataset.page ?? '{}')
export const texts = { ...english, ...options.texts }
export const facts = { words: false, typos: false, places: true, ...options.index }
export const heading = options.title ?? 'shardq'
export const language = (() => {
  try { return new Intl.NumberFormat(document.documentElement.lang).resolvedOptions().locale } catch { return 'en' }
})()
export const number = new Intl.NumberFormat(language)
const plurals = new Intl.PluralRules(language)

/** The pieces of a text; `{name}` stands for a value, which is a text or an element. */
const pieces = (name, values = {}) =>
  texts[name].split(/\{(\w+)\}/).map((piece, i) => i % 2 ? values[piece] ?? '' : piece)
export const say = (name, values) => pieces(name, values).join('')
export const saying = (name, values) => element('span', {}, ...pieces(name, values))
export const plural = (name, count) =>
  say(texts[`${name}.${plurals.select(count)}`] === undefined ? `${name}.other` : `${name}.${plurals.select(count)}`,
    { count: number.format(count) })
export const inQuotes = text => say('quote', { text })
export const quoted = text => element('bdi', { dir: 'auto' }, inQuotes(text))

/** The saying of an answer to another text than `query`: a correction, a reading, fewer words. Else none. */
export function changes(query, { interpretation, correction, dropped }) {
  const searched = correction ?? interpretation?.text
  if (searched === undefined && !dropped.length) return []
  const name = !dropped.length ? 'corrected' : searched === undefined ? 'without' : 'correctedWithout'
  const text = quoted(searched ?? '')
  const values = Object.values(interpretation?.filter ?? {}).join(', ')
  const other = values ? saying('filtered', { text, values: element('bdi', { dir: 'auto' }, values) }) : text
  return [saying(name, { query: quoted(query), other, words: quoted(dropped.join(' ')) })]
}

export function bytes(count) {
  const [unit, name] = count < 1e3 ? [1, 'B'] : count < 1e6 ? [1e3, 'KB'] : [1e6, 'MB']
  return `${number.format(Number((count / unit).toPrecision(3)))} ${name}`
}
