// The functions by which an index's bytes come from somewhere else than a directory: a host page, a store, a test. Several
// threads may call them at once. They return the number of an error (errno.h) made negative; EAGAIN says that the bytes are
// on their way, and the same question is to be asked again, ESTALE that the file is another by now.
#include <stdint.h>

enum {
  // Errors from this number on have a sentence, which `reason` gives.
  CARRIER_REASONS = 65536,
  // What `gather` is called for.
  CARRIER_WAITS = 0,
  CARRIER_GATHERS = 1,
  CARRIER_GATHERS_ANEW = 2,
  CARRIER_AWAITS = 3,
};

typedef struct __attribute__((swift_attr("@Sendable"))) {
  // What each function is called with.
  void *context;
  // Returns the number of a file, at least 0, which stands for its content: another content gets another number. The
  // index says which size the file must have, in bytes, and -1 for the manifest, whose size it does not know. The name is
  // valid as long as the call lasts. An archive has the number 0; where there is `open_within`, it is opened as "archive",
  // its size -1.
  int32_t (*open)(void *context, const char *name, int64_t size);
  // Returns the size of a file, in bytes.
  int64_t (*size)(void *context, int32_t file);
  // Fills `into` with `size` bytes from `offset` on; returns 0.
  int32_t (*read)(void *context, int32_t file, int64_t offset, int64_t size, void *into);

  // The functions from here on may be null.
  // Returns the number of a file in an archive, which has `size` bytes from `offset` on there. It is read at offsets of the
  // archive.
  int32_t (*open_within)(void *context, int32_t archive, const char *name, int64_t offset, int64_t size);
  // CARRIER_GATHERS: from now on reads of the calling thread begin to fetch what is missing and return EAGAIN, so that
  // several come side by side. CARRIER_GATHERS_ANEW: likewise, and nothing that was fetched before is used.
  // CARRIER_AWAITS: returns when all has come, or failed, that the thread began to fetch. CARRIER_WAITS: from now on each
  // read waits, as at first.
  void (*gather)(void *context, int32_t how);
  // Fills `into` with the sentence of an error, a zero behind it.
  void (*reason)(void *context, int32_t error, char *into, int64_t capacity);
  // Ends the use of the carrier. Called once.
  void (*close)(void *context);
} Carrier;
