/** A search that has no answer; the message is for people. */
export class ShardqError extends Error {
  /**
   * 'missing': there is no index; 'damaged': the index is; 'refused': the question; 'superseded': the index is rebuilt;
   * 'unreachable': the host, or the disk.
   */
  code: 'missing' | 'damaged' | 'refused' | 'superseded' | 'unreachable'
}

/** Files that come from elsewhere. */
export interface Storage {
  /** Resolves to the bytes from `from` to before `to`, and the size of the file; to null if there is no such file. */
  get(
    name: string, from: number, to: number, options: { signal?: AbortSignal, size?: number, fresh?: boolean },
  ): Promise<{ bytes: Uint8Array, size: number } | null>
  /** Whether there is one file, an archive, whose name is empty. */
  isArchive?: boolean
}

export interface OpenOptions {
  /** The bytes of unpacked shards that stay in memory: 8 MiB where it is left out. */
  cacheBytes?: number
  /** The compiled module, or its address; `shardq.wasm` beside the script where it is left out. */
  module?: WebAssembly.Module | string | URL
}

export interface SearchOptions {
  /** The most records, at most 1,000: 10 where it is left out. */
  limit?: number
  /** The matches that are passed over; at most 10,000 of a ranked answer. */
  offset?: number
  /** The order: ranks where the index has them, else keys, where it is left out. */
  sort?: 'rank' | 'key'
  /** Whether typing errors are corrected, where the index can. */
  typos?: boolean
  /** Texts such as 'country=FR', of which a record passes all; of two for the same field it passes one. */
  filters?: string[]
  /** The place that near records rank higher for. */
  near?: { latitude: number, longitude: number }
  /** The `cursor` of the answer before. */
  after?: string
  /** Whether the number of keys that begin with the text is wanted, which may take one file more. */
  count?: boolean
  /** Whether the answer has `display`. */
  display?: boolean
  /** Ends the search. */
  signal?: AbortSignal
  /** Makes the answer of its text: JSON.parse where it is left out. */
  parse?: (text: string) => any
}

export interface Answer<Fields = Record<string, any>> {
  query: string
  /** The number of records whose keys begin with the text, where it was asked for or is known. */
  count?: number
  /** Whether there are matches behind these. */
  more: boolean
  offset: number
  limit: number
  generation: string
  /** Of a ranked answer. */
  sort?: 'rank'
  /** The number of all matches, where it is known. */
  total?: number
  /** The text that the typed one is corrected to, where all records correct its typing errors. */
  correction?: string
  /** The longest beginning of the typed text that a record matches, where none matches all of it. */
  nearest?: string
  /** The `after` of the next page; left out behind the last page. */
  cursor?: string
  /** The records. */
  matches: Fields[]
  /** What a list shows of each record: docs/server.md. */
  display?: Record<string, any>[]
}

export interface Index {
  /** The best matches of a text. */
  search<Fields = Record<string, any>>(text: string, options?: SearchOptions): Promise<Answer<Fields>>
  /** Fetches what answers to texts will need: at most `bytes`, 256 KiB where it is left out. */
  prefetch(texts: string[], options?: SearchOptions & { bytes?: number }): Promise<void>
  /** In which cells of a map there are records. */
  dots(options?: { signal?: AbortSignal }): Promise<{ columns: number, rows: number, cells: string }>
}

/**
 * Opens an index.
 *
 * @param base The address of its directory or, where it ends with `.shardq`, of its archive; or a storage. In Node also a path.
 */
export function open(base: string | URL | Storage, options?: OpenOptions): Promise<Index>
