internal import BrowsingData

/// Numbers logins of the same origin, realm and user by where their forms are sent: what tells them apart in Firefox's
/// table. About a hundred bytes for each login.
struct LoginForms {
  /// A login and a form, as the hash of its address.
  private struct Form: Hashable {
    let login: RecordID
    let hash: UInt64
  }

  private let hash = TextHash()
  private var numbers: [Form: Int] = [:]
  /// How many forms a login has.
  private var counts: [RecordID: Int] = [:]

  /// How many were numbered.
  var count: Int { numbers.count }

  /// The number of a form of a login, from 0; the same one for the same form. nil is a form, too.
  mutating func number(of form: String?, login: RecordID) -> Int {
    var text = form.map { "f" + $0 } ?? ""
    let form = Form(login: login, hash: text.withUTF8 { hash(UnsafeRawBufferPointer($0)) })
    if let number = numbers[form] { return number }
    let number = counts[login, default: 0]
    counts[login] = number + 1
    numbers[form] = number
    return number
  }
}
