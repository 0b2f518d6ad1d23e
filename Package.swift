// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6)]

let package = Package(
  name: "shardq",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "ShardedIndex", targets: ["ShardedIndex"]),
    .library(name: "ShardBuilder", targets: ["ShardBuilder"]),
    .library(name: "QueryLog", targets: ["QueryLog"]),
    .executable(name: "shardq", targets: ["shardq"]),
    .executable(name: "shardq-commands", targets: ["ShardqCommands"]),
  ],
  traits: [
    // Off by default, so that whoever depends on the library fetches nothing else.
    .trait(name: "CommandLineTool", description: "Build the subcommands of shardq (fetches swift-argument-parser).")
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CNettle", pkgConfig: "nettle",
      providers: [.apt(["nettle-dev"]), .brew(["nettle"])]),
    // A header of a line: what the compiler offers to C alone.
    .systemLibrary(name: "CPrefetch"),
    .target(name: "ShardedIndex", dependencies: ["CZstd", "CPrefetch"], swiftSettings: settings),
    .target(
      name: "ShardBuilder", dependencies: ["ShardedIndex", "CZstd", "CZlib", "CNettle"], swiftSettings: settings),
    .target(name: "QueryLog", dependencies: ["ShardedIndex"], swiftSettings: settings),
    .target(
      name: "QueryOutput", dependencies: ["ShardedIndex"], swiftSettings: settings + [.strictMemorySafety()]),
    .executableTarget(name: "shardq", dependencies: ["QueryOutput"], swiftSettings: settings),
    .executableTarget(
      name: "ShardqCommands",
      dependencies: [
        "ShardedIndex", "ShardBuilder", "QueryLog", "QueryOutput",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser",
          condition: .when(traits: ["CommandLineTool"])),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ShardedIndexTests", dependencies: ["ShardedIndex", "ShardBuilder", "QueryLog"],
      swiftSettings: settings),
    .testTarget(
      name: "CommandLineTests", dependencies: ["QueryOutput", "ShardqCommands", "ShardBuilder", "ShardedIndex"],
      swiftSettings: settings
    ),
  ]
)
