// swift-tools-version: 6.2
import PackageDescription

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "shardq") }

let package = Package(
  name: "examples",
  platforms: [.macOS(.v14)],
  // An app names the package by its URL: .package(url: "https://...", from: "0.1.0").
  dependencies: [.package(name: "shardq", path: "..")],
  targets: [
    .executableTarget(name: "search-field", dependencies: [product("SearchModel"), product("ShardedIndex")]),
    .executableTarget(name: "planets", dependencies: [product("ShardBuilder"), product("ShardedIndex")]),
    .executableTarget(name: "live-list", dependencies: [product("ShardBuilder"), product("ShardedIndex")]),
  ]
)
