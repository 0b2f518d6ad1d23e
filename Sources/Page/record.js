import { element } from './elements.js'
import { language, number, options, say } from './texts.js'
import { coordinates } from './degrees.js'

/** The hash FNV-1a of a record, in hexadecimal. A link has it to tell records with the same label apart. */
export function digest(record) {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(JSON.stringify(record))) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(16)
}

/** The children of an element for a text with marked `ranges`. */
export function* marked(text, ranges) {
  let at = 0
  for (const [from, to] of Array.isArray(ranges) ? ranges : []) {
    yield text.slice(at, from)
    yield element('mark', {}, text.slice(from, to))
    at = to
  }
  yield text.slice(at)
}

/** Shows the first line of a row, and beside it the other name that matched. */
export function mark(parent, match) {
  const { label, name, match: ranges } = match, title = cut(titleOf(match), 1000)
  const other = name !== undefined && marked(cut(name, 1000), ranges)
  if (other) parent.replaceChildren(title, ' ', element('bdi', { className: 'other', dir: 'auto' }, ...other))
  else parent.replaceChildren(...marked(title, title === label ? ranges : moved(ranges, label, title)))
}

/** The ranges of a label's marked texts in another text: at the same place, or at the beginning of a word. */
export function moved(ranges, label, title) {
  let end = 0
  return (Array.isArray(ranges) ? ranges : []).flatMap(([from, to]) => {
    const text = label.slice(from, to)
    let at = from >= end && title.startsWith(text, from) ? from : title.indexOf(text, end)
    while (at > 0 && at !== from && /[\p{L}\p{N}]/u.test(title[at - 1])) at = title.indexOf(text, at + 1)
    if (at < 0 || !text) return []
    end = at + text.length
    return [[at, end]]
  })
}

/** The fields of a record one by one, nested ones by path. */
export function* fields(value, path = '') {
  const isNested = value !== null && typeof value === 'object'
  // A list of values is one text.
  if (Array.isArray(value) && value.length && value.every(inner => inner === null || typeof inner !== 'object')) {
    yield [path, value.filter(inner => inner !== null).join(', ')]
    return
  }
  const entries = isNested ? Object.entries(value) : []
  if (!entries.length) yield [path, isNested ? JSON.stringify(value) : String(value)]
  for (const [name, inner] of entries) yield* fields(inner, path ? `${path}.${name}` : name)
}

/** The texts of a record's fields by path; those without a text are left out. */
export const textsOf = match =>
  match.texts ??= new Map([...fields(match.record)].filter(([, text]) => text !== '' && text !== 'null'))

/** The text of a field, or of all that is below it. */
export function textOf(match, path) {
  const found = textsOf(match).get(path)
  if (found !== undefined) return found
  return [...textsOf(match)].filter(([name]) => name.startsWith(`${path}.`)).map(([, text]) => text).join(', ')
}

/** The first text of a field: of an array its first text, of a path the first text below it. */
export function firstOf(value, path) {
  // In the first rows of a page without a server an array is a text.
  if (!path && typeof value === 'string' && value[0] === '[') {
    try { return firstOf(JSON.parse(value), '') } catch { return '' }
  }
  if (value === null || typeof value !== 'object') return path || value === null ? '' : String(value)
  for (const [name, inner] of Object.entries(value)) {
    const rest = !path || name === path || name.startsWith(`${path}.`) ? ''
      : path.startsWith(`${name}.`) ? path.slice(name.length + 1) : Array.isArray(value) ? path : undefined
    const found = rest === undefined ? '' : firstOf(inner, rest)
    if (found) return found
  }
  return ''
}

