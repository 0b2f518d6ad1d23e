import type { Index } from 'shardq'

/** A request of Algolia's interface: docs/instantsearch.md has the parameters. */
export interface SearchRequest {
  /** A name of the client's indexes; with `/sort/price:asc` or `/sort/price:desc` behind it the order of a field's numbers. */
  indexName: string
  params?: Record<string, any>
  [parameter: string]: any
}

export interface SearchClient {
  /** Resolves to an answer for each request. An error is a ShardqError. */
  search(requests: readonly SearchRequest[] | { requests: readonly SearchRequest[] }): Promise<{ results: any[] }>
  /** Resolves to the values of a facet that begin with `facetQuery`, for each request. */
  searchForFacetValues(requests: readonly SearchRequest[]): Promise<any[]>
}

/**
 * Makes a search client for the components of InstantSearch and Autocomplete.
 *
 * @param indexes The index of each name that requests have: an opened index, a promise of one, or the address of a server.
 * @param options.objectID The field that tells records apart; the default is objectID.
 */
export function searchClient(indexes: Record<string, Index | Promise<Index> | string>, options?: { objectID?: string }): SearchClient
