// The names of Apple's module System that the sources use.
public struct FilePath { public var string: String }
