// The C types and functions that the library's Swift functions use.
#include "shardq.h"
#include <string.h>

typedef const char *Characters;
typedef char *OwnedCharacters;
typedef void *Block;
typedef const void *Answer;
typedef size_t *Size;
typedef int *Status;
typedef const sq_options *Options;

static inline sq_index *handle_of(Block reader) { return (sq_index *)reader; }
static inline Block reader_of(sq_index *handle) { return handle; }
static inline void set_size(Size size, size_t value) {
  if (size) *size = value;
}
static inline void set_status(Status status, int value) {
  if (status) *status = value;
}

// Returns complete options from the first `size` bytes that a caller gave.
static inline sq_options whole(Options given) {
  sq_options options = {.limit = 10};
  if (given && given->size >= offsetof(sq_options, from)) {
    options.limit = 0;
    memcpy(&options, given, given->size < sizeof options ? given->size : sizeof options);
    if (!options.filters) options.filter_count = 0;
    if (!options.facets) options.facet_count = 0;
  }
  return options;
}

static inline Characters filter_at(sq_options options, size_t number) { return options.filters[number]; }
static inline Characters facet_at(sq_options options, size_t number) { return options.facets[number]; }

static inline Characters no_handle(void) { return "no index is open"; }
static inline Characters no_message(void) { return ""; }
