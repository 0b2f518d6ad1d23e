import Answers
import Foundation
import QueryOutput
import Testing

@Suite("Options of the page") struct PageOptionsTests {
  static func options(_ settings: [(String, String)]) throws -> PageOptions {
    var options = PageOptions()
    for (name, value) in settings { try options.add(name, value, place: "--\(name): ") }
    return options
  }

  static func object(_ options: PageOptions) throws -> [String: Any] {
    let data = Data(options.json(PageFacts()).utf8)
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test("options become one JSON text, and come back from the words that the server gets")
  func json() throws {
    let options = try Self.options([
      ("title", "A & <B> \"C\" €"), ("subtitle", "{brand} · {price} €{{"), ("fields", "id,a\\,b"),
      ("label", "price=Price=EUR"), ("label", "id=Article"), ("image", "photo"),
      ("order", "-price=Dearest = first"), ("order", "price=Cheapest first"),
      ("image-origin", "https://img.example.org"), ("image-origin", "http://127.0.0.1:8080"), ("costs", "true"),
      ("lang", "fr"), ("text", "browse=Tout"), ("placeholder", "Chercher"),
    ])
    let object = try Self.object(options)
    #expect(object["title"] as? String == "A & <B> \"C\" €")
    #expect((object["subtitle"] as? [Any])?.count == 4)
    #expect((object["subtitle"] as? [Any])?[2] as? [String] == ["price"])
    #expect((object["subtitle"] as? [Any])?[3] as? String == " €{")
    #expect(object["fields"] as? [String] == ["id", "a,b"])
    #expect(object["labels"] as? [String: String] == ["price": "Price=EUR", "id": "Article"])
    #expect(object["orders"] as? [[String]] == [["-price", "Dearest = first"], ["price", "Cheapest first"]])
    #expect(object["imageOrigins"] as? [String] == ["https://img.example.org", "http://127.0.0.1:8080"])
    let texts = try #require(object["texts"] as? [String: String])
    #expect(texts["browse"] == "Tout")
    #expect(texts["showList"] == "Afficher la liste")
  }

  @Test("a row, its link, a colour and a logo")
  func row() throws {
    let options = try Self.options([
      ("row", "{name}"), ("row-right", "{price} €"), ("link", "https://shop.example/{id}?a=b"), ("accent", "#0A7"),
      ("logo", "https://cdn.shop.example:8443/logo.svg"), ("home", "/"), ("image-origin", "https://img.example.org"),
    ])
    let object = try Self.object(options)
    #expect((object["row"] as? [Any])?.first as? [String] == ["name"])
    #expect((object["right"] as? [Any])?.last as? String == " €")
    #expect((object["link"] as? [Any])?.first as? String == "https://shop.example/")
    #expect(object["accent"] as? String == "#00aa77")
    #expect(object["logo"] as? String == "https://cdn.shop.example:8443/logo.svg")
    #expect(object["home"] as? String == "/")
    // The policy has the origin of the logo; records have no images from there.
    #expect(options.policyOrigins == ["https://img.example.org", "https://cdn.shop.example:8443"])
    #expect(object["imageOrigins"] as? [String] == ["https://img.example.org"])
    #expect(try Self.object(Self.options([("link", "url")]))["link"] as? String == "url")
    #expect(try Self.object(Self.options([("accent", "Teal")]))["accent"] as? String == "#008080")
    #expect(try Self.options([("logo", "../logo.svg")]).policyOrigins == [])
    for address in ["./{id}", "products/{id}", "?id={id}", "/{a}/{b}", "#key={id}"] {
      try Self.options([("link", address)]).check(["id", "a", "b"], numbers: [])
    }
  }

  @Test("a later option replaces an earlier one")
  func order() throws {
    let options = try Self.options([("title", "one"), ("title", "two"), ("label", "a=1"), ("label", "a=2")])
    #expect(options.title == "two")
    #expect(try Self.object(options)["labels"] as? [String: String] == ["a": "2"])
  }

  @Test(
    "wrong options are refused with a correction",
    arguments: [
      ("subtitle", "brand", "--subtitle: it names no field; write fields in braces"),
      ("subtitle", "{brand", "--subtitle: character 1 is a brace that is never closed"),
      ("subtitle", "a }", "--subtitle: character 3 closes a brace that was never opened"),
      ("subtitle", "{a}{}", "--subtitle: character 4 begins a field without a name"),
      ("fields", "a,,b", "--fields: a field has no name; write a,b"),
      ("label", "price", "--label: write a field and its label"), ("label", "=x", "--label: write a field"),
      ("order", "price", "--order: write a field and the name of its order, as in price=Cheapest first"),
      ("order", "price=", "--order: write a field and"), ("order", "-=x", "--order: write a field and"),
      ("lang", "klingon", "--lang: klingon is not a language; write a tag such as en"),
      ("lang", "de-", "--lang: de- is not a language"), ("lang", "d€", "--lang: d€ is not a language"),
      ("image-origin", "https://a/b", "--image-origin: https://a/b is not an origin; write one"),
      ("image-origin", "https://a;script-src *", "--image-origin: "), ("image-origin", "*", "--image-origin: * is not"),
      ("image-origin", "https://a:99999", "--image-origin: "), ("image-origin", "javascript:1", "--image-origin: "),
      ("image-origin", "https://", "--image-origin: "),
      ("row", "name", "--row: it names no field"), ("row-right", "{a", "--row-right: character 1 is a brace"),
      ("accent", "red;}body{display:none", "--accent: red;}body{display:none is not a colour; write #0a7"),
      ("accent", "#12", "--accent: #12 is not a colour"), ("accent", "#1234567", "--accent: #1234567 is not a colour"),
      ("accent", "#00g", "--accent: "), ("accent", "url(//x)", "--accent: "), ("accent", "var(--ink)", "--accent: "),
      ("accent", "teel", "--accent: teel is not a colour; write #0a7 or #00aa77; did you mean teal?"),
      ("logo", "javascript:alert(1)", "--logo: the page has no addresses of javascript:; write one of https:"),
      ("logo", "data:image/svg+xml,<svg/>", "--logo: "),
      ("logo", "DATA:image/png;base64,AA", "--logo: the page has no"),
      ("logo", "https://a;b/logo.svg", "--logo: https://a;b/logo.svg is not an address that a page takes images"),
      ("home", " javascript:alert(1)", "--home:  javascript:alert(1) is not an address"),
      ("home", "https:\\\\evil.example", "--home: "), ("home", "//evil.example/a", "--home: //evil.example/a is not"),
      ("home", "https://user:word@evil.example/", "--home: "), ("home", "https:a", "--home: "),
      ("home", "ftp://a/", "--home: "),
      ("home", "mailto:a@b.example", "--home: the page has no addresses of mailto:"),
      ("link", "https://shop.example/", "--link: https://shop.example/ names no field; write a field with an address"),
      ("link", "javascript:alert({id})", "--link: the page has no addresses of javascript:"),
      ("link", "{url}/a", "--link: the fields of an address stand behind its host"),
      ("link", "https://{host}/a", "--link: the fields of an address stand behind"),
      ("link", "{url}", "--link: the fields"),
      ("link", "https://shop.example{id}", "--link: the fields of an address stand behind its host"),
      ("link", "a/{id", "--link: character 3 is a brace"), ("link", "a b/{id}", "--link: a b/x is not an address"),
      ("costs", "yes", "--costs: yes is not a choice; write true or false"),
      ("text", "brwse=x", "--text: the page has no text brwse; did you mean browse?"),
      ("text", "browse", "--text: write a name and the text"),
      ("title", "", "--title: it is empty; give it a text"),
      ("title", "a\u{1b}[31m", "--title: it has a control character"),
      ("title", "a\u{202e}b", "--title: it has a control character"),
      ("titel", "a", "--titel: a page has no such setting; did you mean title?"),
    ])
  func refused(name: String, value: String, message: String) throws {
    let failure = #expect(throws: PageOptions.SettingsError.self) { try Self.options([(name, value)]) }
    #expect(failure?.message.hasPrefix(message) == true, "\(failure?.message ?? "")")
    #expect(failure?.status == .usage)
  }

  @Test("options have bounds")
  func bounds() throws {
    #expect(throws: PageOptions.SettingsError.self) {
      try Self.options([("title", String(repeating: "x", count: 4097))])
    }
    let many = (0...1000).map { ("label", "field\($0)=x") }
    #expect(throws: PageOptions.SettingsError.self) { try Self.options(many) }
  }

