// The functions that give an index its bytes from anywhere but a directory: a host page, a store, a test. Several
// threads may call them at once. They return the negated number of an error (errno.h). EAGAIN says that the bytes are
// on their way, and that the caller asks again; ESTALE says that the file has changed.
#include <stdint.h>

enum {
  // Errors from this number on have a sentence; `reason` gives the sentence.
  CARRIER_REASONS = 65536,
  // The values of `how` in `gather`.
  CARRIER_WAITS = 0,
  CARRIER_GATHERS = 1,
  CARRIER_GATHERS_ANEW = 2,
  CARRIER_AWAITS = 3,
};

typedef struct __attribute__((swift_attr("@Sendable"))) {
  // The first argument of each function.
  void *context;
  // Returns the number of a file, at least 0. The number stands for the content: another content gets another number.
  // `size` is the size in bytes that the file must have; for the manifest it is -1, because the index does not know
  // that size. The name is valid during the call. An archive has the number 0. If `open_within` exists, the archive is
  // opened with the name "archive" and the size -1.
  int32_t (*open)(void *context, const char *name, int64_t size);
  // Returns the size of a file in bytes.
  int64_t (*size)(void *context, int32_t file);
  // Fills `into` with `size` bytes from `offset` on; returns 0.
  int32_t (*read)(void *context, int32_t file, int64_t offset, int64_t size, void *into);

  // The functions from here on may be null.
  // Returns the number of a file in an archive; the file has `size` bytes from `offset` on there. Reads of the file use
  // offsets of the archive.
  int32_t (*open_within)(void *context, int32_t archive, const char *name, int64_t offset, int64_t size);
  // CARRIER_GATHERS: from now on reads of the calling thread begin to fetch missing bytes and return EAGAIN, so that
  // several fetches go side by side. CARRIER_GATHERS_ANEW: likewise, without any bytes fetched before. CARRIER_AWAITS:
  // returns when all fetches of the thread have succeeded or failed. CARRIER_WAITS: from now on each read waits, as at
  // the start.
  void (*gather)(void *context, int32_t how);
  // Fills `into` with the sentence of an error and a zero.
  void (*reason)(void *context, int32_t error, char *into, int64_t capacity);
  // Ends the use of the carrier. The index calls it once.
  void (*close)(void *context);
} Carrier;
