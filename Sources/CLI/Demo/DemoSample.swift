import Glibc

/// The bundled sample: a small browser's worth of files, made in code so that it is there wherever the program is.
struct DemoSample {
  /// The files that were written.
  let paths: [String]

  /// Writes the sample into a folder.
  init(in folder: String) throws {
    let files = [
      ("Bookmarks.html", DemoSample.bookmarks), ("History.json", DemoSample.history),
      ("Extensions.json", DemoSample.extensions), ("Passwords.csv", DemoSample.passwords),
      ("PaymentCards.json", DemoSample.cards),
    ]
    paths = try files.map { name, text in
      let path = "\(folder)/\(name)"
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if descriptor < 0 { throw Failure.system("Cannot write the sample", errno) }
      defer { close(descriptor) }
      if let number = writeAll(descriptor, Array(text.utf8)) { throw Failure.system("Cannot write the sample", number) }
      return path
    }
  }

  private static let bookmarks = """
    <!DOCTYPE NETSCAPE-Bookmark-file-1>
    <META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
    <TITLE>Bookmarks</TITLE>
    <H1>Bookmarks Menu</H1>
    <DL><p>
        <DT><H3 ADD_DATE="1704103200" PERSONAL_TOOLBAR_FOLDER="true">Bookmarks Toolbar</H3>
        <DL><p>
            <DT><A HREF="https://news.example/" ADD_DATE="1704103260" TAGS="daily,morning">The morning paper</A>
            <DT><A HREF="https://weather.example/lisbon" ADD_DATE="1704103320">Weather in Lisbon ☀︎</A>
            <HR>
            <DT><H3 ADD_DATE="1704103380">Work</H3>
            <DL><p>
                <DT><A HREF="https://wiki.example/start" ADD_DATE="1704103440" SHORTCUTURL="w">Wiki</A>
                <DT><A HREF="https://build.example/?branch=main&amp;view=all" ADD_DATE="1704103500">Builds</A>
            </DL><p>
        </DL><p>
        <DT><H3 ADD_DATE="1704103560">Recipes – Rezepte – レシピ</H3>
        <DL><p>
            <DT><A HREF="https://cook.example/bread" ADD_DATE="1704103620">Bread without kneading</A>
            <DT><A HREF="https://cook.example/soup" ADD_DATE="1704103680">Soup for a cold day</A>
        </DL><p>
    </DL>

    """

  private static let extensions = """
    {"metadata":{"browser_name":"Safari","browser_version":"18.4","data_type":"extensions",\
    "export_time_usec":1747418368726439,"schema_version":1},"extensions":[
    {"display_name":"Quiet Pages","developer_name":"Quiet Ltd",\
    "composed_identifier":"test.quiet (ABCDE12345)"}
    ]}

    """

  private static let passwords = """
    Title,URL,Username,Password,Notes,OTPAuth
    News,https://news.example/,ann,only-a-sample-1,,
    Wiki,https://wiki.example/,ann,only-a-sample-2,"The old one, until May",otpauth://totp/Wiki:ann?secret=JBSWY3DPEHPK3PXP&issuer=Wiki
    Builds,https://build.example/,ann@work.example,only-a-sample-3,,

    """

  /// A number that every card network reserves for tests.
  private static let cards = """
    {"metadata":{"browser_name":"Safari","browser_version":"18.4","data_type":"payment_cards",\
    "export_time_usec":1747418368726439,"schema_version":1},"payment_cards":[
    {"card_number":"4012888888881881","card_name":"A sample","cardholder_name":"Ann Example",\
    "card_expiration_month":3,"card_expiration_year":2031}
    ]}

    """

  /// Two thousand visits over two months, some of them redirected, as Safari exports them.
  private static var history: String {
    let pages = [
      ("https://news.example/", "The morning paper"), ("https://weather.example/lisbon", "Weather in Lisbon"),
      ("https://wiki.example/start", "Wiki"), ("https://cook.example/bread", "Bread without kneading"),
      ("https://search.example/?q=ferry+times", "ferry times – search"),
    ]
    var entries: [String] = []
    let start: Int64 = 1_704_103_200_000_000
    for number in 0..<2_000 {
      let (url, title) = pages[number % pages.count]
      let path = number % pages.count == 0 && number % 3 == 0 ? "article/\(number)" : ""
      let time = start + Int64(number) * 2_592_000_000 + Int64(number * number % 997)
      entries.append(
        #"{"url":"\#(url)\#(path)","title":"\#(title)","time_usec":\#(time),"visit_count":1}"#)
    }
    return """
      {"metadata":{"browser_name":"Safari","browser_version":"18.4","data_type":"history",\
      "export_time_usec":1747418368726439,"schema_version":1},"history":[
      \(entries.joined(separator: ",\n"))
      ]}

      """
  }
}
