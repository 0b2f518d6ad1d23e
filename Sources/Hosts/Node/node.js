// The package's entry in Node: shardq.js, and an index may also be a path.
import { constants } from 'node:fs'
import { readFile, open as openFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { open as openBase, ShardqError } from './shardq.js'

export { ShardqError }

let module
const compiled = async () => WebAssembly.compile(await readFile(new URL('shardq.wasm', import.meta.url)))

/** Opens an index: index.d.ts. */
export async function open(base, options = {}) {
  const text = base instanceof URL ? base.href : base
  if (typeof text === 'string' && !/^https?:/i.test(text)) base = await files(text.startsWith('file:') ? pathOf(text) : text)
  if (typeof options === 'object' && options !== null && options.module === undefined) {
    options = { ...options, module: await (module ??= compiled()) }
  }
  return openBase(base, options)
}

function pathOf(address) {
  try { return fileURLToPath(address) } catch (error) { throw new ShardqError('refused', `${address} is no path: ${error.message}`) }
}

/** The flags for a file that may be anything: the call follows no link and waits for no pipe. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
const inDirectory = flags | (constants.O_NOFOLLOW ?? 0)

/** The files of a directory, or an archive. */
async function files(path) {
  const isArchive = await stat(path).then(status => status.isFile(), () => false)
  return {
    isArchive,
    address: path,
    async get(name, from, to) {
      const place = isArchive ? path : `${path}/${name}`
      let file
      try {
        file = await openFile(place, isArchive ? flags : inDirectory)
        const status = await file.stat()
        if (!status.isFile()) throw new ShardqError('damaged', `${place} is not a regular file`)
        const bytes = new Uint8Array(Math.max(0, Math.min(to, status.size) - from))
        // If another program shortens the file meanwhile, it has fewer bytes.
        const { bytesRead } = await file.read(bytes, 0, bytes.length, from)
        return { bytes: bytes.subarray(0, bytesRead), size: status.size }
      } catch (error) {
        if (error instanceof ShardqError) throw error
        if (['ENOENT', 'ENOTDIR'].includes(error.code)) return null
        const reason = error.code === 'ELOOP' ? 'it is a link, and links are not followed' : error.message
        throw new ShardqError('unreachable', `${place} cannot be read: ${reason}`)
      } finally {
        await file?.close()
      }
    },
  }
}
