/// The ways in which a dataset departs from the usual form of its format.
///
/// The default is a file that needs nothing said: UTF-8, the delimiter found in its first line, a header line first.
/// A setting that the dataset's format has no use for is an error, except ``encoding``, which any text can have.
public struct DatasetDialect: Sendable, Equatable {
  /// The encoding of a text's characters as bytes.
  public enum Encoding: String, Sendable, CaseIterable {
    case utf8 = "utf-8"
    case latin1
    case windows1252 = "windows-1252"
    /// By the byte order mark; little-endian without one.
    case utf16 = "utf-16"
    case utf16LittleEndian = "utf-16le"
    case utf16BigEndian = "utf-16be"

    /// The encoding of a name as people write it: `latin1`, `ISO-8859-1`, `cp1252`, case aside.
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

  /// The ASCII character between the fields of a csv file: no quote and no line end. nil: `,`, or `;`, `|` or a tab
  /// where the first line has one of them and the lines read first agree.
  public var delimiter: UInt8?
  /// The number of lines before the header, or before the first record, that are left out. csv, tsv, lines, geonames.
  public var skippedLines = 0
  /// The beginning of a line that is no record, at most 16 bytes; nil: every line counts. csv, tsv, lines, geonames.
  ///
  /// Inside the quotes of a csv field nothing is a comment.
  public var comment: String?
  /// Whether a column without a name is called `column1` by its position, and the second of two columns called `name`
  /// is `name_2`. Otherwise such a header is an error. csv and tsv.
  public var namesColumns = false
  /// Whether a record may have fewer fields than there are columns: it lacks the last ones then. One with more is bad
  /// all the same. csv and tsv.
  public var isRagged = false
  /// In which encoding the dataset is. Lines and columns of messages are those of the text as UTF-8.
  public var encoding = Encoding.utf8
  /// The text that stands for null where it is a whole field without quotes, `\N` for example. csv and tsv.
  public var null: String?
  /// The path to the array that has the records inside of a JSON object, `data.items`; a dot or backslash of a member's
  /// own name has a backslash before it. json and geojson.
  public var recordsPath: String?

  public init() {}

  /// Whether `byte` can divide fields.
  public static func canDelimit(_ byte: UInt8) -> Bool {
    byte < 0x80 && ![0, 0x0A, 0x0D, UInt8(ascii: "\"")].contains(byte)
  }

  /// The longest ``comment``, in bytes: what may be read behind a window's end.
  static let commentLimit = 16
}
