#if Server
  import CLibrary

  extension PlaceGrid {
    /// The mean radius of the Earth in kilometres (IUGG).
    private static let earthRadius = 6371.0088

    /// Returns the positions of the records nearest to a point, the nearest first. Of two records at the same distance,
    /// the record with the lower position comes first.
    ///
    /// - Parameters:
    ///   - latitude: The latitude; it and `longitude` are in 1e-7 degrees.
    ///   - radius: The greatest distance of a record, along the ground, in kilometres.
    ///   - limit: At least 1.
    /// - Complexity: O(*r* + *c* + *limit* * *limit*), with *c* cells nearer than the furthest record found, at most
    ///   64,800, and *r* records in these cells.
    func nearest(latitude: Int32, longitude: Int32, radius: Double, limit: Int) -> [Int] {
      let place = Origin(latitude: latitude, longitude: longitude)
      let half = sin(min(radius / Self.earthRadius, .pi) / 2)
      var found = Nearest(reach: half * half, limit: limit)
      // Rows of cells to the south and to the north, in turn, until both are too far away.
      let row = Self.row(latitude)
      for step in 0..<Self.rows {
        var isNear = false
        for row in step == 0 ? [row] : [row - step, row + step] where (0..<Self.rows).contains(row) {
          guard place.separation(fromRow: row) <= found.reach else { continue }
          isNear = true
          collect(row: row, place, &found)
        }
        if !isNear { break }
      }
      return found.places.map { Int($0.position) }
    }

    /// Adds the near records of one row of cells, outwards from the point's own column.
    private func collect(row: Int, _ place: Origin, _ found: inout Nearest) {
      for step in 0...Self.columns / 2 {
        var isNear = false
        for side in step == 0 || step == Self.columns / 2 ? [1] : [1, -1] {
          guard place.separation(fromColumnsAway: step, side: side) <= found.reach else { continue }
          isNear = true
          let column = (place.column + side * step + Self.columns) % Self.columns
          let cell = row * Self.columns + column
          for entry in entries[Int(starts[cell])..<Int(starts[cell + 1])] {
            found.add(separation: place.separation(from: entry), entry.position)
          }
        }
        if !isNear { return }
      }
    }

    /// The point to measure from. A separation is the square of the sine of half the angle. A separation grows with the
    /// angle up to the other end of the world, and needs no root.
    private struct Origin {
      let latitude, longitude, cosine: Double
      /// The coordinates in degrees from 180 west and from 90 south.
      let x, y: Double
      var column: Int { min(PlaceGrid.columns - 1, Int(x)) }

      init(latitude: Int32, longitude: Int32) {
        let unit = Double(PlaceGrid.unitsPerDegree)
        (x, y) = (Double(longitude) / unit + 180, Double(latitude) / unit + 90)
        (self.latitude, self.longitude) = (Self.radians(y - 90), Self.radians(x - 180))
        cosine = cos(self.latitude)
      }

      private static func radians(_ degrees: Double) -> Double { degrees * (.pi / 180) }

      func separation(from entry: LocatedRecord) -> Double {
        let unit = Double(PlaceGrid.unitsPerDegree)
        let other = Self.radians(Double(entry.latitude) / unit)
        let (up, across) = (
          sin((other - latitude) / 2), sin((Self.radians(Double(entry.longitude) / unit) - longitude) / 2)
        )
        return up * up + cosine * cos(other) * across * across
      }

      /// Returns a lower bound of the separations of all records in a row of cells.
      func separation(fromRow row: Int) -> Double {
        let degrees = max(0, max(Double(row) - y, y - Double(row + 1)))
        let half = sin(Self.radians(degrees) / 2)
        return half * half * Self.slack
      }

      /// Returns a lower bound of the separations of all records `step` columns to the east (1) or to the west (-1).
      func separation(fromColumnsAway step: Int, side: Int) -> Double {
        guard step > 0 else { return 0 }
        let within = side > 0 ? Double(column + 1) - x : x - Double(column)
        let degrees = within + Double(step - 1)
        // The way to the meridian at the cells' near edge is straight, or goes over the pole if the edge is a quarter
        // away.
        let sine = cosine * (degrees < 90 ? sin(Self.radians(degrees)) : 1)
        let half = sin(asin(min(1, sine)) / 2)
        return half * half * Self.slack
      }

      /// The margin for rounding.
      private static let slack = 1 - 1e-9
    }

    /// The nearest records so far.
    private struct Nearest {
      /// The greatest separation of a record that is added.
      private(set) var reach: Double
      private(set) var places: [(separation: Double, position: UInt32)] = []
      private let limit: Int

      init(reach: Double, limit: Int) {
        (self.reach, self.limit) = (reach, limit)
      }

      mutating func add(separation: Double, _ position: UInt32) {
        guard separation <= reach else { return }
        var (low, high) = (0, places.count)
        while low < high {
          let middle = (low + high) / 2
          if (places[middle].separation, places[middle].position) < (separation, position) {
            low = middle + 1
          } else {
            high = middle
          }
        }
        places.insert((separation, position), at: low)
        if places.count > limit { places.removeLast() }
        if places.count == limit { reach = places[limit - 1].separation }
      }
    }
  }
#endif
