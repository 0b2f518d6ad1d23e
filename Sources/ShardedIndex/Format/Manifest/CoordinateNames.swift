/// The names of fields that hold coordinates. A record's first of each list counts.
package enum CoordinateNames {
  package static let latitudes = ["coord.lat", "lat", "latitude", "Latitude", "LAT"]
  package static let longitudes = ["coord.lon", "lon", "lng", "longitude", "Longitude", "LON"]
}
