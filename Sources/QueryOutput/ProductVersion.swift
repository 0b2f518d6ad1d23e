/// The version of the commands and of the server; the format and the fold have their own.
package enum ProductVersion {
  package static let text = "0.1.0"
}
