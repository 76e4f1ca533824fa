// swift-tools-version: 6.2
// The manifest is the architecture: read `rooms` from the bottom up. Imports go down only.
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

/// A C library of Debian's, reached through one door.
func door(_ name: String, pkg: String?, apt: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/CLibraries/\(name)", pkgConfig: pkg, providers: [.apt([apt])])
}

/// A room: what it is called and what it may import.
func room(_ name: String, _ mayImport: [String] = []) -> Target {
  .target(
    name: name, dependencies: mayImport.map { .byName(name: $0) }, path: "Sources/\(name)",
    swiftSettings: strict)
}

/// The tests of a room.
func tests(_ name: String, _ mayImport: [String], resources: [Resource] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: mayImport.map { .byName(name: $0) },
    path: "Tests/\(name)Tests", resources: resources, swiftSettings: strict)
}

let doors: [Target] = [
  door("CSQLite", pkg: "sqlite3", apt: "libsqlite3-dev"),
  door("COpenSSL", pkg: "openssl", apt: "libssl-dev"),
  door("CSodium", pkg: "libsodium", apt: "libsodium-dev"),
  door("CZip", pkg: "libzip", apt: "libzip-dev"),
  door("CZstd", pkg: "libzstd", apt: "libzstd-dev"),
  door("CLZ4", pkg: "liblz4", apt: "liblz4-dev"),
  door("CAvahi", pkg: "avahi-client", apt: "libavahi-client-dev"),
  door("CQREncode", pkg: "libqrencode", apt: "libqrencode-dev"),
  door("CSystemd", pkg: "libsystemd", apt: "libsystemd-dev"),
  door("CLinux", pkg: nil, apt: "libc6-dev"),
]

let rooms: [Target] = [
  // level 1
  room("BrowsingData"),
  room("SQLite", ["CSQLite"]),
  room("Crypto", ["COpenSSL", "CSodium"]),
  // level 2
  room("Merge", ["BrowsingData"]),
  room("Wire", ["BrowsingData", "CZstd"]),
  // level 3
  room("Store", ["BrowsingData", "Merge", "SQLite", "Crypto"]),
  room("Formats", ["BrowsingData", "Crypto", "CZip", "CLZ4"]),
  room("Browsers", ["BrowsingData", "SQLite", "Crypto", "CSystemd", "CLinux"]),
  room("Channel", ["Crypto", "CAvahi", "CLinux"]),
  room("Resources", ["BrowsingData", "Crypto", "CLinux"]),
  // level 4
  room("Transfer", ["BrowsingData", "Wire", "Store", "Channel", "Crypto", "CLinux", "Resources"]),
  room("Binding", ["BrowsingData", "Merge", "Store"]),
  // level 5: the faces for other programs
  room("BrowserTransfer", ["BrowsingData", "Channel", "Crypto", "Store", "Transfer"]),
  room("AppMigration", ["BrowsingData", "Channel", "Resources", "Transfer", "Wire"]),
  // level 6: everything is plugged together here
  .executableTarget(
    name: "CLI",
    dependencies: [
      "BrowsingData", "Store", "Formats", "Browsers", "Channel", "Resources", "Transfer", "Binding", "CQREncode",
      "CLinux",
    ],
    path: "Sources/CLI", swiftSettings: strict),
]

/// Programs that show how the library is used; ExampleTests runs them.
let examples: [Target] = [
  .executableTarget(
    name: "ArticleExample", dependencies: ["BrowserTransfer"], path: "Tests/Examples/ArticleExample",
    swiftSettings: strict),
  .executableTarget(
    name: "MigrationExample", dependencies: ["AppMigration"], path: "Tests/Examples/MigrationExample",
    swiftSettings: strict),
]

/// Only for Scripts/fuzz: it does not link without libFuzzer.
let fuzzers: [Target] =
  Context.environment["WHERRY_FUZZ"] == nil
  ? []
  : [
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzzing/CFuzzer"),
    .executableTarget(
      name: "Decoders", dependencies: ["CFuzzer", "BrowsingData", "Wire", "Formats", "Resources"],
      path: "Tests/Fuzzing/Decoders", swiftSettings: strict),
  ]

/// Only for Scripts/bench.
let benchmarks: [Target] =
  Context.environment["WHERRY_BENCH"] == nil
  ? []
  : [
    .executableTarget(
      name: "Reading", dependencies: ["Browsers", "BrowsingData"], path: "Tests/Benchmarks/Reading",
      swiftSettings: strict),
    .executableTarget(
      name: "FormatsBench", dependencies: ["BrowsingData", "Formats"], path: "Tests/Benchmarks/Formats",
      swiftSettings: strict),
  ]

let package = Package(
  name: "Wherry",
  products: [
    .executable(name: "wherry", targets: ["CLI"]),
    .library(name: "Wherry", targets: ["BrowserTransfer", "AppMigration"]),
  ],
  targets: doors + rooms + examples + fuzzers + benchmarks + [
    .target(
      name: "TestSupport", dependencies: ["BrowsingData"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .target(
      name: "ChannelTestSupport", dependencies: ["Channel"], path: "Tests/ChannelTestSupport",
      swiftSettings: strict),
    tests("BrowsingData", ["BrowsingData", "TestSupport"]),
    tests("SQLite", ["SQLite", "TestSupport"]),
    tests("Crypto", ["Crypto", "TestSupport"]),
    tests("Merge", ["Merge", "BrowsingData", "TestSupport"], resources: [.copy("Traces")]),
    tests("Wire", ["Wire", "BrowsingData", "TestSupport"], resources: [.copy("Vectors")]),
    tests("Store", ["Store", "BrowsingData", "SQLite", "Merge", "Crypto", "TestSupport"]),
    tests("Formats", ["Formats", "BrowsingData", "Crypto", "TestSupport"], resources: [.copy("Fixtures")]),
    tests("Browsers", ["Browsers", "BrowsingData", "SQLite", "TestSupport"], resources: [.copy("Fixtures")]),
    tests("Channel", ["Channel", "Crypto", "ChannelTestSupport"]),
    tests(
      "Transfer",
      ["Transfer", "Store", "Wire", "Channel", "ChannelTestSupport", "Crypto", "BrowsingData", "SQLite", "TestSupport"]),
    tests("Resources", ["Resources", "BrowsingData", "Crypto", "TestSupport"]),
    tests("BrowserTransfer", ["BrowserTransfer", "BrowsingData", "Store", "TestSupport"]),
    tests("Binding", ["Binding", "BrowsingData", "Browsers", "Merge", "Store", "SQLite", "TestSupport"]),
    tests("AppMigration", ["AppMigration", "ChannelTestSupport", "TestSupport"]),
    tests("Example", ["ArticleExample", "MigrationExample", "TestSupport"]),
    tests(
      "CLI", ["CLI", "BrowsingData", "Channel", "ChannelTestSupport", "SQLite", "TestSupport"],
      resources: [.copy("Golden")]),
  ]
)
