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

/** Shows the label of a row, and beside it the other name that matched. */
export function mark(parent, { label, name, match }) {
  if (name === undefined) parent.replaceChildren(...marked(label, match))
  else parent.replaceChildren(label, ' ', element('bdi', { className: 'other', dir: 'auto' }, ...marked(name, match)))
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

/** The beginning of a text that the page shows, without half a character at the end. */
export const cut = (text, most) => text.length > most ? `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : text

/** The second line of a row: the filled template, else the fields that tell the record from others. */
export function detailOf(match) {
  if (options.subtitle) return filled(options.subtitle, match)
  return match.at ? [countryOf(match), coordinates(match.at, 2)].filter(Boolean).join(' · ') : summary(match)
}

/** A template with a record's values. A text between two middle dots is left out if none of its fields has a value. */
function filled(template, match) {
  const groups = [{ text: '', fields: 0, found: 0 }]
  for (const part of template) {
    if (typeof part === 'string') {
      const [first, ...rest] = part.split(' · ')
      groups.at(-1).text += first
      for (const text of rest) groups.push({ text, fields: 0, found: 0 })
    } else {
      const text = cut(textOf(match, part[0]), 300), group = groups.at(-1)
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