/** The beginning of a text that the page shows, without half a character at the end. */
export const cut = (text, most) =>
  text.length > most ? `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : text

/** The first line of a row: the filled template, else the record's key. */
export const titleOf = match => (options.row && filled(options.row, match)) || match.label

/** The right side of a row, with numbers as the language writes them. */
export const rightOf = match => options.right ? filled(options.right, match, written) : ''

const isMoney = (options.right ?? []).some(part => /\p{Sc}/u.test(part))
const formats = []
/** A decimal number as the language writes it. An amount of money with a fraction has two digits of it. */
function written(text) {
  const found = text.match(/^-?(?:0|[1-9]\d{0,14})(?:\.(\d{1,6}))?$/)
  if (!found) return text
  const fraction = found[1] ?? ''
  const digits = fraction && isMoney ? Math.max(fraction.length, 2) : fraction.length
  formats[digits] ??= new Intl.NumberFormat(language, {
    minimumFractionDigits: digits, maximumFractionDigits: digits,
    useGrouping: /** @type {any} */ (isMoney ? 'always' : 'min2'), // A year has no separator.
  })
  return formats[digits].format(text)
}

/** The second line of a row: the filled template, else the fields that tell the record from others. */
export function detailOf(match) {
  if (options.subtitle) return filled(options.subtitle, match)
  return match.at ? [countryOf(match), coordinates(match.at, 2)].filter(Boolean).join(' · ') : summary(match)
}

/** A template with a record's values. A text between two middle dots is left out if none of its fields has a value. */
function filled(template, match, write = text => text) {
  const groups = [{ text: '', fields: 0, found: 0 }]
  for (const part of template) {
    if (typeof part === 'string') {
      const [first, ...rest] = part.split(' · ')
      groups.at(-1).text += first
      for (const text of rest) groups.push({ text, fields: 0, found: 0 })
    } else {
      const text = write(cut(textOf(match, part[0]), 300)), group = groups.at(-1)
      group.fields += 1
      group.found += text === '' ? 0 : 1
      group.text += text
    }
  }
  if (!groups.some(({ found }) => found)) return ''
  return groups.filter(({ fields, found }) => !fields || found).map(({ text }) => text).join(' · ')
}

let regions
/** The name of the country, if a field has its two letters. */
function countryOf(match) {
  for (const [name, text] of textsOf(match)) {
    if (!/(?:^|[._])(?:country|country[ _]?code|cc)$/i.test(name) || !/^[A-Z]{2}$/.test(text)) continue
    try {
      return (regions ??= new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })).of(text)
    } catch { return }
  }
}

/** The fields of a record without coordinates that add to its label. */
function summary(match) {
  const said = []
  for (const [name, text] of textsOf(match)) {
    if (name !== options.image && !match.label.includes(text) && !linked(text)) said.push(cut(text, 120))
    if (said.length === 4) break
  }
  return said.join(' · ')
}

/** The address in a text, if the page may link to it: no script, no address that looks like another. */
export function linked(text) {
  if (text.length > 2048 || !/^(?:https?:\/\/|mailto:|tel:|geo:)[^\s\p{C}]+$/iu.test(text)) return
  if (!URL.canParse(text)) return
  const url = new URL(text)
  return url.username || url.password ? undefined : url.href
}

/** The address of the web in a text, also one relative to the page; undefined for any other text. */
export function webAddress(text) {
  if (!text || text.length > 2048 || /[\s\p{C}\\]/u.test(text) || !URL.canParse(text, document.baseURI)) return
  const url = new URL(text, document.baseURI)
  return /^https?:$/.test(url.protocol) && !url.username && !url.password ? url : undefined
}

/** The address that a row leads to: of a field, or of an address with fields, which all need a value. */
export function linkOf(match) {
  const { link } = options
  if (link === undefined) return
  if (typeof link === 'string') return webAddress(firstOf(match.record, link))?.href
  const values = link.map(part => typeof part === 'string' ? part : firstOf(match.record, part[0]))
  if (values.includes('')) return
  try {
    return webAddress(values.map((value, i) => value === link[i] ? value : encodeURIComponent(value)).join(''))?.href
  } catch { /* Half a character has no code in an address. */ }
}

/** The value of a field as elements; an address becomes a link. */
export function valueNodes(text) {
  const href = linked(text)
  // A list without spaces breaks behind its commas, and not inside words.
  const inner = href ? [element('a', { href, rel: 'noopener noreferrer' }, text)]
    : cut(text, 2000).split(/(?<=[,;])(?=[^\s\d])/u).flatMap((piece, i) => i ? [element('wbr'), piece] : [piece])
  const node = element('bdi', { dir: 'auto' }, ...inner)
  if (text.length <= 2000 || href) return [node]
  return [node, ' ', element('span', { className: 'quiet' }, `(${say('cut', { count: number.format(text.length) })})`)]
}
