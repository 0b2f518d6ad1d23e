import ShardedIndex

/// A writer of any number of records in one format.
package struct RecordWriter {
  private let format: OutputFormat
  private let given: Schema?
  /// The schema of every format but tsv, which has no names.
  private var schema: Schema { given! }
  /// The parts of each field's path, for formats with nested objects.
  private var paths: [[[UInt8]]] = []
  /// The shapes so far, the most recently used shape first.
  private var shapes: [ObjectShape] = []
  private var lastShape = 0
  /// tsv and csv: for each field name the record's field, if it has one.
  private var slots: [Int?] = []
  /// tsv and csv: the numbers of the fields to write, in order; empty for all fields.
  private var chosen: [Int] = []
  /// tsv: whether backslashes are escaped too, so that every field can be read back.
  private var isEscaped = false
  /// tsv: whether records end with a zero byte, and fields keep their bytes.
  private var endsWithZero = false
  /// tsv: the names of all fields, if a line of names comes first.
  private var header: [String]?
  private var written = 0
  /// text: the writer of lines for people.
  var text: TextWriter?
  /// text: whether the buffer's records need ``foldedKeys``, since the index does not store all fields of their keys.
  package var needsFoldedKeys: Bool { text?.needsFoldedKeys ?? false }
  /// The folded keys of the next records, for text.
  package var foldedKeys: FoldedKeys {
    get { text?.foldedKeys ?? FoldedKeys() }
    set { text?.foldedKeys = newValue }
  }

  private static let shapeLimit = 32

  /// - Parameter schema: The schema, which tsv does not need: most queries end sooner without it.
  package init(_ format: OutputFormat, fieldCount: Int, schema: @autoclosure () -> Schema) {
    self.format = format
    given = format == .tsv ? nil : schema()
    switch format {
    case .json, .jsonl, .geojson:
      for (number, name) in self.schema.names.enumerated() {
        paths.append(self.schema.isFlat[number] ? [Array(name.utf8)] : ObjectShape.parts(ofPath: name))
      }
    case .tsv, .csv: slots = Array(repeating: nil, count: fieldCount)
    case .text: text = TextWriter(self.schema)
    }
  }

  /// Whether this is a writer of JSON for records of a schema.
  package func isOf(_ schema: Schema) -> Bool { format == .json && given === schema }

  /// Writes some of the fields, by their numbers, and ends records of tsv with a zero byte instead of a line end.
  ///
  /// - Parameter header: The names of all fields, if tsv begins with a line of names.
  package mutating func choose(_ fields: [Int], endsWithZero: Bool, header: [String]? = nil) {
    chosen = fields
    self.endsWithZero = endsWithZero
    self.header = header
  }

  /// Sets the look of text, and the folded text whose matches are marked in an alphabetical answer.
  package mutating func show(_ look: TextLook?, matching text: [UInt8] = []) {
    self.text?.look = look
    self.text?.matchedText = text
  }

  /// Tells text the name by which each of the next records matched, the ranges to mark, and the numbers of the others in
  /// its group.
  package mutating func mark(_ hits: [ShardedIndex.Hit]) {
    text?.others = hits.map { $0.others }
    guard text?.look?.isColored == true else {
      text?.otherNames = hits.map { $0.otherName }
      return
    }
    let matched = hits.map { $0.matched }
    text?.highlights = matched.map { $0.highlights }
    text?.otherNames = matched.map { if case .otherName(let name) = $0.via { name } else { nil } }
  }

  // MARK: Around the records

  /// Writes the text before all records. For json, the caller writes the object around the records.
  package mutating func begin(to output: inout Output) throws(WriteError) {
    written = 0
    switch format {
    case .tsv where header != nil:
      for column in 0..<columnCount {
        if column > 0 { try output.write(0x09) }
        let name = NamedFields.header(header![name(of: column)])
        try unsafe Array(name.utf8).withUnsafeBufferPointer { (bytes) throws(WriteError) in
          try unsafe writeTSV(bytes, to: &output)
        }
      }
      try output.write(endsWithZero ? 0 : 0x0a)
    case .csv:
      for column in 0..<columnCount {
        if column > 0 { try output.write(0x2c) }
        let name = NamedFields.header(schema.names[name(of: column)])
        try unsafe Array(name.utf8).withUnsafeBufferPointer { (bytes) throws(WriteError) in
          try unsafe Self.writeCSV(bytes, to: &output)
        }
      }
      try output.write("\r\n")
    case .geojson: try output.write("{\"type\":\"FeatureCollection\",\"schema\":1,\"features\":[")
    default: break
    }
  }

  /// Writes two lines before all records of a tsv file. They tell `build` the escapes and the columns of the file, and
  /// whether dots in names of columns nest.
  package mutating func writeHeader(of schema: Schema, to output: inout Output) throws(WriteError) {
    isEscaped = true
    let isFlat = schema.isFlat.contains(true)
    try output.write("#escapes: \\t \\n \\r \\\\" as StaticString)
    try output.write(isFlat ? " flat\n" : "\n")
    for (number, name) in schema.names.enumerated() {
      if number > 0 { try output.write(0x09) }
      let name = isFlat ? NamedFields.header(name) : name
      try unsafe Array(name.utf8).withUnsafeBufferPointer { (bytes) throws(WriteError) in
        try unsafe writeTSV(bytes, to: &output)
      }
    }
    try output.write(0x0a)
  }

  /// Writes the text behind all records.
  package mutating func end(to output: inout Output) throws(WriteError) {
    switch format {
    case .geojson: try output.write(written > 0 ? "\n]}\n" : "]}\n")
    default: break
    }
  }

  // MARK: Records

  /// Writes all records of the buffer.
  package mutating func write(_ buffer: RecordBuffer, to output: inout Output) throws(WriteError) {
    switch format {
    case .text: try text!.write(buffer, to: &output)
    case .tsv: for record in 0..<buffer.count { try writeTSV(buffer, record, to: &output) }
    case .csv: for record in 0..<buffer.count { try writeCSV(buffer, record, to: &output) }
    case .json:
      for record in 0..<buffer.count {
        if written + record > 0 { try output.write(0x2c) }
        try writeObject(buffer, record, to: &output)
      }
    case .jsonl:
      for record in 0..<buffer.count {
        try writeObject(buffer, record, to: &output)
        try output.write(0x0a)
      }
    case .geojson:
      for record in 0..<buffer.count {
        try output.write(written + record > 0 ? ",\n" : "\n")
        try writeFeature(buffer, record, to: &output)
      }
    }
    written += buffer.count
  }

  /// Writes one record of the buffer: as an object of JSON, or as the next feature.
  package mutating func write(_ buffer: RecordBuffer, _ record: Int, to output: inout Output) throws(WriteError) {
    if format == .geojson {
      try output.write(written > 0 ? ",\n" : "\n")
      written += 1
      try writeFeature(buffer, record, to: &output)
    } else {
      try writeObject(buffer, record, to: &output)
    }
  }

  private mutating func writeObject(_ buffer: RecordBuffer, _ record: Int, to output: inout Output)
    throws(WriteError)
  {
    let range = buffer.rawFields(ofRecord: record)
    let number = shape(of: buffer, range)
    for member in shapes[number].members {
      try output.write(member.before)
      try JSONText.write(buffer.rawField(range.lowerBound + member.field), to: &output)
    }
    try output.write(shapes[number].end)
  }

  private mutating func shape(of buffer: RecordBuffer, _ range: Range<Int>) -> Int {
    if !shapes.isEmpty, isShape(lastShape, of: buffer, range) { return lastShape }
    for number in shapes.indices where isShape(number, of: buffer, range) {
      lastShape = number
      return number
    }
    let shape = ObjectShape(names: range.map { buffer.rawName(ofField: $0) }, paths: paths)
    if shapes.count < Self.shapeLimit {
      shapes.append(shape)
      lastShape = shapes.count - 1
    } else {
      lastShape = (lastShape + 1) % Self.shapeLimit
      shapes[lastShape] = shape
    }
    return lastShape
  }

  private func isShape(_ number: Int, of buffer: RecordBuffer, _ range: Range<Int>) -> Bool {
    guard shapes[number].names.count == range.count else { return false }
    for (offset, name) in shapes[number].names.enumerated()
    where buffer.rawName(ofField: range.lowerBound + offset) != name {
      return false
    }
    return true
  }

  private mutating func writeFeature(_ buffer: RecordBuffer, _ record: Int, to output: inout Output)
    throws(WriteError)
  {
    try output.write("{\"type\":\"Feature\",\"geometry\":")
    try Self.writePoint(buffer, record, schema, to: &output)
    try output.write(",\"properties\":")
    try writeObject(buffer, record, to: &output)
    try output.write(0x7d)
  }

  /// Writes a record's coordinates as a geometry of GeoJSON: `null` if they are not usable.
  static func writePoint(
    _ buffer: RecordBuffer, _ record: Int, _ schema: Schema, to output: inout Output
  ) throws(WriteError) {
    guard let (latitude, longitude) = Degrees.digits(ofRecord: record, in: buffer, schema) else {
      return try output.write("null")
    }
    try output.write("{\"type\":\"Point\",\"coordinates\":[")
    try output.write(longitude)
    try output.write(0x2c)
    try output.write(latitude)
    if let field = schema.names.number(of: CoordinateFields.altitude),
      let text = unsafe buffer.text(ofField: field, record),
      let altitude = unsafe Degrees.digits(text, limit: .greatestFiniteMagnitude)
    {
      try output.write(0x2c)
      try output.write(altitude)
    }
    try output.write("]}")
  }

  private var columnCount: Int { chosen.isEmpty ? slots.count : chosen.count }

  /// The number of a column's name.
  private func name(of column: Int) -> Int { chosen.isEmpty ? column : chosen[column] }

  /// Puts each field of a record under its name. If a record has a field twice, the first counts.
  private mutating func fillSlots(_ buffer: RecordBuffer, _ record: Int) {
    for slot in slots.indices { slots[slot] = nil }
    for number in buffer.rawFields(ofRecord: record).reversed() {
      slots[Int(buffer.rawName(ofField: number))] = number
    }
  }

  private mutating func writeTSV(_ buffer: RecordBuffer, _ record: Int, to output: inout Output)
    throws(WriteError)
  {
    fillSlots(buffer, record)
    for column in 0..<columnCount {
      if column > 0 { try output.write(0x09) }
      guard let slot = slots[name(of: column)] else { continue }
      try unsafe writeTSV(buffer.rawField(slot).text, to: &output)
    }
    try output.write(endsWithZero ? 0 : 0x0a)
  }

  private func writeTSV(_ text: UnsafeBufferPointer<UInt8>, to output: inout Output) throws(WriteError) {
    if endsWithZero { return try unsafe output.write(text) }
    var start = 0
    for at in 0..<text.count {
      let escape: UInt8
      switch unsafe text[at] {
      case 0x09: escape = 0x74
      case 0x0a: escape = 0x6e
      case 0x0d: escape = 0x72
      case 0x5c where isEscaped: escape = 0x5c
      default: continue
      }
      try unsafe output.write(text.baseAddress! + start, at - start)
      try output.write(0x5c)
      try output.write(escape)
      start = at + 1
    }
    if text.count > start { try unsafe output.write(text.baseAddress! + start, text.count - start) }
  }

  private mutating func writeCSV(_ buffer: RecordBuffer, _ record: Int, to output: inout Output)
    throws(WriteError)
  {
    fillSlots(buffer, record)
    for column in 0..<columnCount {
      if column > 0 { try output.write(0x2c) }
      guard let slot = slots[name(of: column)] else { continue }
      try unsafe Self.writeCSV(buffer.rawField(slot).text, to: &output)
    }
    // A record of one empty field would be an empty line, and readers skip empty lines.
    if columnCount == 1 {
      let isEmpty = slots[name(of: 0)].map { unsafe buffer.rawField($0).text.isEmpty } ?? true
      if isEmpty { try output.write("\"\"") }
    }
    try output.write("\r\n")
  }

  private static func writeCSV(_ text: UnsafeBufferPointer<UInt8>, to output: inout Output) throws(WriteError) {
    let isPlain = unsafe !text.contains { $0 == 0x22 || $0 == 0x2c || $0 == 0x0a || $0 == 0x0d }
    if isPlain { return try unsafe output.write(text) }
    try output.write(0x22)
    for at in 0..<text.count {
      let byte = unsafe text[at]
      if byte == 0x22 { try output.write(0x22) }
      try output.write(byte)
    }
    try output.write(0x22)
  }
}

extension RecordBuffer {
  /// The text of the field `name` of a record; the first if the record has several.
  func text(ofField name: Int?, _ record: Int) -> UnsafeBufferPointer<UInt8>? {
    guard let name else { return nil }
    for number in rawFields(ofRecord: record) where Int(rawName(ofField: number)) == name {
      return unsafe rawField(number).text
    }
    return nil
  }

  /// Appends a record's key from the template; nothing if the index does not store the key.
  func appendKey(ofRecord record: Int, _ schema: Schema, to line: inout [UInt8]) {
    guard schema.isKeyStored else { return }
    for part in schema.template.parts where line.count <= FieldColumns.recordLimit {
      switch part {
      case .text(let text): line.append(contentsOf: text.utf8)
      case .field(let name):
        for number in rawFields(ofRecord: record) where Int(rawName(ofField: number)) == name {
          unsafe line.append(contentsOf: rawField(number).keyText)
          break
        }
      }
    }
  }
}
