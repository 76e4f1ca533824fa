// swift-tools-version: 6.2
// Another program that uses the library product by its path: `Scripts/test-library` builds and runs it.
import PackageDescription

let package = Package(
  name: "Outside",
  dependencies: [.package(name: "Wherry", path: "../..")],
  targets: [
    .executableTarget(
      name: "Outside", dependencies: [.product(name: "Wherry", package: "Wherry")])
  ]
)
