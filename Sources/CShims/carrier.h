// The functions by which an index's bytes come from somewhere else than a directory: a host page, a store, a test. Several
// threads may call them at once. They return the number of an error (errno.h) made negative; EAGAIN says that the bytes are
// on their way, and the same question is to be asked again.
#include <stdint.h>

typedef struct __attribute__((swift_attr("@Sendable"))) {
  // What each function is called with.
  void *context;
  // Returns the number of a file, at least 0, which stands for its content: another content gets another number. The
  // index says which size the file must have, in bytes, and -1 for the manifest, whose size it does not know. The name is
  // valid as long as the call lasts.
  int32_t (*open)(void *context, const char *name, int64_t size);
  // Returns the size of a file, in bytes.
  int64_t (*size)(void *context, int32_t file);
  // Fills `into` with `size` bytes from `offset` on; returns 0.
  int32_t (*read)(void *context, int32_t file, int64_t offset, int64_t size, void *into);
} Carrier;
