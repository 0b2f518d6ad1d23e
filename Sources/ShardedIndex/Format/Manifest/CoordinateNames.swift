/// The names of fields with coordinates. A record's first field from each list counts.
package enum CoordinateNames {
  package static let latitudes = ["coord.lat", "lat", "latitude", "Latitude", "LAT"]
  package static let longitudes = ["coord.lon", "lon", "lng", "longitude", "Longitude", "LON"]
}
