// Written by Scripts/generate_lookalikes.py: do not edit.
// swift-format-ignore-file

/// The scalars that look like others, of the plain form. Source: docs/look-alikes.md.
enum LookAlikes {
  /// Whether the UTF-8 of a look-alike may begin with a byte.
  @inline(__always) static func isLead(_ byte: UInt8) -> Bool {
    switch byte {
    case 0xd8, 0xdb, 0xe0, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xef: return true
    default: return false
    }
  }

  /// Returns the scalar that stands for a look-alike, 0 if none does; nil of another scalar.
  @inline(__always) static func replacement(_ scalar: UInt32) -> UInt32? {
    switch scalar {
    case 0x0629: return 0x0647
    case 0x06d5: return 0x0647
    case 0x0901: return 0x0902
    case 0x093c: return 0x0000
    case 0x0e45: return 0x0e32
    case 0x304b: return 0x30ab
    case 0x304c: return 0x30b1
    case 0x3064: return 0x30c4
    case 0x3078: return 0x30d8
    case 0x3079: return 0x30d9
    case 0x307a: return 0x30da
    case 0x3090: return 0x3044
    case 0x3091: return 0x3048
    case 0x30a1: return 0x30a2
    case 0x30a3: return 0x30a4
    case 0x30a5: return 0x30a6
    case 0x30a7: return 0x30a8
    case 0x30a9: return 0x30aa
    case 0x30c3: return 0x30c4
    case 0x30ce: return 0x306e
    case 0x30f0: return 0x30a4
    case 0x30f1: return 0x30a8
    case 0x30f5: return 0x30ab
    case 0x30f6: return 0x30b1
    case 0x4e4b: return 0x306e
    case 0x4f5b: return 0x4ecf
    case 0x5047: return 0x4eee
    case 0x51a8: return 0x5bcc
    case 0x57dc: return 0x91ce
    case 0x5967: return 0x5965
    case 0x5cef: return 0x5cf0
    case 0x5d8b: return 0x5cf6
    case 0x5dbd: return 0x5cb3
    case 0x5dff: return 0x5e02
    case 0x5ee3: return 0x5e83
    case 0x60e0: return 0x6075
    case 0x62c2: return 0x6255
    case 0x66fe: return 0x66fd
    case 0x689d: return 0x6761
    case 0x6a9c: return 0x6867
    case 0x6afb: return 0x685c
    case 0x6e13: return 0x6eaa
    case 0x6e15: return 0x6df5
    case 0x6fa4: return 0x6ca2
    case 0x6ff1: return 0x6d5c
    case 0x7027: return 0x6edd
    case 0x7063: return 0x6e7e
    case 0x72f9: return 0x72ed
    case 0x7576: return 0x5f53
    case 0x7895: return 0x5d0e
    case 0x7adc: return 0x9f8d
    case 0x7bed: return 0x7c60
    case 0x7e23: return 0x770c
    case 0x7e69: return 0x7e04
    case 0x81fa: return 0x53f0
    case 0x842c: return 0x4e07
    case 0x85cf: return 0x8535
    case 0x85ea: return 0x85ae
    case 0x87a2: return 0x86cd
    case 0x975c: return 0x9759
    case 0x9771: return 0x976d
    case 0x9ad9: return 0x9ad8
    case 0x9daf: return 0x9d2c
    case 0x9f4b: return 0x658e
    case 0xfa11: return 0x5d0e
    default: return nil
    }
  }

  /// Whether a scalar is a vowel that, typed twice, becomes the next scalar.
  @inline(__always) static func isDoubled(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x0e40, 0x0ec0: return true
    default: return false
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
