/// The reader of dates by ISO 8601 in the Gregorian calendar, from the year 1 to the year 9999, in milliseconds from the
/// beginning of the year 1.
enum DateReader {
  /// The milliseconds of a day.
  static let dayLength: Int64 = 86_400_000
  /// The number of days before the year 10000.
  static let endDay = days(before: 10_000)

  static func milliseconds(ofDay day: Int) -> Int64 { Int64(day) * dayLength }

  /// A stretch of time, in milliseconds.
  struct Period {
    var start: Int64
    /// The time at which the period has ended.
    var end: Int64
  }

  /// Reads a month (`2025-01`), a day (`2025-01-31`), or a time of a day, behind a `T` or a space: hours and minutes,
  /// then seconds, then decimals, then a zone (`Z`, `+02:00`, `+0200`); without a zone the time is UTC.
  ///
  /// - Parameter takesYears: Whether four digits are a year.
  /// - Returns: The month, the day, or the instant as a period of a millisecond; nil for another text.
  static func period(_ text: Span<UInt8>, takesYears: Bool = false) -> Period? {
    // Most texts are numbers.
    guard text.count >= 7 ? text[4] == UInt8(ascii: "-") : takesYears && text.count == 4 else { return nil }
    var reader = DecimalReader(text)
    guard let year = reader.readNumber(digits: 4), year > 0 else { return nil }
    if reader.isAtEnd { return Period(start: start(year, 1, 1), end: start(year + 1, 1, 1)) }
    guard reader.read("-"), let month = reader.readNumber(digits: 2), 1...12 ~= month else { return nil }
    if reader.isAtEnd {
      return Period(start: start(year, month, 1), end: month < 12 ? start(year, month + 1, 1) : start(year + 1, 1, 1))
    }
    guard reader.read("-"), let day = reader.readNumber(digits: 2), 1...length(year, month) ~= day else { return nil }
    let start = start(year, month, day)
    if reader.isAtEnd { return Period(start: start, end: start + dayLength) }
    guard reader.read("T") || reader.read(" "), let time = reader.readTime(), reader.isAtEnd else { return nil }
    // A zone may move a time beyond the years.
    let instant = min(max(0, start + time), milliseconds(ofDay: endDay) - 1)
    return Period(start: instant, end: instant + 1)
  }

  /// Returns the text of a time: a day, and behind it the time unless that is midnight.
  static func text(_ milliseconds: Int64) -> [UInt8] {
    let (day, rest) = (Int(milliseconds / dayLength), Int(milliseconds % dayLength))
    var (low, high) = (1, 10_000)
    while low + 1 < high {
      let middle = (low + high) / 2
      if days(before: middle) <= day { low = middle } else { high = middle }
    }
    var (month, left) = (1, day - days(before: low))
    while left >= length(low, month) {
      left -= length(low, month)
      month += 1
    }
    var text = digits(low, 4) + [UInt8(ascii: "-")] + digits(month, 2) + [UInt8(ascii: "-")] + digits(left + 1, 2)
    guard rest > 0 else { return text }
    let (minutes, time) = (rest / 60_000, rest % 60_000)
    text += [UInt8(ascii: "T")] + digits(minutes / 60, 2) + [UInt8(ascii: ":")] + digits(minutes % 60, 2)
    text += [UInt8(ascii: ":")] + digits(time / 1000, 2)
    if time % 1000 > 0 { text += [UInt8(ascii: ".")] + digits(time % 1000, 3) }
    return text + [UInt8(ascii: "Z")]
  }

  private static func digits(_ number: Int, _ count: Int) -> [UInt8] {
    var (digits, rest) = ([UInt8](repeating: 0x30, count: count), number)
    for index in (0..<count).reversed() {
      digits[index] += UInt8(rest % 10)
      rest /= 10
    }
    return digits
  }

  // MARK: The calendar

  private static func start(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    milliseconds(ofDay: (1..<month).reduce(days(before: year)) { $0 + length(year, $1) } + day - 1)
  }

  /// Returns the number of days before a year.
  private static func days(before year: Int) -> Int {
    let years = year - 1
    return 365 * years + years / 4 - years / 100 + years / 400
  }

  private static func length(_ year: Int, _ month: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension DecimalReader {
  /// Reads a number of so many digits.
  fileprivate mutating func readNumber(digits: Int) -> Int? {
    var number = 0
    for _ in 0..<digits {
      guard let digit = readDigit() else { return nil }
      number = 10 * number + Int(digit)
    }
    return number
  }

  /// Reads a time of a day with its zone, in milliseconds of UTC from the day's beginning; nil for another text.
  fileprivate mutating func readTime() -> Int64? {
    guard let hours = readNumber(digits: 2), read(":"), let minutes = readNumber(digits: 2), hours < 24, minutes < 60
    else { return nil }
    var time = Int64(60 * hours + minutes) * 60_000
    if read(":") {
      // A leap second is the next second.
      guard let seconds = readNumber(digits: 2), seconds <= 60 else { return nil }
      time += Int64(seconds) * 1000
      if read(".") {
        guard var unit = readDigit().map({ 100 * Int64($0) }) else { return nil }
        var scale: Int64 = 10
        while let digit = readDigit() {
          unit += scale * Int64(digit)
          scale /= 10
        }
        time += unit
      }
    }
    if isAtEnd || read("Z") { return time }
    let isWest = read("-")
    guard isWest || read("+"), let hours = readNumber(digits: 2), hours < 24 else { return nil }
    _ = read(":")
    guard let minutes = readNumber(digits: 2), minutes < 60 else { return nil }
    let zone = Int64(60 * hours + minutes) * 60_000
    return isWest ? time + zone : time - zone
  }
}