  @Test("options name fields of the index")
  func fields() throws {
    let fields = ["id", "price", "tags.0", "tags.1"]
    try Self.options([("subtitle", "{price} {tags}"), ("image", "id")]).check(fields, numbers: [])
    try Self.options([("image", "tags"), ("link", "tags"), ("row", "{tags.0}")]).check(fields, numbers: [])
    for (name, value) in [
      ("subtitle", "{prce}"), ("fields", "prce"), ("label", "prce=x"), ("image", "prce"), ("row", "{prce}"),
      ("row-right", "{prce}"), ("link", "prce"), ("link", "a/{prce}"), ("order", "-prce=x"),
    ] {
      let failure = #expect(throws: PageOptions.SettingsError.self) {
        try Self.options([(name, value)]).check(fields, numbers: ["price"])
      }
      #expect(
        failure?.message
          == "--\(name): the index has no field prce; its fields are id, price, tags.0, tags.1; did you mean price?")
    }
  }

  @Test("an order is by a field with numbers")
  func orders() throws {
    let options = try Self.options([("order", "+price=A"), ("order", "-id=B")])
    try options.check(["id", "price"], numbers: ["id", "price"])
    for (numbers, known) in [(["price"], "it has those of price"), ([], "it has none")] {
      let failure = #expect(throws: PageOptions.SettingsError.self) {
        try Self.options([("order", "-id=B")]).check(["id", "price"], numbers: numbers)
      }
      #expect(failure?.message == "--order: the index has no numbers of id, \(known); build it with --number id")
    }
  }

  @Test("the page knows what the index filters by")
  func facts() throws {
    var facts = PageFacts()
    #expect(Self.json(facts) == "{\"index\":{\"words\":false,\"typos\":false,\"places\":true}}")
    (facts.filters, facts.ranges, facts.prefersNear) = (["brand", "size"], ["a\"b"], true)
    let json = ",\"filters\":[\"brand\",\"size\"],\"ranges\":[\"a\\\"b\"],\"near\":true}}"
    #expect(Self.json(facts).hasSuffix("\"places\":true" + json))
  }

  private static func json(_ facts: PageFacts) -> String { PageOptions().json(facts) }

  @Test("a language has texts, or the options give all texts of another language")
  func languages() throws {
    for language in ["en-GB", "de", "DE-at", "fr-CA", "es"] { try Self.options([("lang", language)]).checkLanguage() }
    let japanese = try Self.options([("lang", "ja"), ("text", "browse=すべて")])
    let failure = #expect(throws: PageOptions.SettingsError.self) { try japanese.checkLanguage() }
    #expect(failure?.message.contains("--lang: the page has texts in en, de, fr, es, not in ja") == true)
    #expect(failure?.message.contains("showList") == true)
    #expect(failure?.message.contains("browse,") == false)
    let all = PageTexts.names.map { ("text", "\($0)=x") }
    try Self.options([("lang", "pl")] + all + [("text", "matches.few=y")]).checkLanguage()
  }

  @Test("options come from a file too; its error says where a mistake is")
  func file() throws {
    let path = NSTemporaryDirectory() + "page-options-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "# Shop\n\ntitle = 'A = B'\r\nlabel = price=Price\nlabel=id=Article\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    var options = PageOptions()
    try options.addFile(path)
    #expect(options.arguments == ["title=A = B", "label=price=Price", "label=id=Article"])
    try "title = A\nlang = english\n".write(toFile: path, atomically: true, encoding: .utf8)
    let failure = #expect(throws: PageOptions.SettingsError.self) { try options.addFile(path) }
    #expect(failure?.message.hasPrefix("\(path):2: lang: english is not a language") == true)
    let missing = #expect(throws: PageOptions.SettingsError.self) { try options.addFile(path + "-") }
    #expect(missing?.status == .notFound)
    #expect(missing?.message.hasSuffix("; name another file with --page-file") == true)
  }

  @Test("The document has the options as text, and no markup from them")
  func document() throws {
    let page = Array("<html lang=\"en\"><title>shardq</title><script>x</script>".utf8)
    let options = try Self.options([
      ("title", "</title><script>alert(1)</script>"), ("label", "a=\"><img src=x>"), ("lang", "de"),
    ])
    let html = String(
      decoding: try #require(PageDocument.html(page, options, PageFacts(), index: "index/")), as: UTF8.self)
    #expect(html.hasPrefix("<html lang=\"de\" data-index=\"index/\" data-page=\"{&quot;index&quot;:"))
    #expect(html.components(separatedBy: "<script").count == 2)
    #expect(!html.contains("<img"))
    #expect(html.contains("<title>&lt;/title&gt;&lt;script&gt;alert(1)"))
    #expect(PageDocument.html(Array("<html>".utf8), options, PageFacts()) == nil)
    let policy = PagePolicy.text(for: Array(html.utf8), images: ["https://img.example.org"]) { _ in [1] }
    #expect(policy.contains("; img-src 'self' data: https://img.example.org; "))
  }

  @Test("The page has each text in English, and each language has as many")
  func texts() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/Programs/Serving/Resources/page.html").path
    let page = try String(contentsOfFile: path, encoding: .utf8)
    let table = try #require(
      page.components(separatedBy: "const english = {\n").last?.components(separatedBy: "\n}").first)
    let names = table.split(separator: "\n").map { line in
      line.split(separator: ":")[0].filter { $0 != "'" && $0 != " " }
    }
    #expect(names == PageTexts.names)
    func values(_ text: String) -> [String] {
      text.components(separatedBy: "{").dropFirst().compactMap { $0.components(separatedBy: "}").first }.sorted()
    }
    let english = table.split(separator: "\n").map { values(String($0)) }
    for language in ["de", "fr", "es"] {
      let texts = try #require(try Self.object(Self.options([("lang", language)]))["texts"] as? [String: String])
      #expect(texts.count == names.count)
      for (name, wanted) in zip(names, english) { #expect(values(texts[name] ?? "") == wanted, "\(language): \(name)") }
    }
  }
}
