// The WebAssembly module's own part of a C library, and the texts between the module and its host.
#include "host.h"
#include <errno.h>
#include <stdlib.h>
#include <wasi/api.h>

// The texts of a question, and the bytes of an answer.
static unsigned char *question;
static int32_t room;
static const void *answer;
static int32_t answer_size;

// Returns room for the texts of a question, of at least `size` bytes; NULL if there is no memory.
void *shardq_reserve(int32_t size) {
  if (size > room) {
    free(question);
    question = malloc((size_t)size);
    room = question ? size : 0;
  }
  return question;
}

uint8_t host_question(int32_t offset) { return offset >= 0 && offset < room ? question[offset] : 0; }

void host_answer(const void *bytes, int32_t size) {
  answer = bytes;
  answer_size = size;
}

// The bytes of the last answer or message, which stay until the next call, and their number.
const void *shardq_answer(void) { return answer; }
int32_t shardq_answer_size(void) { return answer_size; }

// Swift allocates all objects by this function, most with an alignment of 4 bytes. The library's own function also
// allocates and frees a second piece; for these objects malloc suffices.
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment > 2 * sizeof(void *)) return __real_posix_memalign(memory, alignment, size);
  *memory = malloc(size);
  return *memory ? 0 : ENOMEM;
}

int *__errno_location(void) {
  static int number;
  return &number;
}

// The seeds of hash tables. No answer depends on the order of a hash table.
void arc4random_buf(void *buffer, size_t size) {
  static uint64_t state = 0x9e3779b97f4a7c15;
  for (unsigned char *at = buffer; size > 0; size--) {
    state = state * 6364136223846793005 + 1;
    *at++ = (unsigned char)(state >> 56);
  }
}

// strtod of wasi-libc reads its text as a stream, whose functions could write to a file. The linker replaces WASI's
// functions by these (--wrap).
__wasi_errno_t __wrap___wasi_fd_close(__wasi_fd_t file) { return __WASI_ERRNO_NOSYS; }
__wasi_errno_t __wrap___wasi_fd_seek(
    __wasi_fd_t file, __wasi_filedelta_t offset, __wasi_whence_t from, __wasi_filesize_t *position) {
  return __WASI_ERRNO_NOSYS;
}
__wasi_errno_t __wrap___wasi_fd_write(
    __wasi_fd_t file, const __wasi_ciovec_t *pieces, size_t count, __wasi_size_t *written) {
  return __WASI_ERRNO_NOSYS;
}
