/// The directory of a new index, and the means of writing there.
struct BuildSite {
  let publisher: Publisher
  /// The options. Writing needs the memory and the sizes of shards and parts.
  let options: BuildOptions
  let plan: MemoryPlan
  /// The most threads to use.
  var threads: Int

  init(_ publisher: Publisher, _ options: BuildOptions) {
    (self.publisher, self.options, threads) = (publisher, options, options.jobs)
    plan = MemoryPlan(options)
  }

  var packing: EncodingOptions { options.packing }
}
