// Written by Scripts/generate_lookalikes.py: do not edit.
// swift-format-ignore-file

/// The scalars that look like others, of the plain form. Source: docs/matching.md section 11.
enum LookAlikes {
  /// Whether the UTF-8 of a look-alike may begin with a byte.
  @inline(__always) static func isLead(_ byte: UInt8) -> Bool {
    switch byte {
    case 0xd8, 0xdb, 0xe0, 0xe3: return true
    default: return false
    }
  }

  /// Returns the scalar that stands for a look-alike, 0 if none does; nil of another scalar.
  @inline(__always) static func replacement(_ scalar: UInt32) -> UInt32? {
    switch scalar {
    case 0x0629: return 0x0647
    case 0x06d5: return 0x0647
    case 0x093c: return 0x0000
    case 0x30f5: return 0x30ab
    case 0x30f6: return 0x30b1
    default: return nil
    }
  }

  /// Whether a scalar is a tone mark, which a nikhahit goes behind.
  @inline(__always) static func isTone(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x0e48...0x0e4b, 0x0ec8...0x0ecb: return true
    default: return false
    }
  }

  /// Whether a scalar is a nikhahit.
  @inline(__always) static func isNikhahit(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x0e4d, 0x0ecd: return true
    default: return false
    }
  }
}
