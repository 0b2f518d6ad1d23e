import QueryOutput

/// The place and the size of a popup of tmux: the value of `--tmux`, in fzf's spelling.
package struct PopupPlace: Equatable, Sendable {
  package enum Edge: String, Sendable { case center, top, bottom, left, right }
  package private(set) var position = Edge.center
  private var width = ScreenPart.percent(50)
  private var height = ScreenPart.percent(50)

  /// Reads a position and one size or two, such as `bottom,40%` or `center,80%,12`.
  ///
  /// - Returns: The place, or the word that means nothing.
  package static func read(_ text: String) -> Result<PopupPlace, UnknownWord> {
    var place = PopupPlace()
    var sizes: [ScreenPart] = []
    for word in text.split(separator: ",").map(String.init) {
      if let position = Edge(rawValue: word == "up" ? "top" : word == "down" ? "bottom" : word) {
        place.position = position
      } else if let size = ScreenPart(word), sizes.count < 2 {
        sizes.append(size)
      } else {
        return .failure(UnknownWord(word: word))
      }
    }
    let first = sizes.first ?? .percent(50)
    switch place.position {
    case .center: (place.width, place.height) = (first, sizes.last ?? first)
    // The first size is the one away from the edge.
    case .top, .bottom: (place.height, place.width) = (first, sizes.count > 1 ? sizes[1] : .percent(100))
    case .left, .right: (place.width, place.height) = (first, sizes.count > 1 ? sizes[1] : .percent(100))
    }
    return .success(place)
  }

  /// The arguments of `tmux display-popup` for it.
  package var arguments: [String] {
    let (x, y) =
      switch position {
      case .center: ("C", "C")
      case .top: ("C", "0")
      case .bottom: ("C", "9999")
      case .left: ("0", "C")
      case .right: ("R", "C")
      }
    return ["-x", x, "-y", y, "-w", width.text, "-h", height.text]
  }
}

extension ScreenPart {
  fileprivate var text: String {
    switch self {
    case .count(let count): "\(count)"
    case .percent(let percent): "\(percent)%"
    }
  }
}
