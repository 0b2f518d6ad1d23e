import { after, before } from 'node:test'

/**
 * Keeps a timer while the tests of a file run.
 *
 * Between two instances of the module, Node has nothing to wait for but its own threads. It then blocks until their tasks
 * end, and waits forever if one of them waits for a collection of garbage: github.com/nodejs/node/issues/54918.
 */
export function stayAwake() {
  let timer
  before(() => { timer = setInterval(() => {}, 60_000) })
  after(() => clearInterval(timer))
}
