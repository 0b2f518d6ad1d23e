// MARK: Small helpers

export const byId = id => document.getElementById(id)
export const clamp = (value, low, high) => Math.min(Math.max(value, low), high)

/** Makes an element with properties and children; data becomes text, never markup. */
export function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

export const button = (text, onclick) => element('button', { type: 'button', className: 'link', onclick }, text)

/**
 * Makes a function that does `work` with its newest argument, at once and then at most every `interval` milliseconds.
 */
export function throttled(interval, work) {
  let timer = 0, next
  const run = () => {
    timer = 0
    if (next) { const given = next; next = undefined; timer = setTimeout(run, interval); work(...given) }
  }
  return (...given) => { next = given; if (!timer) run() }
}
