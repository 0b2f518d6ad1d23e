// Prints the time of calls of the package for Node, in microseconds, the least of ten runs: measure.mjs INDEX TEXT
import { open } from 'shardq'

async function least(name, call) {
  let least = Infinity
  for (let run = 0; run < 10; run++) {
    const from = performance.now()
    for (let n = 0; n < 2000; n++) await call()
    least = Math.min(least, (performance.now() - from) / 2)
  }
  console.log(name.padEnd(36), least.toFixed(2).padStart(9))
}

const [path, text] = process.argv.slice(2)
const from = performance.now()
const index = await open(path)
console.log('open(path), the module compiled'.padEnd(36), ((performance.now() - from) * 1000).toFixed(2).padStart(9))
await least("search(text, { sort: 'key' })", () => index.search(text, { sort: 'key' }))
await least('search(text)', () => index.search(text))
