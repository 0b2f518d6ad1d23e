#if CommandLineTool
  import QueryOutput

  import CLibrary

  /// A plot of the resident memory over a typed session, a line for each design, on a logarithmic scale.
  package struct MemoryPlot {
    private struct Curve {
      var name: String
      var points: [(keys: Int, bytes: Double)]
      /// The most memory before the first answer, if it is clearly more than after it.
      var peak: Double?
    }
    private let lines: [Curve]
    private let keyCount: Int
    /// The ends of the scale in bytes: 1, 2 or 5 times a power of ten.
    private let bottom: Double
    private let top: Double

    package init(_ rows: [FootprintRow], keyCount: Int) {
      lines = rows.map { row in
        let points = row.samples.map { (keys: $0.keys, bytes: Double(max(1, $0.resident))) }
        let most = points.map(\.bytes).max() ?? 1
        let peak = Double(row.peakResident)
        return Curve(name: row.design, points: points, peak: peak > 1.1 * most ? peak : nil)
      }
      self.keyCount = max(1, keyCount)
      let values = lines.flatMap { $0.points.map(\.bytes) + ($0.peak.map { [$0] } ?? []) }
      bottom = Self.step(notAbove: values.min() ?? 1e6)
      let highest = values.max() ?? 1e7
      var top = bottom
      while top < highest { top = Self.next(top) }
      self.top = top > bottom ? top : Self.next(bottom)
    }

    private static func step(notAbove value: Double) -> Double {
      var step = 1000.0
      while next(step) <= value { step = next(step) }
      return step
    }

    private static func next(_ step: Double) -> Double {
      let power = pow(10, floor(log10(step) + 1e-9))
      let digit = (step / power).rounded()
      return digit < 2 ? 2 * power : digit < 5 ? 5 * power : 10 * power
    }

    private var ticks: [Double] {
      var ticks = [bottom]
      while ticks.last! < top { ticks.append(Self.next(ticks.last!)) }
      return ticks
    }

    /// Returns the height of a number of bytes, from 0 at the bottom to 1.
    private func height(_ bytes: Double) -> Double {
      min(max((log10(bytes) - log10(bottom)) / (log10(top) - log10(bottom)), 0), 1)
    }

    private static func label(_ bytes: Double) -> String {
      bytes >= 1e9
        ? "\(Int((bytes / 1e9).rounded())) GB"
        : bytes >= 1e6 ? "\(Int((bytes / 1e6).rounded())) MB" : "\(Int((bytes / 1e3).rounded())) kB"
    }

    /// Returns the heights of labels, each as near to its wish as there is room, in the order of the wishes.
    private static func spread(_ wishes: [Double], distance: Double, limit: ClosedRange<Double>) -> [Double] {
      let order = wishes.indices.sorted { wishes[$0] < wishes[$1] }
      var places = wishes
      var next = limit.lowerBound
      for index in order {
        places[index] = max(wishes[index], next)
        next = places[index] + distance
      }
      var last = limit.upperBound
      for index in order.reversed() {
        places[index] = min(places[index], last)
        last = places[index] - distance
      }
      return places
    }

    // MARK: SVG

    /// The colours of the lines, which differ in light and dark and for people who distinguish few colours (Okabe and
    /// Ito). Dashes serve those who distinguish none.
    private static let colours = [
      "#d55e00", "#0091d5", "#00a878", "#cc79a7", "#e69f00", "#56b4e9", "#8a8a8a", "#b59f00",
    ]
    private static let dashes = ["", "", "7 3", "2 3", "10 3 2 3", "5 5", "1 4", "12 4"]

    package var svg: String {
      let (width, height) = (840.0, 420.0)
      let (left, right, up, down) = (70.0, 700.0, 44.0, 372.0)
      func x(_ keys: Int) -> Double { left + (right - left) * Double(keys) / Double(keyCount) }
      func y(_ bytes: Double) -> Double { down - (down - up) * self.height(bytes) }
      func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
      }
      var text = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(width)) \(number(height))" role="img" \
        aria-label="Resident memory over \(keyCount) keys typed, by design" \
        font-family="system-ui, sans-serif" font-size="13">
        <style>
        .back { fill: #ffffff } .text { fill: #24292f } .faint { fill: #57606a } .grid { stroke: #d0d7de }
        @media (prefers-color-scheme: dark) {
        .back { fill: #0d1117 } .text { fill: #e6edf3 } .faint { fill: #9198a1 } .grid { stroke: #30363d } }
        </style>
        <rect class="back" width="\(number(width))" height="\(number(height))"/>
        <text class="text" x="\(number(left))" y="26" font-size="15">Resident memory while \
        \(QueryRunner.grouped(keyCount)) keys are typed, logarithmic</text>

        """
      for tick in ticks {
        text += "<line class=\"grid\" x1=\"\(number(left))\" x2=\"\(number(right))\" y1=\"\(number(y(tick)))\""
        text += " y2=\"\(number(y(tick)))\"/>\n"
        text += "<text class=\"faint\" x=\"\(number(left - 8))\" y=\"\(number(y(tick) + 4))\""
        text += " text-anchor=\"end\">\(Self.label(tick))</text>\n"
      }
      for (keys, anchor) in [(0, "start"), (keyCount / 2, "middle"), (keyCount, "end")] {
        text += "<text class=\"faint\" x=\"\(number(x(keys)))\" y=\"\(number(down + 20))\""
        text += " text-anchor=\"\(anchor)\">\(QueryRunner.grouped(keys))</text>\n"
      }
      text += "<text class=\"faint\" x=\"\(number((left + right) / 2))\" y=\"\(number(down + 38))\""
      text += " text-anchor=\"middle\">keys typed; a bar at the left is the peak while loading</text>\n"
      let places = Self.spread(
        lines.map { y($0.points.last?.bytes ?? bottom) }, distance: 17, limit: up...down)
      for (line, drawn) in lines.enumerated() {
        let colour = Self.colours[line % Self.colours.count]
        let path = drawn.points.map { "\(number(x($0.keys))),\(number(y($0.bytes)))" }.joined(separator: " ")
        let dash = Self.dashes[line % Self.dashes.count]
        let style =
          "stroke=\"\(colour)\" fill=\"none\" stroke-width=\"\(line == 0 ? 3.5 : 2)\""
          + (dash.isEmpty ? "" : " stroke-dasharray=\"\(dash)\"")
        if let peak = drawn.peak, let first = drawn.points.first {
          let at = number(left + 3 + 5 * Double(line))
          text +=
            "<line x1=\"\(at)\" x2=\"\(at)\" y1=\"\(number(y(peak)))\" y2=\"\(number(y(first.bytes)))\" \(style)/>\n"
        }
        text += "<polyline points=\"\(path)\" \(style)/>\n"
        text += "<text x=\"\(number(right + 8))\" y=\"\(number(places[line] + 4))\" fill=\"\(colour)\""
        text += line == 0 ? " font-weight=\"bold\"" : ""
        text +=
          ">\(drawn.name) <tspan class=\"faint\">\(FootprintReport.size(Int(drawn.points.last?.bytes ?? 0)))</tspan></text>\n"
      }
      return text + "</svg>\n"
    }

    // MARK: Terminal

    /// Returns the plot in braille dots, or in ASCII where the terminal may not know them.
    package func text(isUTF8: Bool, columns: Int = 64, rows: Int = 14) -> String {
      let (dotsAcross, dotsDown) = isUTF8 ? (2, 4) : (1, 1)
      let (width, height) = (columns * dotsAcross, rows * dotsDown)
      var canvas = [[UInt8]](repeating: Array(repeating: 0, count: columns), count: rows)
      let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
      func dot(_ x: Int, _ y: Int, _ letter: UInt8) {
        let (column, row) = (x / dotsAcross, y / dotsDown)
        if isUTF8 {
          canvas[row][column] |= bits[y % 4][x % 2]
        } else if canvas[row][column] == 0 {
          canvas[row][column] = letter
        }
      }
      func y(_ bytes: Double) -> Int { height - 1 - Int((self.height(bytes) * Double(height - 1)).rounded()) }
      for (number, line) in lines.enumerated() {
        let letter = Self.letter(number)
        if let peak = line.peak, let first = line.points.first {
          // Every second dot, so that it differs from a line that rises.
          for row in stride(from: y(peak), through: y(first.bytes), by: isUTF8 ? 2 : 1) {
            dot(min(width - 1, number * dotsAcross), row, letter)
          }
        }
        for x in 0..<width {
          let keys = Double(x) / Double(width - 1) * Double(keyCount)
          guard let point = line.points.last(where: { Double($0.keys) <= max(keys, 1) }) else { continue }
          dot(x, y(point.bytes), letter)
        }
      }
      let labels = Self.spread(
        lines.map { Double(y($0.points.last?.bytes ?? bottom) / dotsDown) }, distance: 1,
        limit: 0...Double(max(rows - 1, lines.count - 1))
      ).map { Int($0.rounded()) }
      var marks = [Int: String]()
      for tick in ticks { marks[y(tick) / dotsDown] = Self.label(tick) }
      var text = "resident memory\n"
      for row in 0..<max(rows, (labels.max() ?? 0) + 1) {
        let mark = marks[row] ?? ""
        text += String(repeating: " ", count: max(0, 7 - mark.count)) + mark + (isUTF8 ? " \u{2502}" : " |")
        var line = ""
        for cell in row < rows ? canvas[row] : Array(repeating: 0, count: columns) {
          if isUTF8 {
            line.unicodeScalars.append(cell == 0 ? " " : Unicode.Scalar(0x2800 + UInt32(cell))!)
          } else {
            line.unicodeScalars.append(cell == 0 ? " " : Unicode.Scalar(cell))
          }
        }
        if let number = labels.firstIndex(of: row) {
          line += (isUTF8 ? " " : " \(Character(Unicode.Scalar(Self.letter(number)))) ") + lines[number].name
        }
        while line.hasSuffix(" ") { line.removeLast() }
        text += line + "\n"
      }
      let end = QueryRunner.grouped(keyCount) + " keys"
      text += String(repeating: " ", count: 9) + "0"
      return text + String(repeating: " ", count: max(1, columns - 1 - end.count)) + end + "\n"
    }

    private static func letter(_ number: Int) -> UInt8 { UInt8(ascii: "a") + UInt8(number % 26) }

    /// Whether the terminal reads UTF-8, by the environment's variables in the order of their precedence; nil if no
    /// variable is set.
    static var isUTF8Terminal: Bool? {
      for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
        guard let value = getenv(name), value[0] != 0 else { continue }
        let text = String(cString: value).lowercased()
        return text.contains("utf-8") || text.contains("utf8")
      }
      return nil
    }
  }
#endif
