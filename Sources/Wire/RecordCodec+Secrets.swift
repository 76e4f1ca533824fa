import BrowsingData

// The two kinds that hold secrets. Faults name the field, never what is in it.
extension RecordCodec {
  static func encode(_ login: Login) -> [UInt8] {
    var fields = TLVWriter(unknown: login.unknown)
    fields.bytes(2, login.id.bytes)
    fields.text(4, login.url)
    fields.text(6, login.username)
    fields.text(8, login.password)
    fields.optionalText(13, login.title)
    fields.optionalText(15, login.notes)
    fields.optionalText(17, login.otpauth)
    fields.texts(19, login.urls)
    fields.optionalText(21, login.httpRealm)
    fields.optionalText(23, login.formAction)
    fields.optionalTime(25, login.dateCreated)
    fields.optionalTime(27, login.dateLastUsed)
    fields.optionalTime(29, login.datePasswordChanged)
    fields.optionalNumber(31, login.timesUsed)
    if login.occurrence != 0 { fields.natural(33, login.occurrence) }
    fields.optionalText(35, login.guid)
    fields.origin(profile: login.profile, application: login.application)
    return fields.finish()
  }

  static func login(_ fields: inout RecordFields) throws(WireError) -> Login {
    var login = Login(
      id: try fields.id(2, "id"), url: try fields.text(4, "url"), username: try fields.text(6, "username"),
      password: try fields.text(8, "password"))
    login.title = try fields.optionalText(13, "title")
    login.notes = try fields.optionalText(15, "notes")
    login.otpauth = try fields.optionalText(17, "otpauth")
    login.urls = try fields.texts(19, "urls")
    login.httpRealm = try fields.optionalText(21, "http_realm")
    login.formAction = try fields.optionalText(23, "form_action")
    login.dateCreated = try fields.optionalTime(25, "date_created")
    login.dateLastUsed = try fields.optionalTime(27, "date_last_used")
    login.datePasswordChanged = try fields.optionalTime(29, "date_password_changed")
    login.timesUsed = try fields.optionalNumber(31, "times_used")
    login.occurrence = try fields.optionalNumber(33, "occurrence", 1...Int(Int32.max)) ?? 0
    login.guid = try fields.optionalText(35, "guid")
    login.profile = try fields.optionalText(61, "profile")
    login.application = try fields.application(63)
    login.unknown = try fields.finish()
    return login
  }

  static func encode(_ card: PaymentCard) -> [UInt8] {
    var fields = TLVWriter(unknown: card.unknown)
    fields.bytes(2, card.id.bytes)
    fields.text(4, card.number)
    fields.optionalText(13, card.name)
    fields.optionalText(15, card.holder)
    fields.optionalNumber(17, card.expirationMonth)
    fields.optionalNumber(19, card.expirationYear)
    fields.optionalTime(21, card.lastUsedAt)
    fields.origin(profile: card.profile, application: card.application)
    return fields.finish()
  }

  static func paymentCard(_ fields: inout RecordFields) throws(WireError) -> PaymentCard {
    var card = PaymentCard(id: try fields.id(2, "id"), number: try fields.text(4, "number"))
    card.name = try fields.optionalText(13, "name")
    card.holder = try fields.optionalText(15, "holder")
    card.expirationMonth = try fields.optionalNumber(17, "expiration_month", 1...12)
    card.expirationYear = try fields.optionalNumber(19, "expiration_year", 1000...9999)
    card.lastUsedAt = try fields.optionalTime(21, "last_used_at")
    card.profile = try fields.optionalText(61, "profile")
    card.application = try fields.application(63)
    card.unknown = try fields.finish()
    return card
  }
}
