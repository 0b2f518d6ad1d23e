// swift-tools-version: 6.2
import Foundation
import PackageDescription

let plain: [SwiftSetting] = [.swiftLanguageMode(.v6)]

// SQLite is a rival where its library is there (Debian: libsqlite3-dev).
let hasSQLite = ["/usr/include", "/usr/local/include"].contains {
  FileManager.default.fileExists(atPath: $0 + "/sqlite3.h")
}
let sqliteTargets: [Target] =
  hasSQLite ? [.systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])])] : []

let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "shardq", path: "..")],
  targets: sqliteTargets + [
    .target(name: "CSortedArray"),
    // The fold and the dataset readers: links to the project's own files, which do not export them.
    .target(
      name: "Shared", dependencies: [.product(name: "ShardBuilder", package: "shardq")], swiftSettings: plain),
    .executableTarget(
      name: "bench",
      dependencies: ["CSortedArray", "Shared", .product(name: "ShardedIndex", package: "shardq")]
        + (hasSQLite ? ["CSQLite"] : []),
      swiftSettings: plain + (hasSQLite ? [.define("SQLITE")] : [])),
    .executableTarget(
      name: "resident", dependencies: [.product(name: "ShardedIndex", package: "shardq")],
      swiftSettings: plain),
  ]
)
