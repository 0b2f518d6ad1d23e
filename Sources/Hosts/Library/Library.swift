import CLibrary
import CShardq

// The functions of the C library (Scripts/build-library.sh), described in shardq.h.

private func reader(_ handle: OpaquePointer?) -> Reader? {
  handle.map { Unmanaged<Reader>.fromOpaque(reader_of($0)).takeUnretainedValue() }
}

private func handle(_ status: Status?, _ open: () throws(Refusal) -> SharedIndex) -> OpaquePointer? {
  var number: Int32 = 0
  let reader = Reader(status: &number, open)
  set_status(status, number)
  return handle_of(Unmanaged.passRetained(reader).toOpaque())
}

@c @implementation public func sq_open(_ path: Characters?, _ cacheSize: Int64, _ status: Status?) -> OpaquePointer? {
  handle(status) { () throws(Refusal) in
    try SharedIndex.opening(Reader.path(path), cacheSize: Reader.cacheSize(cacheSize))
  }
}

@c @implementation public func sq_open_remote(
  _ address: Characters?, _ isArchive: Int32, _ cacheSize: Int64, _ fetch: sq_fetch?, _ context: Block?,
  _ status: Status?
) -> OpaquePointer? {
  handle(status) { () throws(Refusal) in
    guard let fetch else { throw Refusal(SQ_REFUSED, "fetch must be a function") }
    return try SharedIndex.fetching(
      Reader.path(address), isArchive: isArchive != 0, cacheSize: Reader.cacheSize(cacheSize),
      FetchedFiles(fetch, context))
  }
}

@c @implementation public func sq_close(_ index: OpaquePointer?) {
  if let index { Unmanaged<Reader>.fromOpaque(reader_of(index)).release() }
}

@c @implementation public func sq_field(_ index: OpaquePointer?, _ number: UInt32) -> Characters? {
  reader(index)?.field(Int(number))
}

@c @implementation public func sq_count(_ index: OpaquePointer?, _ text: Characters?, _ size: Int) -> Int64 {
  reader(index)?.count(text, size) ?? -Int64(SQ_REFUSED)
}

@c @implementation public func sq_query(
  _ index: OpaquePointer?, _ text: Characters?, _ size: Int, _ options: Options?
) -> Int32 {
  reader(index)?.search(text, size, whole(options)) ?? Int32(SQ_REFUSED)
}

@c @implementation public func sq_facets(
  _ index: OpaquePointer?, _ field: Characters?, _ start: Characters?, _ limit: Int64
) -> Int32 {
  reader(index)?.facets(field, start, limit) ?? Int32(SQ_REFUSED)
}

@c @implementation public func sq_lookup(
  _ index: OpaquePointer?, _ id: Characters?, _ size: Int, _ flags: Int32
) -> Int32 {
  reader(index)?.lookUp(id, size, flags) ?? Int32(SQ_REFUSED)
}

@c @implementation public func sq_answer(_ index: OpaquePointer?, _ size: Size?) -> Answer? {
  var answer: Answer?
  set_size(size, 0)
  reader(index)?.answer { bytes, count in
    answer = bytes
    set_size(size, count)
  }
  return answer
}

@c @implementation public func sq_message(_ index: OpaquePointer?) -> Characters? {
  guard let reader = reader(index) else { return no_handle() }
  return Characters(reader.message) ?? no_message()
}
