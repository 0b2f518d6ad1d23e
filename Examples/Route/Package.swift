// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "route",
  platforms: [.macOS(.v14)],
  dependencies: [
    .package(name: "shardq", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.0.0", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "route",
      dependencies: [
        .product(name: "ShardedIndex", package: "shardq"), .product(name: "Hummingbird", package: "hummingbird"),
      ])
  ]
)
