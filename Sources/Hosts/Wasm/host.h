// The host that runs the WebAssembly module: its three functions, and the texts between the module and the host.
#include "../../System/CShims/carrier.h"
#include <stddef.h>

#define IMPORT(name) __attribute__((import_module("host"), import_name(#name)))

// Like the functions of a carrier, these return the negated number of an error; EAGAIN says that bytes are missing. The
// host fetches the bytes that the module names.

// Returns the number of a file. If `size` is negative, the host fetches the first `head` bytes, to learn the size. An
// archive has the name "archive".
IMPORT(open) int32_t host_open(const char *name, int64_t size, int64_t head);
IMPORT(size) int64_t host_size(int32_t file);
// If bytes are missing, the host fetches the bytes from `from` to before `to`.
IMPORT(read) int32_t host_read(int32_t file, int64_t offset, int64_t size, void *into, int64_t from, int64_t to);

// Returns a byte of the question; 0 behind its end.
uint8_t host_question(int32_t offset);
// Gives the host the bytes of an answer.
void host_answer(const void *bytes, int32_t size);
