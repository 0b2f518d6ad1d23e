#if Remote && CommandLineTool
  import CLibrary
  import QueryOutput
  import ShardBuilder
  import ShardedIndexRemote
  import ShardqCommands

  /// `shardq update` with a prefix of a store: the command changes records of the newest generation, and makes the next.
  enum Updating {
    /// The attempts after one that another publication overtook.
    private static let attempts = 3

    static func run(_ request: StoreRequest) throws(StoreError) {
      guard let update = request.update else { return }
      defer { update.view.clear() }
      let inputs = update.upsert + update.delete + [update.options.weightsFile].compactMap { $0 }
      // Standard input can be read only once.
      var left = inputs.contains("-") ? 0 : attempts
      while true {
        do throws(StoreError) {
          return try run(request, update)
        } catch {
          guard error.kind == .busy, left > 0 else { throw error }
          left -= 1
          update.view.clear()
          Diagnostics.note(error.message + "; trying again on the newest generation")
        }
      }
    }

    private static func run(_ request: StoreRequest, _ update: StoreRequest.UpdateArguments) throws(StoreError) {
      let target = StoreTarget(try IndexStore(request), request.url)
      var summary: BuildSummary
      do throws(BuildError) {
        let directory = try target.wholeDirectory()
        summary = try ShardBuilder.update(
          target.openParent(from: update.over), in: target, directory: directory, upsert: update.upsert,
          delete: update.delete, options: update.options
        ) { update.view.show($0) }
      } catch {
        throw target.failure ?? StoreError(.build(error))
      }
      guard let outcome = target.outcome else { return }
      // The process makes the changed files without knowing whether the store has them.
      if case .wasThere = outcome { (summary.isUnchanged, summary.shardsWritten) = (true, 0) }
      update.view.report(summary, target.shown, generation: Int(clamping: outcome.generation.number))
    }
  }
#endif
