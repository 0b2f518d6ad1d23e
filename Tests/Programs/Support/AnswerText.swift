extension String {
  /// An answer in JSON without the members that differ between indexes and requests: offset, limit and generation.
  var withoutPlace: String {
    replacing(#/,"offset":\d+(,"limit":\d+)?,"generation":"[0-9a-f]{16}"/#, with: "")
  }
}
