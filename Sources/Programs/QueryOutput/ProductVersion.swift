/// The version of the commands and of the server. The format and the fold have versions of their own.
package enum ProductVersion {
  package static let text = "0.1.0"
}
