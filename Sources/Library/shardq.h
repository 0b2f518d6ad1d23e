// Type-ahead over an index of shardq, from C and from all that calls C: docs/languages.md.
//
//   int status;
//   sq_index *index = sq_open("cities", 0, &status);
//   if (status == SQ_OK && sq_query(index, "san", 3, NULL) == SQ_OK) {
//     const sq_answer_head *answer = sq_answer(index, NULL);
//     for (uint32_t n = 0; n < answer->record_count; n++) {
//       const sq_record record = sq_records(answer)[n];
//       const sq_value *value = sq_values(answer) + record.first_value;
//       for (uint32_t k = 0; k < record.value_count; k++)
//         printf("%s: %s\n", sq_field(index, value[k].field), sq_text(answer, value[k].text));
//     }
//   } else {
//     fprintf(stderr, "%s\n", sq_message(index));
//   }
//   sq_close(index);
//
// Texts are UTF-8. A handle serves one thread at a time; threads with a handle each run side by side. No function ends the
// process because of a file's content, a question, or a handle that is NULL.
#ifndef SHARDQ_H
#define SHARDQ_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

// The reader of an index: the directory that `shardq build` writes, or an archive of it.
typedef struct sq_index sq_index;

enum {
  SQ_OK = 0,
  // There is no index at the path.
  SQ_NOT_FOUND = 1,
  // A file of the index is damaged, or is none of an index.
  SQ_DAMAGED = 2,
  // The index was rebuilt again and again while the question was answered. Ask again.
  SQ_CHANGED = 3,
  // The index, or this library, answers no such question.
  SQ_REFUSED = 4,
  // A system call failed.
  SQ_SYSTEM = 5,
};

// The order of an answer.
enum {
  // Ranks where the index has them, else keys.
  SQ_SORT_INDEX = 0,
  SQ_SORT_RANK = 1,
  SQ_SORT_KEY = 2,
};

// How a question is answered, by bits of `flags`.
enum {
  // Typing errors are not corrected.
  SQ_EXACT = 1,
  // Near records rank higher: `latitude` and `longitude` say near to which place.
  SQ_NEAR = 2,
  // The answer is the object of JSON that /v1/search of `shardq serve` answers with (docs/server.md), not sq_answer_head.
  SQ_JSON = 4,
  // The object of JSON also has the texts that a list shows, and which of their letters matched.
  SQ_DISPLAY = 8,
};

// The options of a question. Members that are 0 ask for nothing.
typedef struct {
  // sizeof(sq_options): a later library takes an earlier program's options.
  size_t size;
  // The number of matches that are passed over. At most 10,000 of a ranked answer.
  int64_t from;
  // The most records of the answer: 0 to 1,000.
  int64_t limit;
  int32_t sort;
  int32_t flags;
  // In degrees.
  double latitude, longitude;
  // Texts such as "country=FR", of which a record passes all; of two for the same field it passes one.
  const char *const *filters;
  size_t filter_count;
  // The cursor of the ranked answer before; NULL for the first page.
  const char *cursor;
} sq_options;

// An answer: this head, the records, the values of all records, then texts, each with a zero behind it. A text is given by
// its offset from the head, in bytes; 0 stands for none. Numbers have the processor's byte order.
typedef struct {
  // The number of records whose keys begin with the text.
  int64_t count;
  // The number of all matches; -1 where only a search through all of them would tell.
  int64_t total;
  uint32_t record_count, value_count;
  // The text that the typed one is corrected to, where all records correct its typing errors.
  uint32_t correction;
  // The longest beginning of the typed text that a record matches, where none matches all of it.
  uint32_t nearest;
  // The option `cursor` of the next page of a ranked answer; none behind the last page.
  uint32_t cursor;
  // Whether the records are in the order of ranks.
  uint32_t is_ranked;
} sq_answer_head;

typedef struct {
  // Of all values of the answer.
  uint32_t first_value, value_count;
} sq_record;

// The kind of a value. A literal is JSON: true, false, null, an array or an empty object.
enum { SQ_STRING = 0, SQ_NUMBER = 1, SQ_LITERAL = 2 };

typedef struct {
  // The number of the field, for sq_field.
  uint32_t field;
  uint32_t kind;
  // The text, and its size in bytes, without the zero behind it. A number has the digits of its dataset.
  uint32_t text, size;
} sq_value;

static inline const sq_record *sq_records(const sq_answer_head *answer) { return (const sq_record *)(answer + 1); }
static inline const sq_value *sq_values(const sq_answer_head *answer) {
  return (const sq_value *)(sq_records(answer) + answer->record_count);
}
static inline const char *sq_text(const sq_answer_head *answer, uint32_t text) {
  return text ? (const char *)answer + text : NULL;
}

// Opens an index.
//
// The handle is to be closed in any case: where the status is not SQ_OK, sq_message tells why and every question is refused.
// `cache_size` is the most bytes of unpacked shards that stay in memory; 0 stands for 8 MiB. Handles of one path and cache
// size share one index and its cache. An index that is rebuilt is followed within a second.
sq_index *sq_open(const char *path, int64_t cache_size, int *status);

// Closes a handle. Bytes that it returned are gone.
void sq_close(sq_index *index);

// Returns the name of a field; a nested field is named by its path, `coord.lon`. Returns NULL for a number beyond the last
// field. The numbers are those of the last answer, and the names stay until the next question or count.
const char *sq_field(sq_index *index, uint32_t number);

// Returns the number of records whose keys begin with a text of `size` bytes; or a status made negative, such as -SQ_DAMAGED.
int64_t sq_count(sq_index *index, const char *text, size_t size);

// Answers a question for a text of `size` bytes. Without options the answer has ten records, in the index's own order.
int sq_query(sq_index *index, const char *text, size_t size, const sq_options *options);

// Returns the last answer, which stays until the next question, and its size in bytes where `size` is not NULL. Returns NULL
// if the last question has none.
const void *sq_answer(sq_index *index, size_t *size);

// Returns the message of the last call that failed, which stays until the next one that fails; "" if none has.
const char *sq_message(sq_index *index);

#ifdef __cplusplus
}
#endif
#endif
