// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

let package = Package(
  name: "dltui",
  products: [
    .executable(name: "dltui", targets: ["dltui"]),
    .library(name: "DownloadCore", targets: ["DownloadCore"]),
    .library(name: "DownloadEngine", targets: ["DownloadEngine"]),
    .library(name: "TerminalUI", targets: ["TerminalUI"]),
  ],
  targets: [
    .systemLibrary(name: "CCurl"),
    .systemLibrary(name: "CNcurses"),
    .systemLibrary(name: "CCrypto"),
    .systemLibrary(name: "CZlib"),
    .systemLibrary(name: "CDeflate"),
    .systemLibrary(name: "CExpat"),
    .systemLibrary(name: "CLinux"),
    module("DownloadCore"),
    module("DownloadEngine", ["DownloadCore", "CCurl", "CCrypto", "CZlib", "CDeflate", "CExpat", "CLinux"]),
    module("TerminalUI", ["DownloadCore"]),
    .executableTarget(
      name: "dltui", dependencies: ["DownloadCore", "DownloadEngine", "TerminalUI", "CNcurses", "CLinux"],
      swiftSettings: strict),
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
    .executableTarget(
      name: "dltui-demo-origin", dependencies: ["TestSupport"], path: "Tests/Demo",
      exclude: ["demo.sh", "screenshots.sh"], swiftSettings: strict),
    .executableTarget(
      name: "dltui-bench-session", dependencies: ["DownloadCore"], path: "Tests/Bench", exclude: ["harness"],
      swiftSettings: strict),
    tests("DownloadCoreTests", ["DownloadCore", "TestSupport"]),
    tests("TerminalUITests", ["TerminalUI", "DownloadCore", "TestSupport"], exclude: ["Snapshots"]),
    tests("DownloadEngineTests", ["DownloadEngine", "DownloadCore", "TestSupport"]),
    tests("ProgramTests", ["dltui", "DownloadCore", "TerminalUI", "TestSupport"], exclude: ["Schemas"]),
    tests("HouseRules", ["TerminalUI"]),
  ],
  swiftLanguageModes: [.v6]
)
