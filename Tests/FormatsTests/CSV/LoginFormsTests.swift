import BrowsingData
import Testing

@testable import Formats

@Suite struct LoginFormsTests {
  private let first = RecordID(high: 1, low: 2)
  private let second = RecordID(high: 1, low: 3)

  @Test func `forms of a login are numbered as they come, and the same one has the same number`() {
    var forms = LoginForms()
    #expect(forms.number(of: nil, login: first) == 0)
    #expect(forms.number(of: "", login: first) == 1)
    #expect(forms.number(of: "https://a.test", login: first) == 2)
    #expect(forms.number(of: "", login: first) == 1)
    #expect(forms.number(of: nil, login: first) == 0)
    #expect(forms.number(of: "https://a.test", login: second) == 0)
    #expect(forms.count == 4)
  }
}
