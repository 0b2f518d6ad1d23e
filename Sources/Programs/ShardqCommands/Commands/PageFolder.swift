#if CommandLineTool
  import Answers
  import Footprint
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  import CLibrary
  import CZlib

  /// The files of a page without a server, as they are installed: Scripts/build-wasm.sh makes them.
  struct PageFiles {
    static let page = "page.html"
    static let box = "shardq-box.js"
    static let copied = ["shardq.js", "static.js", "shardq.wasm", "shardq.wasm.gz"]

    /// The largest file that is read, in bytes.
    private static let sizeLimit = 16 << 20

    /// The files by name.
    private(set) var contents: [String: [UInt8]] = [:]
    let directory: String

    /// The bytes of all files.
    var bytes: Int { contents.values.reduce(0) { $0 + $1.count } }

    /// Reads the files of this installation, or of the clone.
    init() throws(CommandFailure) {
      let own = InstalledProgram.directory(of: try InstalledProgram.ownPath())
      let places = ["/../../share/shardq", "/../share/shardq", "/../.build/wasm/module"].map { own + $0 }
      guard let found = places.first(where: { access($0 + "/" + Self.page, F_OK) == 0 }) else {
        throw CommandFailure(
          status: .notFound,
          message: "the files of the page are missing in \(places[0]); on Debian install wasi-libc and "
            + "libclang-rt-14-dev-wasm32, and run make install again (docs/static-page.md)")
      }
      directory = found
      for name in Self.copied + [Self.page, Self.box] { contents[name] = try Self.read(found + "/" + name) }
    }

    private static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
      let bytes = try beginning(of: path, size: sizeLimit + 1)
      if bytes.count <= sizeLimit { return bytes }
      throw CommandFailure(
        status: .badData, message: "\(path) is too large for a file of the page; install shardq again")
    }

    /// Returns the first bytes of a file, at least `size` of them if the file has so many.
    static func beginning(of path: String, size: Int) throws(CommandFailure) -> [UInt8] {
      let file = open(path, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else {
        throw CommandFailure(
          status: .notFound, message: "cannot open \(path): \(String(cString: strerror(errno))); install shardq again")
      }
      defer { close(file) }
      var bytes: [UInt8] = []
      var run = [UInt8](repeating: 0, count: 64 << 10)
      while bytes.count < size {
        let count = CLibrary.read(file, &run, run.count)
        if count == 0 { return bytes }
        guard count > 0 else {
          if errno == EINTR { continue }
          throw CommandFailure(
            status: .inputOutput, message: "cannot read \(path): \(String(cString: strerror(errno)))")
        }
        bytes += run[..<count]
      }
      return bytes
    }

    /// Returns the page, which asks the index at `address`, and lets no other scripts run than those of the folder.
    func html(
      asking address: String, _ options: PageOptions, _ facts: PageFacts, first: String
    ) throws(CommandFailure) -> [UInt8] {
      guard var html = PageDocument.html(contents[Self.page] ?? [], options, facts, index: address, first: first) else {
        throw notThisVersion(Self.page)
      }
      // The text without JavaScript speaks of a server.
      for range in PagePolicy.ranges(of: "noscript", in: html).reversed() {
        html.replaceSubrange(range, with: Array("This page needs JavaScript.".utf8))
      }
      let policy = PagePolicy.text(
        for: html, scripts: ["'self'", "'wasm-unsafe-eval'"], images: options.policyOrigins, digest: Digest.sha256)
      let charset = "<meta charset=\"utf-8\">"
      // The browser fetches the scripts while the page still comes.
      let scripts = ["static.js", "shardq.js"].map { "\n<link rel=\"modulepreload\" href=\"\($0)\">" }.joined()
      let meta = "\(charset)\n<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">\(scripts)"
      guard PageDocument.replace(charset, with: meta, in: &html) else { throw notThisVersion(Self.page) }
      // A host may name no charset, and a browser looks for the page's own in the first 1,024 bytes alone. The options
      // come before it, so the page begins with the mark of UTF-8.
      return [0xef, 0xbb, 0xbf] + html
    }

    /// Returns the box for other pages, which asks the index at `address` of its folder.
    func box(asking address: String, first: String) throws(CommandFailure) -> [UInt8] {
      var script = contents[Self.box] ?? []
      let folder = "const folder={index:\(JSONText.string(address)),first:\(first)}"
      guard PageDocument.replace("const folder=null", with: folder, in: &script) else { throw notThisVersion(Self.box) }
      return script
    }

    private func notThisVersion(_ name: String) -> CommandFailure {
      CommandFailure(
        status: .badData, message: "\(directory)/\(name) is not the file of this version; install shardq again")
    }
  }

  /// The folder that a host of static files serves. It is there when it is whole, and not before. It replaces an
  /// earlier folder of the command.
  struct PageFolder {
    private let path: String
    private let files: PageFiles
    private let options: PageOptions

    init(_ path: String, of files: PageFiles, _ options: PageOptions) {
      var path = path[...]
      while path.count > 1, path.hasSuffix("/") { path.removeLast() }
      (self.path, self.files, self.options) = (String(path), files, options)
    }

    /// - Throws: ``PackError`` or ``CommandFailure``.
    func write(_ index: String, asArchive isArchive: Bool) throws -> ArchiveSummary {
      try PageMark.check(path)
      let parent = InstalledProgram.directory(of: path)
      let work: WorkDirectory
      do throws(BuildError) {
        work = try EndingSignals.removing { () throws(BuildError) in
          try WorkDirectory(in: parent.isEmpty ? "/" : parent, for: "page")
        }
      } catch {
        throw PackError.build(error)
      }
      defer {
        EndingSignals.yield()
        work.remove()
      }
      return try write(index, asArchive: isArchive, in: work)
    }

    private func write(_ index: String, asArchive isArchive: Bool, in work: WorkDirectory) throws -> ArchiveSummary {
      let folder = work.path + "/site"
      guard mkdir(folder, 0o755) == 0 else { throw CommandFailure.cannotWrite(path, errno) }
      for name in PageFiles.copied {
        let bytes = files.contents[name] ?? []
        try write(bytes, name, in: folder)
        if name.hasSuffix(".js") { try writeGzip(bytes, name + ".gz", in: folder) }
      }
      let summary: ArchiveSummary
      if isArchive {
        summary = try ShardBuilder.archive(index, to: folder + "/index.shardq")
      } else {
        summary = try ShardBuilder.copy(index, into: folder + "/index")
        // No program writes to this index.
        unlink(folder + "/index/.lock")
      }
      // The copy's: the index may be built anew meanwhile.
      let address = isArchive ? "index.shardq" : "index/"
      let (facts, first) = try contents(of: folder + "/" + address, isArchive: isArchive)
      for (name, bytes) in first.files {
        try write(bytes, name, in: folder)
        try writeGzip(bytes, name + ".gz", in: folder)
      }
      let html = try files.html(asking: address, options, facts, first: first.json)
      let box = try files.box(asking: address, first: first.boxJSON)
      for (name, bytes) in [("index.html", html), (PageFiles.box, box)] {
        try write(bytes, name, in: folder)
        try writeGzip(bytes, name + ".gz", in: folder)
      }
      try PageMark.write(in: folder, shown: path)
      // The index may have taken a while.
      try PageMark.check(path)
      let code = EndingSignals.move(folder, to: path, replaced: work.path + "/old")
      guard code == 0 else { throw CommandFailure.cannotWrite(path, code) }
      return summary
    }

    /// Returns the facts of an index for the page, and its first answers.
    private func contents(
      of path: String, isArchive: Bool
    ) throws(CommandFailure) -> (PageFacts, FirstAnswers) {
      let index: ShardedIndex
      do throws(IndexError) { index = try ShardedIndex(opening: path) } catch { throw CommandFailure(error) }
      let generation = index.generation
      let facts = PageFacts(IndexSettings(of: generation.manifest.root), generation.schema)
      let size = generation.manifest.root.frameSize
      let bytes = try PageFiles.beginning(of: isArchive ? path : path + "manifest", size: size)
      let mark = PageIndexMark(bytes, rootSize: size, isArchive: isArchive)
      return (facts, try FirstAnswers(of: index, showing: options.rowFields(of: generation.schema), mark))
    }

    /// Writes a file in gzip's format, for hosts that send compressed files as they are.
    private func writeGzip(_ bytes: [UInt8], _ name: String, in folder: String) throws(CommandFailure) {
      let file = open("\(folder)/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
      guard file >= 0 else { throw .cannotWrite("\(path)/\(name)", errno) }
      guard let stream = gzdopen(file, "wb9") else {
        close(file)
        throw .cannotWrite("\(path)/\(name)", ENOMEM)
      }
      let isTaken = gzwrite(stream, bytes, UInt32(bytes.count)) == bytes.count
      let code = errno
      // This writes the rest.
      let isClosed = gzclose(stream) == Z_OK
      guard isTaken, isClosed else { throw .cannotWrite("\(path)/\(name)", isTaken ? errno : code) }
    }

    private func write(_ bytes: [UInt8], _ name: String, in folder: String) throws(CommandFailure) {
      try writeFile(bytes, to: "\(folder)/\(name)", O_EXCL, shown: "\(path)/\(name)")
    }
  }
#endif
