// A command-line tool with its own index: the tool builds the index from a CSV file, and prints records as values.
//
//     swift run planets build planets.csv planets-index
//     swift run planets find planets-index ma
import ShardBuilder
import ShardedIndex

/// A record of the list.
struct Planet: Decodable {
  var name: String
  var moons: Int
  var radius: Double?
}

@main struct Planets {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      switch (arguments.first, arguments.count) {
      case ("build", 3): try build(arguments[1], into: arguments[2])
      case ("find", 3): try find(arguments[2], in: arguments[1])
      default: print("usage: planets build FILE INDEX | planets find INDEX TEXT")
      }
    } catch {
      print("planets: \(error)")
    }
  }

  static func build(_ file: String, into index: String) throws {
    var options = BuildOptions()
    (options.key, options.weight) = ("{name}", "radius")  // People type the name; the largest comes first.
    let summary = try ShardBuilder.build([file], into: index, options: options)
    print("\(summary.recordsIndexed) planets")
  }

  static func find(_ text: String, in index: String) throws {
    let answer = try ShardedIndex(opening: index).search(text, limit: 5)
    for hit in answer {
      let planet = try hit.record.decode(Planet.self)
      print("\(planet.name): \(planet.moons) moons\(planet.radius.map { ", radius \($0) km" } ?? "")")
    }
  }
}
