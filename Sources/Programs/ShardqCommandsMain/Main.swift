// Package.swift says why: ArgumentParser links Foundation.
#if canImport(FoundationEssentials)
  import FoundationEssentials
#endif

import ShardqCommands

/// The commands. `shardq` hands every command line to this executable that is no plain query.
@main
enum Main {
  static func main() { CommandsProgram.run() }
}
