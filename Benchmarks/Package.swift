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
    .executableTarget(
      name: "bench",
      dependencies: [
        "CProcessors", "CSortedArray", .product(name: "ShardedIndex", package: "shardq"),
        .product(name: "_Footprint", package: "shardq"),
      ],
      swiftSettings: plain),
    .executableTarget(
      name: "ranked", dependencies: [.product(name: "ShardedIndex", package: "shardq")],
      swiftSettings: plain),
    .executableTarget(
      name: "resident", dependencies: [.product(name: "ShardedIndex", package: "shardq")],
      swiftSettings: plain),
  ]
)
