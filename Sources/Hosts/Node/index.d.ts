/** The error of opening or searching an index; the message is for people, and names the index. */
export class ShardqError extends Error {
  name: 'ShardqError'
  /**
   * 'missing': there is no index. 'damaged': the index is damaged. 'refused': the question is wrong. 'superseded': the
   * index is being rebuilt. 'unreachable': the host or the disk cannot be read.
   */
  code: 'missing' | 'damaged' | 'refused' | 'superseded' | 'unreachable'
}

/** A source of files. */
export interface Storage {
  /** Resolves to the bytes from `from` to before `to` and the size of the file; to null if the file is missing. */
  get(
    name: string, from: number, to: number, options: { signal?: AbortSignal, size?: number, fresh?: boolean },
  ): Promise<{ bytes: Uint8Array, size: number } | null>
  /** Whether the source has one file, an archive, under an empty name. */
  isArchive?: boolean
  /** The name of the source in messages. */
  address?: string
}

export interface OpenOptions {
  /** The limit of the cache, in bytes, above 0; the default is 8 MiB. */
  cacheBytes?: number
  /** The compiled module, or its URL; the default is `shardq.wasm` beside the script. */
  module?: WebAssembly.Module | string | URL
}

export interface SearchOptions {
  /** The most records of the answer, up to 1,000; the default is 10. */
  limit?: number
  /** The number of matches to skip; at most 10,000 in a ranked answer. */
  offset?: number
  /**
   * The order; the default is by rank if the index has ranks, else by key. A field of `build --number` sorts by its numbers
   * or dates, the least first, or with a minus sign before it the greatest: 'price', '-price'.
   */
  sort?: 'rank' | 'key' | (string & {})
  /**
   * A field, or 'key': a ranked answer has only the best of the records with the same text in it, and `others` has the
   * numbers of the other ones.
   */
  group?: string
  /**
   * Whether the answer corrects typing errors, if the index can; the default is true. 'min': the answer has only the
   * records with the fewest errors, which takes fewer requests. `complete` is false if there may be others.
   */
  typos?: boolean | 'min'
  /**
   * 'all': a record must match all words, as typed. 'auto', the default: if no record does, a ranked answer comes from a
   * reading of the text, or leaves out words.
   */
  words?: 'auto' | 'all'
  /** Filters such as 'country=FR' or 'price=20..50'. A record must pass the filters of all fields; of several filters for a field, one. */
  filters?: string[]
  /** Fields that the index has filters by or numbers of, such as 'country'. The answer has their values among the matches. docs/facets.md. */
  facets?: string[]
  /** The most values of each facet, up to 100; the default is 10. */
  facetLimit?: number
  /**
   * A place, in degrees; records near it rank higher. `radius`: the greatest distance of a record from the place in
   * kilometres, above 0 and at most 20,040; records without coordinates do not match then.
   */
  near?: { latitude: number, longitude: number, radius?: number }
  /** The `cursor` of the previous page. */
  after?: string
  /** 'exact' counts the matches, at most 10,000, which may fetch more files; the default is the number that the search knows. */
  total?: 'exact' | 'known'
  /** Whether the answer has `display`. */
  display?: boolean
  /** Whether a ranked answer has `hits`. */
  hits?: boolean
  /** A signal that ends the search. */
  signal?: AbortSignal
  /** Makes the answer from its text; the default is JSON.parse. */
  parse?: (text: string) => any
}

/** A field with its values among the matches. */
export interface Facet {
  field: string
  /** The values of most matches, most first; each as the first match has it. */
  values: { value: string, count: number }[]
  /** The least and the greatest number of a field of `build --number`, whose values are ranges. */
  least?: string
  greatest?: string
  /** Whether the counts are those of all matches. */
  exact: boolean
  /** Whether there are more values. */
  more: boolean
}

/** The answer: docs/answer.schema.json describes its members, but `more`. */
export interface Answer<Fields = Record<string, any>> {
  /** The version of the answer's members; a version may gain members. */
  schema: 1
  query: string
  /** The number of matches, as `total`. */
  count: number
  /** The number of matches; if `totalIsExact` is false, there may be more. docs/totals.md. */
  total: number
  /** Whether there are no more matches than `total`. */
  totalIsExact: boolean
  /** The number of records whose keys begin with the text; left out if unknown. */
  keys?: number
  /** The fields of the option `facets`, each once. */
  facets?: Facet[]
  /** Whether more matches follow. */
  more: boolean
  offset: number
  limit: number
  /** The name of the generation, as `shardq serve` gives it. */
  generation: string
  /** The order: by rank, by key, or the field of its numbers. */
  sort: 'rank' | 'key' | (string & {})
  /** Whether a ranked answer has the best records; false if `typos` is 'min' and there may be records with more errors. */
  complete?: boolean
  /** The corrected text, if all records match only with corrected typing errors. */
  correction?: string
  /**
   * The reading that the answer comes from, if it does not come from the typed text: the text that was searched, and the
   * filters that words of the typed text stand for, each by its field.
   */
  interpretation?: { text: string, filter?: Record<string, string> }
  /** The words that the answer leaves out, since no record matches all words. */
  dropped?: string[]
  /** The longest beginning of the typed text that a record matches, if no record matches the text. */
  nearest?: string
  /** The `after` of the next page; left out on the last page. */
  cursor?: string
  /** The records. */
  matches: Fields[]
  /** The texts that a list shows of each record: docs/server.md. */
  display?: Record<string, any>[]
  /** The rank of each record. */
  hits?: Record<string, any>[]
  /** The number of the others of each record's group; only with `group`. */
  others?: number[]
  /** Whether `others` and the number of groups are exact; only with `group`. */
  othersAreExact?: boolean
}

export interface Index {
  /** Resolves to the best matches of a text. */
  search<Fields = Record<string, any>>(text: string, options?: SearchOptions): Promise<Answer<Fields>>
  /** Fetches the bytes that answers to texts will need: at most `bytes`; the default is 256 KiB. */
  prefetch(texts: string[], options?: SearchOptions & { bytes?: number }): Promise<void>
  /** Resolves to the values of a field in the whole index that begin with a text; up to 100, which is the default limit. */
  facets(
    field: string, options?: { startingWith?: string, limit?: number, signal?: AbortSignal },
  ): Promise<Facet & { schema: 1 }>
  /** Resolves to the cells of a map that have records. */
  dots(options?: { signal?: AbortSignal }): Promise<{ columns: number, rows: number, cells: string }>
}

/**
 * Opens an index.
 *
 * @param base The URL of a directory, the URL of an archive, which ends with `.shardq`, or a storage. In Node also a path.
 */
export function open(base: string | URL | Storage, options?: OpenOptions): Promise<Index>
