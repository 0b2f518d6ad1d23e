#if hasFeature(Embedded)
  import Musl
  import QueryOutput
  import ShardBuilder

  /// `update --overlay --upsert FILE`, with or without `--index`, done here; what is said otherwise, or is more than that,
  /// is left to `shardq-commands`, and so is saying what is wrong with it.
  enum PlainOverlayUpdate {
    /// Returns where it is left.
    static func run(_ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, count: Int) {
      guard count > 3, let first = arguments[1], strcmp(first, "update") == 0 else { return }
      var (index, upsert): (String?, String?) = (nil, nil)
      var isOverlay = false
      var at = 2
      while at < count {
        guard let argument = arguments[at] else { return }
        at += 1
        if strcmp(argument, "--overlay") == 0 {
          isOverlay = true
          continue
        }
        guard at < count, let value = arguments[at].flatMap({ String(validatingCString: $0) }), !value.isEmpty,
          value.utf8.first != UInt8(ascii: "-")
        else { return }
        at += 1
        if strcmp(argument, "--upsert") == 0, upsert == nil {
          upsert = value
        } else if strcmp(argument, "-i") == 0 || strcmp(argument, "--index") == 0, index == nil {
          index = value
        } else {
          return
        }
      }
      guard isOverlay, let upsert else { return }
      let directory = QueryRunner.indexPath(index)
      switch OverlayUpdate.run(directory, upsert: upsert) {
      case .left: return
      case .failed(let error):
        Diagnostics.report(error.description)
        switch error {
        case .locked, .replaced: _exit(ExitStatus.busy.rawValue)
        case .index(let error): _exit(QueryRunner.exitStatus(of: error).rawValue)
        default: _exit(ExitStatus.inputOutput.rawValue)
        }
      case .done(let summary):
        Diagnostics.note(
          UpdateText.changes(
            read: summary.upserted, bad: 0, replaced: summary.removed, records: summary.recordCount, idsNotFound: 0)
            + "\n"
            + UpdateText.overlay(
              of: summary.overlayBytes, beside: summary.shardCount, in: directory, isUnchanged: summary.isUnchanged))
        _exit(0)
      }
    }
  }
#endif
