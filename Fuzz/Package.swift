// swift-tools-version: 6.2
import PackageDescription

// Fuzz/run.sh builds this package with the flags for libFuzzer, which has the main function.
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
