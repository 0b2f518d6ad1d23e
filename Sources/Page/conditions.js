import { facts, inQuotes, language, options, texts } from './texts.js'
import { cut } from './record.js'

// MARK: Conditions

/**
 * The conditions beside the text: filters as [field, value], an order, and a place that may have a radius.
 * @type {any}
 */
export const conditions = { filters: [], order: '', place: null }

/** The most filters and the most fields with values of a search. */
export const filterLimit = 64
/** The longest value that the page filters by, because a server takes no long request. */
export const valueLimit = 500
const ranges = facts.ranges ?? []
/** The letters of a request that are left for names of fields. */
let room = 3000
function takesRoom(field) {
  const size = encodeURIComponent(field).length + 8
  if (size > room) return false
  room -= size
  return true
}
/** The fields that the page filters by: those with values, then those with ranges. A filter's field has no `=`. */
export const facetFields = [...(facts.filters ?? []), ...ranges].slice(0, filterLimit)
  .filter(field => !field.includes('=') && takesRoom(field))
export const isRanged = field => ranges.includes(field)

/** The name of a field for people: Brand name for brand_name. */
export function nameOf(field) {
  if (options.labels && Object.hasOwn(options.labels, field)) return options.labels[field]
  const words = field.replace(/(\p{Ll})(\p{Lu})(?=\p{Ll})/gu, (_, end, start) => `${end} ${start.toLowerCase()}`)
  const name = words.replace(/[\s._\\-]+/g, ' ').trim()
  return name.replace(/^./u, first => first.toLocaleUpperCase(language)) || field
}

/**
 * A year has no separator.
 * @type {any}
 */
const digits = { maximumFractionDigits: 15, useGrouping: 'min2' }
const exactly = new Intl.NumberFormat(language, digits)
const decimal = exactly.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'
const isNumber = text => /^-?\d{1,40}(\.\d{1,40})?$/.test(text)
const isDate = text => /^\d{4}-\d\d(-\d\d(T[\d:.]{1,20}(Z|[+-]\d\d:?\d\d)?)?)?$/.test(text)

/** A number or a date in the words of the language; other texts stay as they are. */
export const shownNumber = text => isNumber(text) && text.length <= 15 ? exactly.format(Number(text)) : text

/** A typed number or date as a filter takes it; undefined for another text. */
export function readNumber(typed) {
  const group = decimal === ',' ? '.' : ','
  const text = typed.replace(/[\s'’]/g, '').replace('−', '-')
  const isGrouped = new RegExp(`^-?\\d{1,3}(\\${group}\\d{3})+(\\${decimal}\\d+)?$`).test(text)
  const plain = (isGrouped ? text.replaceAll(group, '') : text).replace(decimal, '.')
  if (isNumber(plain)) return plain
  return isDate(text) ? text : undefined
}

/** The ends of a range; an open end is empty. */
export const ends = range => range.includes('..') ? range.split('..') : [range, range]

/** Whether a filter by numbers takes this text. */
export function isRange(text) {
  const [least, greatest, ...others] = ends(text)
  const isEnd = end => !end || isNumber(end) || isDate(end)
  if (others.length || !least && !greatest || !isEnd(least) || !isEnd(greatest)) return false
  if (!least || !greatest) return true
  if (isNumber(least)) return !isNumber(greatest) || Number(least) <= Number(greatest)
  return isDate(greatest) && least <= greatest
}

/** Whether the index has this filter. */
export const isKnown = ([field, value]) =>
  facetFields.includes(field) && value.length <= valueLimit && (!isRanged(field) || isRange(value))

/** Whether the page has this order. */
export const isOrder = order => (options.orders ?? []).some(([name]) => name === order)

/** A value as people see it; a blank one is in quotes. */
export const shownValue = value => value.trim() ? cut(value, 100) : inQuotes(value)

/** A filter in words. */
export function filterText([field, value]) {
  if (!isRanged(field)) return `${cut(nameOf(field), 100)}: ${shownValue(value)}`
  const [least, greatest] = ends(value).map(shownNumber)
  const range = least === greatest ? least : !least ? `${texts.to} ${greatest}` : !greatest ? `${texts.from} ${least}`
    : `${least} – ${greatest}`
  return `${cut(nameOf(field), 100)}: ${cut(range, 100)}`
}

/**
 * The parameters of a search with conditions. The page asks for no condition that the index does not have.
 * @returns {any}
 */
export function asked({ filters, order, place } = conditions) {
  const known = filters.filter(isKnown).slice(0, filterLimit)
  const { latitude, longitude, radius } = place ?? {}
  return {
    ...(known.length && { filter: known.map(pair => pair.join('=')) }),
    ...(isOrder(order) && { sort: order }),
    ...(place && facts.near && { near: `${latitude},${longitude}`, ...(radius && { radius }) }),
  }
}

/** Whether a list without a text is to be open, since a person chose a condition. */
export const isAsked = (given = asked()) => Object.keys(given).length > 0

/** Whether these parameters leave out records. */
export const isNarrowing = given => given.filter !== undefined || given.radius !== undefined

/** The filters of a link; a search takes no more. */
export const readFilters = texts =>
  texts.map(text => text.split(/=(.*)/s).slice(0, 2)).filter(pair => pair[0] && pair.length === 2).slice(0, filterLimit)

/** Takes the conditions of an address, and tells whether they are others. */
export function takeConditions(filters, order, kept) {
  const { latitude, longitude, radius } = kept?.place ?? {}
  const isPlace = facts.near && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
  const place = isPlace ? { latitude, longitude, ...(radius > 0 && { radius }) } : null
  const before = JSON.stringify(conditions)
  Object.assign(conditions, { filters, order, place })
  return JSON.stringify(conditions) !== before
}
