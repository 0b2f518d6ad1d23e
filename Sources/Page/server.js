import { say, texts } from './texts.js'

// MARK: The server

/** The error of a request, in words for people. */
export class Failure extends Error {
  status
  parameter

  /** @param retries Whether the same request may succeed later. */
  constructor(message, retries) { super(message); this.retries = retries }
}

// A number that would lose digits stays text.
const exact = (_, value, context) =>
  typeof value === 'number' && context && context.source !== String(value) ? context.source : value

/** The parameters of an address; a list is a parameter for each of its texts. */
const pairs = parameters => Object.entries(parameters).flatMap(([name, value]) => {
  // The server splits names of fields at commas.
  const escaped = text => name === 'facets' ? text.replaceAll(',', '\\,') : text
  return Array.isArray(value) ? value.map(text => [name, escaped(text)]) : [[name, value]]
})

/** The module that answers in a page without a server: docs/static-page.md. */
export const index = document.documentElement.dataset.index && import('./static.js')

/**
 * Asks for JSON. A path is relative to the page, which a proxy may have below another. Throws a `Failure`, or the
 * reason that `signal` was aborted with.
 */
export async function ask(path, parameters, signal) {
  const limit = AbortSignal.timeout(10_000)
  if (index) return askIndex(path, parameters, signal, limit)
  let response, text
  try {
    const address = `${path}?${new URLSearchParams(pairs(parameters))}`
    response = await fetch(address, { signal: AbortSignal.any([signal, limit]) })
    text = await response.text()
  } catch {
    signal.throwIfAborted()
    throw new Failure(limit.aborted ? texts.slow : unreached(), true)
  }
  let body
  try { body = JSON.parse(text, exact) } catch { body = undefined }
  if (!response.ok) {
    const said = body?.detail ?? body?.title
    const failure = new Failure(
      said ? say('says', { text: said }) : say('failed', { status: response.status }),
      response.status >= 500 || response.status === 429)
    failure.status = response.status
    failure.parameter = body?.parameter
    throw failure
  }
  if (typeof body !== 'object' || body === null) throw new Failure(texts.unreadable, true)
  return { body, headers: response.headers }
}

/** Resolves when the index of a page without a server is open. */
export const whenOpen = () => askIndex('opened', {}, new AbortController().signal, new AbortController().signal)

const unreached = () => navigator.onLine ? texts.unreachable : texts.offline

async function askIndex(path, parameters, signal, limit) {
  try {
    return await (await index).ask(path, parameters, AbortSignal.any([signal, limit]), exact)
  } catch (error) {
    signal.throwIfAborted()
    // A browser lets no page from a disk read the files beside it.
    if (location.protocol === 'file:') throw new Failure(texts.fromDisk, false)
    const said = limit.aborted ? texts.slow : navigator.onLine ? error.message : texts.offline
    const { status, parameter } = error
    throw Object.assign(new Failure(said, error.code !== 'refused'), { status, parameter })
  }
}
