import Answers
import CLibrary
import QueryOutput

#if !hasFeature(Embedded)
  @main
  enum Main {
    static func main() { Front.run(CommandLine.unsafeArgv, count: Int(CommandLine.argc)) }
  }
#else
  /// Called by Sources/Hosts/Embedded/main.c.
  @_cdecl("shardq_main")
  public func shardqMain(_ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, _ count: CInt) -> Never {
    Front.run(arguments, count: Int(count))
  }
#endif

/// The command `shardq`: answers a plain query itself and hands everything else to `shardq-commands`.
///
/// A program that links the argument parser starts slower and takes more memory, even where it never calls it; so the
/// parser lives in an executable of its own.
enum Front {
  static func run(_ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, count: Int) -> Never {
    // The other executable reports an argument that is no UTF-8.
    let texts = (1..<max(1, count)).map { number in arguments[number].flatMap { String(validatingCString: $0) } }
    if let first = texts.first, first == NameCompletion.argument {
      NameCompletion.run(texts.dropFirst().compactMap { $0 })
      _exit(ExitStatus.done.rawValue)
    }
    guard !texts.contains(nil), var request = FrontParser.parse(texts.compactMap { $0 }) else {
      Commands.run(arguments, isFar: ["publish", "fetch", "prune"].contains(texts.first ?? nil))
    }
    do throws(UserSettings.SettingsError) {
      request.apply(try UserSettings.load())
    } catch {
      Diagnostics.report(error.message)
      _exit(error.status.rawValue)
    }
    if let index = request.index, RemoteIndex.isURL(index) { Commands.run(arguments, isFar: true) }
    // Nothing is left to be written, and memory need not be freed block by block.
    _exit(QueryRunner.run(request).rawValue)
  }
}
