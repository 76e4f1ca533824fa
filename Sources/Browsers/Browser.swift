package import BrowsingData

/// A browser whose profiles can be read.
package enum Browser: String, CaseIterable, Sendable, Hashable {
  /// Those of Firefox's family.
  case firefox, librewolf, waterfox
  /// Those of Chromium's family.
  case chromium, chrome, brave, edge, vivaldi, opera

  /// What a browser's profiles are made of.
  package enum Family: Sendable, Hashable {
    /// As Firefox makes them.
    case firefox
    /// As Chromium makes them.
    case chromium
  }

  /// The word of the command line: `firefox` in `firefox:NAME`.
  package var word: String { rawValue }

  /// Which kind of profile it has.
  package var family: Family {
    switch self {
    case .firefox, .librewolf, .waterfox: .firefox
    case .chromium, .chrome, .brave, .edge, .vivaldi, .opera: .chromium
    }
  }

  /// Its name for people.
  package var name: String {
    switch self {
    case .firefox: "Firefox"
    case .librewolf: "LibreWolf"
    case .waterfox: "Waterfox"
    case .chromium: "Chromium"
    case .chrome: "Google Chrome"
    case .brave: "Brave"
    case .edge: "Microsoft Edge"
    case .vivaldi: "Vivaldi"
    case .opera: "Opera"
    }
  }

  /// What its records carry as the program they came from.
  package var application: Application {
    let id =
      switch self {
      case .firefox: "org.mozilla.firefox"
      case .librewolf: "io.gitlab.librewolf-community"
      case .waterfox: "net.waterfox.waterfox"
      case .chromium: "org.chromium.Chromium"
      case .chrome: "com.google.Chrome"
      case .brave: "com.brave.Browser"
      case .edge: "com.microsoft.Edge"
      case .vivaldi: "com.vivaldi.Vivaldi"
      case .opera: "com.opera.Opera"
      }
    return Application(id: id, name: name)
  }

  /// Under which names the desktop's keyring may keep its secret, its own first: those who changed the name of their
  /// browser did not all change this one.
  var keyringNames: [String] {
    switch self {
    case .firefox, .librewolf, .waterfox: []
    case .chromium: ["chromium"]
    case .chrome: ["chrome"]
    case .edge: ["microsoft-edge", "chromium", "chrome"]
    case .brave, .vivaldi, .opera: [word, "chromium", "chrome"]
    }
  }

  /// Folders that may hold its profiles, below `configuration` (XDG_CONFIG_HOME) and below `home`, the likeliest first.
  var folders: (configuration: [String], home: [String]) {
    switch self {
    case .firefox:
      (
        ["mozilla/firefox"],
        [
          ".mozilla/firefox", "snap/firefox/common/.mozilla/firefox", "snap/firefox/common/.config/mozilla/firefox",
          ".var/app/org.mozilla.firefox/config/mozilla/firefox", ".var/app/org.mozilla.firefox/.mozilla/firefox",
        ]
      )
    case .librewolf:
      (["librewolf/librewolf"], [".librewolf", ".var/app/io.gitlab.librewolf-community/.librewolf"])
    case .waterfox: (["waterfox"], [".waterfox", ".var/app/net.waterfox.waterfox/.waterfox"])
    case .chromium:
      (
        ["chromium"],
        [
          "snap/chromium/common/chromium", "snap/chromium/current/.config/chromium",
          ".var/app/org.chromium.Chromium/config/chromium",
          ".var/app/io.github.ungoogled_software.ungoogled_chromium/config/chromium",
        ]
      )
    case .chrome:
      (
        ["google-chrome", "google-chrome-beta", "google-chrome-unstable", "google-chrome-canary"],
        [".var/app/com.google.Chrome/config/google-chrome"]
      )
    case .brave:
      (
        [
          "BraveSoftware/Brave-Browser", "BraveSoftware/Brave-Browser-Beta", "BraveSoftware/Brave-Browser-Nightly",
        ],
        [
          "snap/brave/current/.config/BraveSoftware/Brave-Browser",
          ".var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser",
        ]
      )
    case .edge:
      (
        ["microsoft-edge", "microsoft-edge-beta", "microsoft-edge-dev", "microsoft-edge-canary"],
        [".var/app/com.microsoft.Edge/config/microsoft-edge"]
      )
    case .vivaldi:
      (
        ["vivaldi", "vivaldi-snapshot"],
        ["snap/vivaldi/current/.config/vivaldi", ".var/app/com.vivaldi.Vivaldi/config/vivaldi"]
      )
    case .opera:
      (
        ["opera", "opera-beta", "opera-developer"],
        ["snap/opera/current/.config/opera", ".var/app/com.opera.Opera/config/opera"]
      )
    }
  }
  /// Whose a user data folder of Chromium's kind is by the name that each browser gives it; Chromium's when none fits.
  static func chromiumFamily(userData path: String) -> Browser {
    allCases.first { browser in
      browser.family == .chromium && browser.folders.configuration.contains { path.hasSuffix("/" + $0) }
    } ?? .chromium
  }
}
