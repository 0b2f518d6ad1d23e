/// The lines of a file, one after the other. Memory holds the longest line.
struct LineReader: ~Copyable {
  private let source: ByteSource
  private let path: String
  private var window = RawVector<UInt8>(capacity: 1 << 18)
  private var offset = 0
  private var isAtEnd = false
  /// The number of the last line, from 1.
  private(set) var number = 0

  /// The most bytes of a line.
  private static let limit = 64 << 20

  /// - Parameter path: The path of the file; `-` is standard input.
  init(_ path: String) throws(BuildError) {
    self.path = path
    do throws(DatasetError) { source = try ByteSource(.file(path), blockSize: 1 << 18) } catch {
      throw BuildError(error)
    }
  }

  /// Returns the next line, without its line feed; nil at the end.
  mutating func next() throws(BuildError) -> [UInt8]? {
    var searched = offset
    while true {
      let rest = unsafe window.buffer.part(searched..<window.count)
      if let end = unsafe rest.firstIndex(of: 0x0A) {
        defer { offset = searched + end + 1 }
        number += 1
        return unsafe Array(window.buffer.part(offset..<searched + end))
      }
      if isAtEnd {
        defer { offset = window.count }
        if offset == window.count { return nil }
        number += 1
        return unsafe Array(window.buffer.part(offset..<window.count))
      }
      window.removeFirst(offset)
      (offset, searched) = (0, window.count)
      guard window.count < Self.limit else { throw flaw("has over \(Self.limit >> 20) MiB") }
      do throws(DatasetError) {
        isAtEnd = try source.read(appendingTo: &window, upTo: 1 << 18) == 0
      } catch {
        throw BuildError(error)
      }
    }
  }

  /// Returns the error of the last line.
  func flaw(_ reason: BuildMessage) -> BuildError { Self.flaw(reason, path, number) }

  /// Returns the error of a line.
  static func flaw(_ reason: BuildMessage, _ path: String, _ number: Int) -> BuildError {
    .dataset(.bad, message: "\(displayed(path: path)):\(max(1, number)): the line \(reason)")
  }
}
