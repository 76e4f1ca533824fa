/// Gets what the desktop's keyring keeps for a browser, where a profile needs it.
enum ChromiumKeyring {
  /// The secrets of a profile. The keyring is asked only where something is locked with its secret and nobody has given
  /// that; what it gives must open a sample.
  static func secrets(
    of folder: ProfileFolder, _ browser: Browser, given: String?, bus: String?
  ) throws(ProfileError) -> ChromiumSecrets {
    var sample = try ChromiumLogins.sample(folder)
    if sample == nil { sample = try ChromiumCards.sample(folder) }
    var secrets = ChromiumSecrets(keyringSecret: given)
    if let sample, given == nil {
      do throws(Keyring.Absence) {
        secrets = ChromiumSecrets(keyringSecret: try secret(opening: sample, browser, bus))
      } catch {
        secrets.absence = error
      }
    }
    secrets.sealsWithKeyring = sample != nil
    return secrets
  }

  private static func secret(
    opening sample: [UInt8], _ browser: Browser, _ bus: String?
  ) throws(Keyring.Absence) -> String {
    var absence = Keyring.Absence.notRunning
    for application in browser.keyringNames {
      do throws(Keyring.Absence) {
        for bytes in try Keyring.secrets(application: application, bus: bus) {
          let secret = String(decoding: bytes, as: UTF8.self)
          if (try? ChromiumSecrets(keyringSecret: secret).open(sample)) != nil { return secret }
        }
        absence = .unknown
      } catch {
        if error == .notRunning { throw error }
        if absence != .locked { absence = error }
      }
    }
    throw absence
  }
}
