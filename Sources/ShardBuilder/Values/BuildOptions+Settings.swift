import ShardedIndex

extension BuildOptions {
  /// Makes the options of a build that gives an index these settings.
  init(of settings: IndexSettings, packing: EncodingOptions) {
    self.init()
    (key, keep, id) = (settings.key, settings.keep, settings.id)
    (weight, scaleText) = (settings.weight, settings.weightScale)
    words = settings.words.flatMap { Words(rawValue: $0) }
    (alias, searchFields) = (settings.alias ?? [], settings.searchFields)
    (filter, number, coordinates) = (settings.filter, settings.number, settings.coordinates)
    (typos, typosInDigits, near, starts) = (settings.typos, settings.editsDigits, settings.near, settings.starts)
    skipEmptyKeys = settings.skipsEmptyKeys
    tables.synonyms = settings.synonyms
    for (field, names) in zip(settings.filter, settings.valueNames) { tables.names[field] = names }
    self.packing = packing
  }
}
