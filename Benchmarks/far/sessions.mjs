// Counts the requests that typing takes where an index lies on a far host, as a page would make them:
//
//     node sessions.mjs SHARDQ.JS MODULE INDEX LOG [OPTIONS]
//
// Each session of a log of `shardq generate --typing` opens the index anew and keeps nothing of the session before.
// OPTIONS is an object of JSON for `search`: {"limit":10,"sort":"key"}. With "exact": true a key whose answer is not
// complete also counts the exact answer, as with {"limit":10,"typos":"min","exact":true}. Prints an object of JSON.
import fs from 'node:fs'
import path from 'node:path'

const [script, module, index, log, options = '{}', most = '1600'] = process.argv.slice(2)
const { exact = false, ...asked } = JSON.parse(options)
const { open } = await import(path.resolve(script))
const compiled = new WebAssembly.Module(fs.readFileSync(module))

const counted = { gets: 0, bytes: 0, rounds: 0, inFlight: 0 }
const storage = {
  async get(name, from, to) {
    let bytes
    try { bytes = fs.readFileSync(path.join(index, name)) } catch { return null }
    const part = bytes.subarray(from, Math.min(to, bytes.length))
    // A request that begins while another is under way adds no round.
    if (counted.inFlight++ === 0) counted.rounds++
    counted.gets++
    counted.bytes += part.length
    await new Promise(resolve => setImmediate(resolve))
    counted.inFlight--
    return { bytes: new Uint8Array(part), size: bytes.length }
  },
}

const sessions = [[]]
for (const line of fs.readFileSync(log, 'utf8').split('\n')) {
  const text = line.slice(line.indexOf('\t') + 1)
  if (text !== '') sessions.at(-1).push(text)
  else if (sessions.at(-1).length > 0) sessions.push([])
}
const whole = sessions.filter(texts => texts.length > 0).slice(0, Number(most))

const opening = [], openingBytes = [], gets = [], bytes = [], rounds = [], unanswered = []
for (const texts of whole) {
  Object.assign(counted, { gets: 0, bytes: 0 })
  const opened = await open(storage, { module: compiled })
  opening.push(counted.gets)
  openingBytes.push(counted.bytes)
  Object.assign(counted, { gets: 0, bytes: 0 })
  for (const text of texts) {
    counted.rounds = 0
    // A key without an answer counts with its requests: the search takes too many parts, or more than 64 rounds.
    const answered = async () => {
      const { complete } = await opened.search(text, asked)
      if (exact && complete === false) await opened.search(text, { ...asked, typos: true })
    }
    await answered().catch(error => {
      if (error.code !== 'refused' && !(error.code === 'damaged' && counted.rounds > 64)) throw error
      unanswered.push(text)
    })
    rounds.push(counted.rounds)
  }
  gets.push(counted.gets)
  bytes.push(counted.bytes)
}

const mean = numbers => numbers.reduce((sum, number) => sum + number, 0) / numbers.length
const percentile = (numbers, share) => [...numbers].sort((a, b) => a - b)[Math.floor(share * (numbers.length - 1))]
console.log(JSON.stringify({
  sessions: whole.length, keys: rounds.length, opening: mean(opening),
  openingKilobytes: mean(openingBytes) / 1024, mean: mean(gets), p99: percentile(gets, 0.99),
  kilobytes: mean(bytes) / 1024, waiting: rounds.filter(count => count > 0).length / rounds.length,
  rounds: Math.max(...rounds), roundsP99: percentile(rounds, 0.99), unanswered,
}))
