#if !hasFeature(Embedded)
  import Answers
  import ShardedIndex

  /// The look of a search page: its title, its texts, and the fields that it shows for a record. Options of the command
  /// line and lines of a file have the same names. ``PageDocument`` gives them to the page as one JSON text.
  package struct PageOptions: Equatable, Sendable {
    package typealias SettingsError = UserSettings.SettingsError

    /// An accepted setting.
    private struct Setting: Sendable {
      var name: String
      var value: String
      /// The beginning of a message about the setting, which names its place: `--title: ` or `FILE:3: title: `.
      var place: String
    }

    /// The settings that may be given more than once.
    private static let repeatable = ["label", "order", "text", "image-origin"]
    private static let names = [
      "title", "placeholder", "lang", "row", "subtitle", "row-right", "link", "fields", "label", "order", "image",
      "image-origin", "accent", "logo", "home", "costs", "text",
    ]
    /// The most bytes of a value, and the most settings.
    private static let (valueLimit, countLimit) = (4096, 1000)

    private var settings: [Setting] = []

    package init() {}

    package static func == (a: PageOptions, b: PageOptions) -> Bool { a.arguments == b.arguments }

    /// The settings as `name=value`, for ``add(_:_:place:)``.
    package var arguments: [String] { settings.map { $0.name + "=" + $0.value } }

    /// Whether a setting names a field of the index.
    package var namesFields: Bool { !fieldSettings.isEmpty }

    package var title: String { value("title") ?? "shardq" }
    package var language: String { value("lang") ?? "en" }
    /// The origins of images beside the page's own origin.
    package var imageOrigins: [String] { values("image-origin") }
    package var hasImage: Bool { value("image") != nil }
    /// The origins that the policy allows for images: those of records, and that of the logo.
    package var policyOrigins: [String] {
      guard let origin = value("logo").flatMap(PageAddress.origin), !imageOrigins.contains(origin) else {
        return imageOrigins
      }
      return imageOrigins + [origin]
    }

    private func value(_ name: String) -> String? { settings.last { $0.name == name }?.value }
    private func values(_ name: String) -> [String] { settings.filter { $0.name == name }.map(\.value) }

    // MARK: Reading

    /// Adds the lines of a file. A setting replaces an earlier setting of its name, unless it may be given again.
    package mutating func addFile(_ path: String) throws(SettingsError) {
      for line in try SettingsFile.lines(of: path, remedy: "with --page-file") {
        try add(line.name, line.value, place: line.place + line.name + ": ")
      }
    }

    /// Adds a setting.
    ///
    /// - Parameter place: The beginning of a message about the setting, which names its place.
    package mutating func add(_ name: String, _ value: String, place: String) throws(SettingsError) {
      func refuse(_ reason: String) -> SettingsError { SettingsError(message: place + reason, status: .usage) }
      guard Self.names.contains(name) else {
        let near = Misspelling.nearest(to: name, among: Self.names).map { "; did you mean \($0)?" }
        let all = Self.names.joined(separator: ", ")
        throw refuse("a page has no such setting" + (near ?? "; its settings are \(all)"))
      }
      guard value.utf8.count <= Self.valueLimit else {
        throw refuse("it has more than \(Self.valueLimit) bytes; make it shorter")
      }
      guard !value.isEmpty else { throw refuse("it is empty; give it a text, or leave it out") }
      guard !value.unicodeScalars.contains(where: { ControlText.isControl($0.value) }) else {
        throw refuse("it has a control character; leave the character out")
      }
      if let flaw = Self.flaw(name, value) { throw refuse(flaw) }
      if !Self.repeatable.contains(name) { settings.removeAll { $0.name == name } }
      settings.append(Setting(name: name, value: value, place: place))
      guard settings.count <= Self.countLimit else {
        throw refuse("there are more than \(Self.countLimit) settings; leave some out")
      }
    }

    /// Returns a reason to refuse a value; nil for none.
    private static func flaw(_ name: String, _ value: String) -> String? {
      switch name {
      case "lang":
        return isTag(value) ? nil : "\(value) is not a language; write a tag such as en, de-AT or fr"
      case "row", "subtitle", "row-right":
        return KeyTemplate(value).flaw.map(flaw)
      case "link":
        guard value.contains("{") else { return linkFlaw(value) }
        let template = KeyTemplate(value)
        return template.flaw.map(flaw) ?? PageAddress.flaw(template)
      case "accent": return PageColour.flaw(value)
      case "home": return PageAddress.flaw(value)
      case "logo":
        guard let flaw = PageAddress.flaw(value) else {
          let origin = PageAddress.origin(of: value)
          let isAllowed = origin.map { PagePolicy.isOrigin($0) } ?? true
          return isAllowed ? nil : "\(value) is not an address that a page takes images from"
        }
        return flaw
      case "fields":
        return NamedFields.list(value) == nil ? "a field has no name; write a,b" : nil
      case "label":
        return pair(value) == nil ? "write a field and its label, as in price=Price in EUR" : nil
      case "order":
        guard let (order, text) = pair(value), !text.isEmpty, !orderField(order).isEmpty else {
          return "write a field and the name of its order, as in price=Cheapest first or -price=Dearest first"
        }
        return nil
      case "text":
        guard let (name, _) = pair(value) else { return "write a name and the text, as in browse=Show all" }
        guard !PageTexts.isName(name) else { return nil }
        let near = Misspelling.nearest(to: name, among: PageTexts.names).map { "; did you mean \($0)?" }
        return "the page has no text \(name)" + (near ?? "; its texts are \(PageTexts.names.joined(separator: ", "))")
      case "image-origin":
        return PagePolicy.isOrigin(value)
          ? nil : "\(value) is not an origin; write one without a path, such as https://img.example.org"
      case "costs":
        return Bool(value) == nil ? "\(value) is not a choice; write true or false" : nil
      default: return nil
      }
    }

    /// Returns a reason to refuse an address in the place of a field: all rows would lead there.
    private static func linkFlaw(_ name: String) -> String? {
      name.contains("/") || name.lowercased().hasPrefix("javascript:") || name.lowercased().hasPrefix("data:")
        ? "\(name) names no field; write a field with an address, or an address such as https://shop.example/{id}" : nil
    }

    private static func flaw(_ flaw: (flaw: KeyTemplate.SyntaxFlaw, position: Int)) -> String {
      let what =
        switch flaw.flaw {
        case .empty, .noField: "it names no field"
        case .unclosed: "character \(flaw.position) is a brace that is never closed"
        case .unopened: "character \(flaw.position) closes a brace that was never opened"
        case .emptyField: "character \(flaw.position) begins a field without a name"
        }
      return what + "; write fields in braces, as in {brand}, {price} EUR"
    }

    /// Returns the two sides of `name=text`.
    private static func pair(_ value: String) -> (String, String)? {
      guard let sign = value.firstIndex(of: "="), sign != value.startIndex else { return nil }
      return (String(value[..<sign]), String(value[value.index(after: sign)...]))
    }

    /// Returns the field of an order: `price` of `-price`.
    private static func orderField(_ order: String) -> String { ShardedIndex.SearchQuery.Sort(text: order).field }

    /// Whether a text has the form of a language tag. Source: RFC 5646 section 2.1, without grandfathered tags.
    private static func isTag(_ text: String) -> Bool {
      let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }
      func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
      guard text.utf8.count <= 35, (2...3).contains(parts[0].count), parts[0].allSatisfy(isLetter) else { return false }
      return parts.dropFirst().allSatisfy {
        (2...8).contains($0.count) && $0.allSatisfy { isLetter($0) || isDigit($0) }
      }
    }

    /// Returns the fields that a row shows beside its key (record.js): those of its templates, its link and its image. A
    /// row without a second line of its own has the country, or in an index without coordinates the first fields.
    package func rowFields(of schema: Schema) -> [String] {
      var fields: [String]
      if let subtitle = value("subtitle") {
        fields = Self.named("subtitle", subtitle)
      } else if schema.latitude != nil, schema.longitude != nil {
        fields = PlaceWriter.countryField(of: schema).map { [$0] } ?? []
      } else {
        fields = Array(schema.names.prefix(8))
      }
      for name in ["row", "row-right", "link", "image"] { fields += value(name).map { Self.named(name, $0) } ?? [] }
      // The page shows the first image of an array.
      let found = fields.flatMap { name in
        (schema.names.contains(name) ? [name] : []) + schema.names.filter { $0.hasPrefix(name + ".") }.prefix(1)
      }
      return found.indices.filter { found.firstIndex(of: found[$0]) == $0 }.map { found[$0] }
    }

    /// Returns the fields that a setting names.
    private static func named(_ name: String, _ value: String) -> [String] {
      switch name {
      case "row", "subtitle", "row-right": KeyTemplate(value).fields
      case "link": value.contains("{") ? KeyTemplate(value).fields : [value]
      case "fields": NamedFields.list(value) ?? []
      case "label": pair(value).map { [$0.0] } ?? []
      case "order": pair(value).map { [orderField($0.0)] } ?? []
      case "image": [value]
      default: []
      }
    }

    // MARK: Checking

    /// The settings that name fields, and the fields.
    private var fieldSettings: [(setting: Setting, fields: [String])] {
      settings.map { ($0, Self.named($0.name, $0.value)) }.filter { !$0.1.isEmpty }
    }

    /// Refuses a field that the index does not have, an order by a field without numbers, and a language without texts.
    ///
    /// - Parameters:
    ///   - fields: The names of the index's fields.
    ///   - numbers: The fields of the index that it was built to sort by.
    package func check(_ fields: [String], numbers: [String]) throws(SettingsError) {
      try checkLanguage()
      for (setting, wanted) in fieldSettings {
        // `tags` names both `tags.0` and `tags.1`.
        let known = fields + wanted.filter { name in fields.contains { $0.hasPrefix(name + ".") } }
        if case .failure(let unknown) = NamedFields.find(wanted, in: known, place: setting.place) {
          throw SettingsError(message: unknown.message, status: .usage)
        }
        guard setting.name == "order", let field = wanted.first, !numbers.contains(field) else { continue }
        let others = numbers.isEmpty ? "it has none" : "it has those of \(numbers.joined(separator: ", "))"
        throw SettingsError(
          message: setting.place + "the index has no numbers of \(field), \(others); build it with --number \(field)",
          status: .usage)
      }
    }

    /// Refuses a language without texts of the page, unless the settings have all texts.
    package func checkLanguage() throws(SettingsError) {
      guard PageTexts.table(of: language) == nil else { return }
      let given = values("text").compactMap { Self.pair($0)?.0 }
      let missing = PageTexts.names.filter { !given.contains($0) }
      guard !missing.isEmpty else { return }
      let place = settings.last { $0.name == "lang" }?.place ?? ""
      let languages = PageTexts.languages.joined(separator: ", ")
      throw SettingsError(
        message: place + "the page has texts in \(languages), not in \(language); choose one of these, or give the "
          + "texts in a file with text = NAME=TEXT: \(missing.joined(separator: ", "))",
        status: .usage)
    }

    // MARK: Writing

    /// Returns the parts of a template as JSON: texts, and arrays with the name of a field.
    private static func json(_ template: KeyTemplate) -> String {
      let parts = template.parts.map { part in
        switch part {
        case .literal(let bytes): JSONText.string(String(decoding: bytes, as: UTF8.self))
        case .field(let number): "[" + JSONText.string(template.fields[number]) + "]"
        }
      }
      return "[" + parts.joined(separator: ",") + "]"
    }

    /// Returns the settings as JSON for the page.
    package func json(_ facts: PageFacts) -> String {
      func object(_ pairs: [(String, String)]) -> String {
        "{" + pairs.map { JSONText.string($0) + ":" + JSONText.string($1) }.joined(separator: ",") + "}"
      }
      func list(_ texts: [String]) -> String { "[" + texts.map(JSONText.string).joined(separator: ",") + "]" }
      var members = ["\"index\":\(facts.json)"]
      for name in ["title", "placeholder", "image", "logo", "home"] {
        if let value = value(name) { members.append("\"\(name)\":" + JSONText.string(value)) }
      }
      if let accent = value("accent").flatMap(PageColour.digits) { members.append("\"accent\":\"\(accent)\"") }
      for (name, member) in [("row", "row"), ("subtitle", "subtitle"), ("row-right", "right"), ("link", "link")] {
        guard let value = value(name) else { continue }
        let isField = name == "link" && !value.contains("{")
        members.append("\"\(member)\":" + (isField ? JSONText.string(value) : Self.json(KeyTemplate(value))))
      }
      if let fields = value("fields").flatMap(NamedFields.list) { members.append("\"fields\":" + list(fields)) }
      let labels = values("label").compactMap(Self.pair)
      if !labels.isEmpty { members.append("\"labels\":" + object(labels)) }
      let orders = values("order").compactMap(Self.pair)
      if !orders.isEmpty {
        // The page's menu has them in their order.
        members.append("\"orders\":[" + orders.map { list([$0.0, $0.1]) }.joined(separator: ",") + "]")
      }
      if !imageOrigins.isEmpty { members.append("\"imageOrigins\":" + list(imageOrigins)) }
      if value("costs") == "true" { members.append("\"costs\":true") }
      // Texts of the settings come later, so that they replace texts of the language.
      let texts = (PageTexts.table(of: language) ?? []).map { ($0, $1) } + values("text").compactMap(Self.pair)
      if !texts.isEmpty { members.append("\"texts\":" + object(texts)) }
      return "{" + members.joined(separator: ",") + "}"
    }
  }

  /// The features of an index that the page shows to its visitors.
  package struct PageFacts: Hashable, Sendable {
    package var hasWords = false
    package var correctsTypos = false
    package var hasPlaces = true
    /// The fields to filter by, and the others whose numbers can be filtered by ranges.
    package var (filters, ranges): ([String], [String]) = ([], [])
    /// Whether searches can prefer records near to a place.
    package var prefersNear = false

    package init() {}

    package init(_ settings: IndexSettings, _ schema: Schema) {
      hasWords = settings.words != nil
      correctsTypos = settings.typos
      hasPlaces = schema.latitude != nil && schema.longitude != nil
      filters = settings.filter
      ranges = settings.number.filter { number in !settings.filter.contains(number) }
      prefersNear = settings.near
    }

    fileprivate var json: String {
      let lists = [("filters", filters), ("ranges", ranges)].filter { !$0.1.isEmpty }.map { name, fields in
        ",\"\(name)\":[" + fields.map(JSONText.string).joined(separator: ",") + "]"
      }
      return "{\"words\":\(hasWords),\"typos\":\(correctsTypos),\"places\":\(hasPlaces)" + lists.joined()
        + (prefersNear ? ",\"near\":true}" : "}")
    }
  }
#endif
