// Checks the scripts of the page as a linter does: node --test Tests/Page
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const root = new URL('../..', import.meta.url).pathname
const hasCompiler = spawnSync('tsc', ['--version']).status === 0
const skip = hasCompiler ? false : 'tsc is missing; Scripts/dependencies.sh --tests installs it on Debian'

/** The findings of TypeScript's compiler: { path, line, code, text }. */
function findings(...options) {
  const { stdout } = spawnSync('tsc', options, { cwd: root, encoding: 'utf8' })
  return [...stdout.matchAll(/^(\S+)\((\d+),\d+\): error (TS\d+): (.*)$/gm)]
    .map(([, path, line, code, text]) => ({ path, line: Number(line), code, text }))
}

test('the shipped page and box are made of their sources', () => {
  const { status, stderr } = spawnSync('python3', ['Scripts/generate_page.py', '--check'], { cwd: root, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
})

test('the pieces have no unknown name, no unused name and no wrong type', { skip }, () => {
  assert.deepEqual(findings('-p', 'Sources/Page'), [])
})

test('the other scripts of a page without a server have no unknown name and no unused name', { skip }, () => {
  // Unknown names, unused names, unreachable code, assignments to constants, and names declared twice.
  const codes = ['TS2304', 'TS2552', 'TS6133', 'TS6192', 'TS6196', 'TS7027', 'TS2588', 'TS2451', 'TS2393']
  const lib = 'es2022,dom,dom.iterable'
  const found = findings(
    '--noEmit', '--allowJs', '--checkJs', '--target', 'es2022', '--module', 'es2022', '--moduleResolution', 'node', '--lib', lib,
    '--noUnusedLocals', '--noUnusedParameters', '--allowUnreachableCode', 'false', 'Sources/Hosts/Wasm/static.js',
    'Sources/Hosts/Wasm/shardq-box.js', 'Sources/Hosts/Node/node.js', 'Sources/Hosts/Node/instantsearch.js')
  const isComment = ({ path, line }) => /^\s*\*/.test(readFileSync(root + path, 'utf8').split('\n')[line - 1])
  assert.deepEqual(found.filter(one => codes.includes(one.code) && !isComment(one)), [])
})
