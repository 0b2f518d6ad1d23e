// swift-tools-version: 6.2
import PackageDescription

// Builds with Fuzz/run.sh, which says the flags: without libFuzzer there is no main.
let package = Package(
  name: "fuzz",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "shardq", path: "..")],
  targets: [
    .executableTarget(
      name: "fuzz",
      dependencies: [
        .product(name: "ShardedIndex", package: "shardq"), .product(name: "ShardBuilder", package: "shardq"),
        .product(name: "_Footprint", package: "shardq"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ]
)
