// MARK: Rows and costs

/** Adds to a row its coordinates as numbers for drawing. */
export function place(row) {
  const [latitude, longitude] = [row.latitude ?? NaN, row.longitude ?? NaN]
  const isPlace = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
  return Object.assign(row, isPlace ? { at: [Number(longitude), Number(latitude)] } : { at: null })
}

/** The engine's work for an answer, from the headers; a missing field is undefined. */
export function cost(headers) {
  const said = headers.get('Shardq-Cost') ?? ''
  const [, touched, all] = said.match(/shards=(\d+)\/(\d+)/) ?? []
  const [, loads] = said.match(/loads=(\d+)/) ?? []
  const [, size] = said.match(/bytes=(\d+)/) ?? []
  const [, duration] = (headers.get('Server-Timing') ?? '').match(/search;dur=([\d.]+)/) ?? []
  return { touched, all, loads: Number(loads ?? 0), bytes: Number(size ?? 0), duration }
}
