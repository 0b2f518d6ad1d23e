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
    let wrong = [
      ("subtitle", "{prce}"), ("fields", "prce"), ("label", "prce=x"), ("image", "prce"), ("order", "-prce=x"),
    ]
    for (name, value) in wrong {
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
