// swift-tools-version: 6.2
import Foundation
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6)]
/// The tests: a target for each area. SHARDQ_TESTS names the only area to build (Scripts/test.sh).
struct Tests {
  let area = Context.environment["SHARDQ_TESTS"]
  var targets: [Target] = []

  // The code of tests is compiled without optimization: to optimize it takes longer than it saves. Data and oracles lie in
  // Support, which is always optimized. No module imports tests, so the compiler makes their module while it compiles
  // them, and not before in a job that checks all types once more.
  private let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release)),
  ]

  init() {
    targets.append(
      .target(
        name: "TestSupport", dependencies: ["CLibrary", "ShardedIndex", "ShardBuilder"], path: "Tests/Support",
        swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-O"], .when(configuration: .debug))]))
    add("Format", ["TestSupport", "CLibrary", "ShardedIndex", "ShardBuilder"])
    add(
      "Engine",
      [
        "TestSupport", "CLibrary", "ShardedIndex", "ShardedIndexFoundation", "SearchModel", "ShardBuilder",
        "ShardBuilderFoundation", "Footprint",
      ])
    add(
      "Builder",
      ["TestSupport", "CLibrary", "ShardedIndex", "ShardBuilder", "ShardBuilderFoundation", "Footprint"])
    add("Remote", ["ShardedIndexRemote"], sources: ["StoreTextTests.swift"])
    add(
      "Programs",
      [
        "TestSupport", "CLibrary", "Footprint", "Answers", "QueryOutput", "ShardqCommands", "ShardBuilder",
        "ShardedIndex",
      ])
    add("Tidy", [])
    // The targets of Fuzz/, which replay their kept inputs here without a sanitizer.
    add("Fuzz", ["Footprint", "ShardBuilder", "ShardedIndex"], path: "Fuzz", sources: ["Replay", "Sources"])
    // Fuzz/run.sh builds them for libFuzzer, which has the main function.
    guard area == "fuzzer" else { return }
    targets.append(
      .executableTarget(
        name: "fuzz", dependencies: ["Footprint", "ShardBuilder", "ShardedIndex"], path: "Fuzz/Sources/fuzz",
        swiftSettings: [.swiftLanguageMode(.v6)]))
  }

  private mutating func add(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, sources: [String]? = nil
  ) {
    guard area == nil || area == name.lowercased() else { return }
    targets.append(
      .testTarget(
        name: name + "Tests", dependencies: dependencies, path: path ?? "Tests/" + name, sources: sources,
        swiftSettings: settings))
  }
}
let tests = Tests()

// Scripts/build.sh sets it: executables as they are shipped. Only the link differs, so that all share compiled modules.
let isShipped = Context.environment["SHARDQ_SHIPPED"] != nil
let staticLink: [LinkerSetting] =
  isShipped ? [.unsafeFlags(["-static-executable"], .when(platforms: [.linux]))] : []
// The compiler names the libraries that Foundation's static library needs only to a module that imports Foundation and is
// compiled with this option: the program itself, in the place of every module that the tests share.
let staticFoundation: [SwiftSetting] =
  settings + (isShipped ? [.unsafeFlags(["-static-stdlib"], .when(platforms: [.linux]))] : [])
// Of programs that link libraries of the system, besides Swift's: what the loader has filled in cannot be written any
// more, as Debian wants it.
let hardenedLink: [LinkerSetting] =
  isShipped
  ? [
    .unsafeFlags(
      ["-static-stdlib", "-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"],
      .when(platforms: [.linux]))
  ]
  : []

// Two of the designs that `shardq footprint` measures need SQLite's header (Debian: libsqlite3-dev).
let hasSQLite = ["/usr/include", "/usr/local/include", "/opt/homebrew/include"].contains {
  FileManager.default.fileExists(atPath: $0 + "/sqlite3.h")
}
// zstd is the system's, or with the trait ZstdFromSource the package of its authors: iOS has no other.
let zstd: [Target.Dependency] = [
  .target(name: "CZstd", condition: .when(platforms: [.linux, .macOS])),
  .product(name: "libzstd", package: "zstd", condition: .when(traits: ["ZstdFromSource"])),
]

let package = Package(
  name: "shardq",
  platforms: [.macOS(.v13), .iOS(.v16)],
  products: [
    .library(name: "ShardedIndex", targets: ["ShardedIndex"]),
    .library(name: "ShardedIndexFoundation", targets: ["ShardedIndexFoundation"]),
    .library(name: "ShardedIndexRemote", targets: ["ShardedIndexRemote"]),
    .library(name: "SearchModel", targets: ["SearchModel"]),
    .library(name: "ShardBuilder", targets: ["ShardBuilder"]),
    .library(name: "ShardBuilderFoundation", targets: ["ShardBuilderFoundation"]),
    // For the packages in Benchmarks/ and Fuzz/ alone: its interface carries no promise and changes without notice.
    .library(name: "_Footprint", targets: ["Footprint"]),
    .executable(name: "shardq", targets: ["shardq"]),
    .executable(name: "shardq-commands", targets: ["ShardqCommandsMain"]),
    .executable(name: "shardq-footprint", targets: ["ShardqFootprint"]),
    .executable(name: "shardq-serve", targets: ["ShardqServe"]),
    .executable(name: "shardq-remote", targets: ["ShardqRemote"]),
  ],
  traits: [
    // All traits are off by default, so that users of the library fetch no other package.
    .trait(name: "CommandLineTool", description: "Build the subcommands of shardq (fetches swift-argument-parser)."),
    .trait(
      name: "ZstdFromSource",
      description: "Compile zstd from its own package, where the system has no libzstd (fetches facebook/zstd)."),
    .trait(name: "Server", description: "Build shardq-serve (fetches swift-nio and what that needs)."),
    .trait(
      name: "Remote",
      description: "Build ShardedIndexRemote and, with CommandLineTool, shardq-remote (need the system's libcurl)."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/facebook/zstd", from: "1.5.4"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
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
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    // Headers of a few lines: what the compiler offers to C alone, what the system's module of malloc leaves out, and
    // SQLite's module.
    .systemLibrary(name: "CShims"),
    // The platform's C library under one name, and CShims.
    .target(name: "CLibrary", dependencies: ["CShims"], swiftSettings: settings),
    // Lifetimes: for types that hold a RawSpan.
    .target(
      name: "ShardedIndex", dependencies: zstd + ["CLibrary"],
      swiftSettings: settings + [.enableExperimentalFeature("Lifetimes"), .strictMemorySafety()]),
    // Apart from the engine, since a static program with Foundation has 7 MB more.
    .target(name: "ShardedIndexFoundation", dependencies: ["ShardedIndex"], swiftSettings: settings),
    // An index over HTTP or in S3; empty without its trait.
    .target(
      name: "ShardedIndexRemote",
      dependencies: ["ShardedIndex", "CLibrary", .target(name: "CCurl", condition: .when(traits: ["Remote"]))],
      swiftSettings: settings + [.strictMemorySafety()]),
    .target(name: "SearchModel", dependencies: ["ShardedIndex"], swiftSettings: settings),
    .target(
      name: "ShardBuilder", dependencies: zstd + ["ShardedIndex", "CLibrary", "CZlib", "CNettle"],
      swiftSettings: settings + [.strictMemorySafety()]),
    // Apart from the builder for the same reason, and from ShardedIndexFoundation, since an app needs no builder.
    .target(name: "ShardBuilderFoundation", dependencies: ["ShardBuilder"], swiftSettings: settings),
    // Query logs, replays of them through designs, and the planner: what `shardq footprint` and `shardq plan` measure by.
    .target(name: "Footprint", dependencies: ["CLibrary", "ShardedIndex", "ShardBuilder"], swiftSettings: settings),
    // A search's request and its answer in every form: for commands, server, WebAssembly module and C library.
    .target(
      name: "Answers", dependencies: ["CLibrary", "ShardedIndex"], swiftSettings: settings + [.strictMemorySafety()]),
    .target(
      name: "QueryOutput", dependencies: ["Answers", "CLibrary", "ShardedIndex"],
      swiftSettings: settings + [.strictMemorySafety()]),
    .executableTarget(
      name: "shardq", dependencies: ["CLibrary", "Answers", "QueryOutput"], swiftSettings: settings,
      linkerSettings: staticLink),
    // One process of it runs one design. SQLite is linked where its headers are.
    .executableTarget(
      name: "ShardqFootprint", dependencies: ["CLibrary", "Footprint", "ShardedIndex"],
      swiftSettings: staticFoundation + (hasSQLite ? [.define("SQLITE")] : []), linkerSettings: staticLink),
    // The commands, as a library of two programs: the second one also links libcurl.
    .target(
      name: "ShardqCommands",
      dependencies: [
        "CLibrary", "CZlib", "ShardedIndex", "ShardBuilder", "Footprint", "Answers", "QueryOutput",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser",
          condition: .when(traits: ["CommandLineTool"])),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "ShardqCommandsMain", dependencies: ["ShardqCommands"], swiftSettings: staticFoundation,
      linkerSettings: staticLink),
    .target(name: "CServerFiles"),
    // All of the server but the way to its index; empty without its trait.
    .target(
      name: "Serving",
      dependencies: ["ShardedIndex", "Answers", "QueryOutput", "CLibrary", "CServerFiles", "CZlib"]
        + [
          ("NIOCore", "swift-nio"), ("NIOPosix", "swift-nio"), ("NIOConcurrencyHelpers", "swift-nio"),
        ].map { .product(name: $0, package: $1, condition: .when(traits: ["Server"])) },
      // They are in CServerFiles: an executable without files beside it.
      exclude: ["Resources"],
      swiftSettings: settings),
    .executableTarget(
      name: "ShardqServe", dependencies: ["Serving", "ShardedIndex"], swiftSettings: settings,
      linkerSettings: staticLink),
    .executableTarget(
      name: "ShardqRemote",
      dependencies: [
        "CLibrary", "Footprint", "Answers", "QueryOutput", "Serving", "ShardBuilder", "ShardedIndex",
        "ShardedIndexRemote",
        "ShardqCommands", .target(name: "CCurl", condition: .when(traits: ["Remote"])),
      ],
      swiftSettings: staticFoundation, linkerSettings: hardenedLink),
  ] + tests.targets
)

// Every other target lies in Sources under its name.
let rooms = [
  "System": ["CZstd", "CZlib", "CNettle", "CCurl", "CShims", "CLibrary"],
  "Programs": [
    "QueryOutput", "ShardqCommands", "ShardqCommandsMain", "Serving", "CServerFiles", "ShardqServe", "ShardqRemote",
    "Footprint", "ShardqFootprint",
  ],
]
for (room, names) in rooms {
  for target in package.targets where names.contains(target.name) { target.path = "Sources/\(room)/\(target.name)" }
}
