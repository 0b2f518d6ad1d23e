/// The names of fields with coordinates. A record's first field from each list counts.
package enum CoordinateNames {
  package static let latitudes = ["coord.lat", "lat", "latitude", "Latitude", "LAT"]
  /// The field with the third coordinate of a GeoJSON point.
  package static let altitude = "alt"
  package static let longitudes = ["coord.lon", "lon", "lng", "longitude", "Longitude", "LON"]
}
