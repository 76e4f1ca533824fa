internal import BrowsingData

// The two kinds that hold secrets; the lists are in clear and are sealed where they are written.
extension RecordContent {
  static func fields(_ login: Login) -> FieldList {
    var list = FieldList()
    list.add(FieldNumber.title, login.title)
    list.add(FieldNumber.url, login.url)
    list.add(FieldNumber.occurrence, login.occurrence == 0 ? nil : login.occurrence)
    list.add(FieldNumber.guid, login.guid)
    list.add(FieldNumber.username, login.username)
    list.add(FieldNumber.password, login.password)
    list.add(FieldNumber.notes, login.notes)
    list.add(FieldNumber.otpauth, login.otpauth)
    list.add(FieldNumber.urls, texts: login.urls)
    list.add(FieldNumber.httpRealm, login.httpRealm)
    list.add(FieldNumber.formAction, login.formAction)
    list.add(FieldNumber.dateCreated, login.dateCreated)
    list.add(FieldNumber.dateLastUsed, login.dateLastUsed)
    list.add(FieldNumber.datePasswordChanged, login.datePasswordChanged)
    list.add(FieldNumber.timesUsed, login.timesUsed)
    list.add(FieldNumber.profile, login.profile)
    list.add(FieldNumber.application, login.application)
    list.add(FieldNumber.unknown, login.unknown)
    return list
  }

  static func login(_ id: RecordID, _ list: FieldList) -> Login {
    var login = Login(
      id: id, url: list.text(FieldNumber.url) ?? "", username: list.text(FieldNumber.username) ?? "",
      password: list.text(FieldNumber.password) ?? "")
    login.title = list.text(FieldNumber.title)
    login.occurrence = list.int(FieldNumber.occurrence) ?? 0
    login.guid = list.text(FieldNumber.guid)
    login.notes = list.text(FieldNumber.notes)
    login.otpauth = list.text(FieldNumber.otpauth)
    login.urls = list.texts(FieldNumber.urls)
    login.httpRealm = list.text(FieldNumber.httpRealm)
    login.formAction = list.text(FieldNumber.formAction)
    login.dateCreated = list.time(FieldNumber.dateCreated)
    login.dateLastUsed = list.time(FieldNumber.dateLastUsed)
    login.datePasswordChanged = list.time(FieldNumber.datePasswordChanged)
    login.timesUsed = list.int(FieldNumber.timesUsed)
    login.profile = list.text(FieldNumber.profile)
    login.application = list.application(FieldNumber.application)
    login.unknown = list.unknownFields(FieldNumber.unknown)
    return login
  }

  static func fields(_ card: PaymentCard) -> FieldList {
    var list = FieldList()
    list.add(FieldNumber.title, card.name)
    list.add(FieldNumber.number, card.number)
    list.add(FieldNumber.holder, card.holder)
    list.add(FieldNumber.expirationMonth, card.expirationMonth)
    list.add(FieldNumber.expirationYear, card.expirationYear)
    list.add(FieldNumber.lastUsedAt, card.lastUsedAt)
    list.add(FieldNumber.profile, card.profile)
    list.add(FieldNumber.application, card.application)
    list.add(FieldNumber.unknown, card.unknown)
    return list
  }

  static func paymentCard(_ id: RecordID, _ list: FieldList) -> PaymentCard {
    var card = PaymentCard(id: id, number: list.text(FieldNumber.number) ?? "")
    card.name = list.text(FieldNumber.title)
    card.holder = list.text(FieldNumber.holder)
    card.expirationMonth = list.int(FieldNumber.expirationMonth)
    card.expirationYear = list.int(FieldNumber.expirationYear)
    card.lastUsedAt = list.time(FieldNumber.lastUsedAt)
    card.profile = list.text(FieldNumber.profile)
    card.application = list.application(FieldNumber.application)
    card.unknown = list.unknownFields(FieldNumber.unknown)
    return card
  }
}
