// swift-tools-version: 6.2
import PackageDescription

let plain: [SwiftSetting] = [.swiftLanguageMode(.v6)]

let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "shardq", path: "..")],
  targets: [
    .target(name: "CProcessors"),
    .target(name: "CSortedArray"),
    // The fold and the dataset readers: links to the project's own files, which do not export them.
    .target(
      name: "Shared", dependencies: [.product(name: "ShardBuilder", package: "shardq")], swiftSettings: plain),
    .executableTarget(
      name: "bench",
      dependencies: [
        "CProcessors", "CSortedArray", "Shared", .product(name: "ShardedIndex", package: "shardq"),
        .product(name: "QueryLog", package: "shardq"),
      ],
      swiftSettings: plain),
    .executableTarget(
      name: "resident", dependencies: [.product(name: "ShardedIndex", package: "shardq")],
      swiftSettings: plain),
  ]
)
