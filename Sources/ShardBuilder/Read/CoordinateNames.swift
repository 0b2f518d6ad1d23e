/// The names of fields that hold coordinates. A record's first of each list counts.
enum CoordinateNames {
  static let latitudes = ["coord.lat", "lat", "latitude", "Latitude", "LAT"]
  static let longitudes = ["coord.lon", "lon", "lng", "longitude", "Longitude", "LON"]
}
