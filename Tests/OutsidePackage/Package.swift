// swift-tools-version: 6.2
// Another program that uses the library product by its path: `Scripts/test-library` builds and runs it.
import PackageDescription

let wherry = Target.Dependency.product(name: "Wherry", package: "Wherry")
let package = Package(
  name: "Outside",
  dependencies: [.package(name: "Wherry", path: "../..")],
  targets: [
    .executableTarget(name: "Outside", dependencies: [wherry]),
    // The code of the articles, written there by Scripts/test-library.
    .executableTarget(name: "TutorialExporter", dependencies: [wherry], path: ".build/tutorial/TutorialExporter"),
    .executableTarget(name: "TutorialImporter", dependencies: [wherry], path: ".build/tutorial/TutorialImporter"),
    .executableTarget(name: "TutorialMigration", dependencies: [wherry], path: ".build/tutorial/TutorialMigration"),
  ]
)
