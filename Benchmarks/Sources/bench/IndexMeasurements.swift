import Footprint
import Glibc
import ShardedIndex

/// The measures of one index of any size by itself, for `scale.py`.
extension Bench {
  /// Measures an index.
  ///
  /// - Parameter source: The dataset in which matches are counted; nil for none.
  /// - Returns: A JSON object.
  func measure(index: String, source: String?) throws -> String {
    var cells: [(String, Double)] = []
    let size = Files.size(index)
    let shards = Files.names(in: index).filter { $0.hasSuffix(".zst") }.count
    let engine = try Engine(index, cacheLimitBytes: 1 << 34)
    let all = try engine.index.search("", order: .key)
    cells += [
      ("records", Double(all.count)), ("shards", Double(shards)), ("bytes", Double(size.apparent)),
      ("occupied_bytes", Double(size.occupied)), ("manifest_bytes", Double(Files.size(index + "/manifest").apparent)),
    ]
    let prefixes = try Prefixes(count: effort.prefixes, seed: effort.seed, work: work) { random in
      let number = random.below(all.count)
      return try all.records(in: number..<number + 1)[0].key
    }
    try prefixes.withAll { typed in
      if let source { cells.append(("compared_counts", Double(try compare(engine, source, typed)))) }
      // Another engine, so that its cache holds only the parts that the prefixes touch.
      let (cached, small) = (
        try Engine(index, cacheLimitBytes: 1 << 34), try Engine(index, cacheLimitBytes: 1 << 20)
      )
      cells.append(
        ("mean_matches", Double(typed.reduce(0) { $0 + cached.firstMatches($1) }) / Double(typed.count)))
      func add(_ name: String, _ pass: @escaping Timing.Pass) {
        let times = Timing.measure([pass], typed, rounds: effort.rounds)[0]
        cells += [(name + "_p50_us", times.p50), (name + "_p99_us", times.p99), (name + "_mean_us", times.mean)]
      }
      add("q1", Timing.firstMatches(cached))
      add("q2", Timing.counts(cached))
      add("q1_1mib", Timing.firstMatches(small))
      add("q2_1mib", Timing.counts(small))
      cells.append(("cache_bytes", Double(cached.index.statistics.residentBytes)))
      starts(index, typed, &cells)
    }
    for (name, limit) in [("resident_mib", 1 << 34), ("resident_8mib_mib", 8 << 20), ("resident_1mib_mib", 1 << 20)] {
      let numbers = Programs.numbers([residentProgram, index, prefixes.typedPath, "\(limit)"], work: work)
      cells.append((name, Double(numbers[0]) / 1024))
    }
    return "{" + cells.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ", ") + "}"
  }

  /// Measures starts from a warm cache, and from a cache without the program and the index.
  private func starts(_ index: String, _ prefixes: [Prefix], _ cells: inout [(String, Double)]) {
    let asked = prefixes.lazy.filter { prefix in
      (3...6).contains(prefix.folded.count) && prefix.folded.allSatisfy { (0x61...0x7a).contains($0) }
    }.prefix(5)
    let commands = Array(asked).map { [shardq, "-i", index, String(decoding: $0.folded, as: UTF8.self)] }
    guard !commands.isEmpty else { return }
    var cold: [Double] = []
    for command in commands {
      for _ in 0..<5 {
        [shardq, index].forEach(Files.evict)
        cold.append(Double(programs.run([command], rounds: 1).runs[0][0].nanoseconds) / 1e6)
      }
    }
    let runs = programs.run(commands, rounds: max(1, effort.starts / 5)).runs.joined()
    guard runs.allSatisfy({ $0.status == 0 }) else { stop("shardq failed: \(programs.said)") }
    cells += [
      ("start_ms", median(runs.map { Double($0.nanoseconds) / 1e6 })), ("cold_start_ms", median(cold)),
      ("start_peak_mib", median(runs.map { Double($0.peakKiB) / 1024 })),
    ]
  }

  /// Counts the matches of up to 500 prefixes by reading every record of the dataset, and stops where the index counts
  /// otherwise. Returns the number of compared prefixes.
  private func compare(_ engine: Engine, _ source: String, _ prefixes: [Prefix]) throws -> Int {
    let wanted = prefixes.prefix(500).map { (folded: Array($0.folded), counted: engine.count($0)) }
      .sorted { $0.folded.lexicographicallyPrecedes($1.folded) }
    // The longest other prefix that each prefix begins with. A key begins with the greatest prefix that is not above
    // it, or with one of that prefix's own.
    let parents = wanted.indices.map { number in
      wanted[..<number].lastIndex { wanted[number].folded.starts(with: $0.folded) }
    }
    var counts = [Int](repeating: 0, count: wanted.count)
    let list = try DatasetRecords(opening: source)
    var (key, folded): ([UInt8], [UInt8]) = ([], [])
    while try list.readBatch() {
      guard ["name", "country"].allSatisfy(list.fieldNames.contains) else { stop("\(source) is not a city list") }
      list.forEachRecord(["name", "country"]) { texts, _ in
        key.removeAll(keepingCapacity: true)
        folded.removeAll(keepingCapacity: true)
        key += texts[0] ?? []
        key += [0x2c, 0x20]
        key += texts[1] ?? []
        FoldedText.append(key, to: &folded)
        var (low, high) = (0, wanted.count)
        while low < high {
          let middle = (low + high) / 2
          if folded.lexicographicallyPrecedes(wanted[middle].folded) { high = middle } else { low = middle + 1 }
        }
        var candidate = low == 0 ? nil : Optional(low - 1)
        while let number = candidate {
          if folded.starts(with: wanted[number].folded) { counts[number] += 1 }
          candidate = parents[number]
        }
      }
    }
    for (count, prefix) in zip(counts, wanted) where count != prefix.counted {
      let text = String(decoding: prefix.folded, as: UTF8.self)
      stop("\(count) records begin with \"\(text)\", the index counts \(prefix.counted)")
    }
    return wanted.count
  }
}
