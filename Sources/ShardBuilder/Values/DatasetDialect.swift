/// The differences of a dataset from the usual form of its format.
///
/// The default is a file in the usual form: UTF-8, the delimiter found in its first line, a header line first. A
/// setting that the dataset's format does not use is an error. The exceptions are ``encoding`` and ``decimal``, which any
/// text can have.
public struct DatasetDialect: Sendable, Equatable {
  /// The encoding of a text's characters as bytes.
  public enum Encoding: String, Sendable, CaseIterable {
    case utf8 = "utf-8"
    case latin1
    case windows1252 = "windows-1252"
    /// UTF-16 by the byte order mark; little-endian without a mark.
    case utf16 = "utf-16"
    case utf16LittleEndian = "utf-16le"
    case utf16BigEndian = "utf-16be"

    /// Returns the encoding with a name as people write it: `latin1`, `ISO-8859-1`, `cp1252`, in any letter case.
    public init?(name: String) {
      let name = name.lowercased().filter { $0 != "-" && $0 != "_" }
      switch name {
      case "utf8": self = .utf8
      case "latin1", "iso88591": self = .latin1
      case "windows1252", "cp1252": self = .windows1252
      case "utf16", "ucs2": self = .utf16
      case "utf16le": self = .utf16LittleEndian
      case "utf16be": self = .utf16BigEndian
      default: return nil
      }
    }
  }

  /// The ASCII character between the fields of a csv file; not a quote and not a line end. nil stands for `,`; or for
  /// `;`, `|` or a tab if the first line has one of them and the first lines agree.
  public var delimiter: UInt8?
  /// The number of lines to skip before the header, or before the first record. For csv, tsv, lines, geonames.
  public var skippedLines = 0
  /// The beginning of a line that is not a record, at most 16 bytes; nil if every line counts. For csv, tsv, lines,
  /// geonames.
  ///
  /// The quotes of a csv field contain no comments.
  public var comment: String?
  /// Whether a column without a name gets the name `column1` by its position, and the second of two columns called
  /// `name` gets `name_2`. Otherwise such a header is an error. For csv and tsv.
  public var namesColumns = false
  /// Whether a record may have fewer fields than columns; then it lacks the last fields. A record with more fields is
  /// always bad. For csv and tsv.
  public var isRagged = false
  /// The encoding of the dataset. Lines and columns in messages are those of the text as UTF-8.
  public var encoding = Encoding.utf8
  /// The text that stands for null if it is a whole field without quotes, for example `\N`. For csv and tsv.
  public var null: String?
  /// The path to the array with the records inside of a JSON object, such as `data.items`. A dot or a backslash in a
  /// member's name has a backslash before it. For json and geojson.
  public var recordsPath: String?

  /// The sign before decimals, a comma or a point, in weights and coordinates that are texts; nil for plain numbers.
  ///
  /// A build stores these numbers with a decimal point and without signs between thousands: a comma or a point, blanks
  /// or apostrophes. It stores other texts as they are.
  public var decimal: UInt8?

  public init() {}

  /// Returns whether `byte` can divide fields.
  public static func canDelimit(_ byte: UInt8) -> Bool {
    byte < 0x80 && ![0, 0x0A, 0x0D, UInt8(ascii: "\"")].contains(byte)
  }

  /// The most bytes of ``comment``: a scan may read that many bytes after a window's end.
  static let commentLimit = 16
}
