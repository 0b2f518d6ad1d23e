// The package's entry in Node: shardq.js, and an index may also be a path.
import { readFile, open as openFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { open as openBase, ShardqError } from './shardq.js'

export { ShardqError }

let module
const compiled = async () => WebAssembly.compile(await readFile(new URL('shardq.wasm', import.meta.url)))

/** Opens an index: index.d.ts. */
export async function open(base, options = {}) {
  const text = base instanceof URL ? base.href : base
  if (typeof text === 'string' && !/^https?:/.test(text)) base = await files(text.startsWith('file:') ? fileURLToPath(text) : text)
  return openBase(base, { ...options, module: options.module ?? await (module ??= compiled()) })
}

/** The files of a directory, or an archive. */
async function files(path) {
  const isArchive = await stat(path).then(status => status.isFile(), () => false)
  return {
    isArchive,
    async get(name, from, to) {
      const place = isArchive ? path : `${path}/${name}`
      let file
      try {
        file = await openFile(place)
        const { size } = await file.stat()
        const bytes = new Uint8Array(Math.max(0, Math.min(to, size) - from))
        // If another program shortens the file meanwhile, it has fewer bytes.
        const { bytesRead } = await file.read(bytes, 0, bytes.length, from)
        return { bytes: bytes.subarray(0, bytesRead), size }
      } catch (error) {
        if (['ENOENT', 'ENOTDIR'].includes(error.code)) return null
        throw new ShardqError('unreachable', `${place} cannot be read: ${error.message}`)
      } finally {
        await file?.close()
      }
    },
  }
}
