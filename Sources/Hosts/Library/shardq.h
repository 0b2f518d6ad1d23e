// Finds names as you type in an index of shardq, from C and from languages that call C: docs/languages.md.
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
// Texts are UTF-8. A handle serves one thread at a time; threads with a handle each run side by side. No file, no question
// and no handle that is NULL makes a function end the process.
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
  // A file of the index is damaged, or belongs to no index.
  SQ_DAMAGED = 2,
  // The index was rebuilt several times while the library answered the question. Ask again.
  SQ_CHANGED = 3,
  // The question is wrong, or the index or this library cannot answer it.
  SQ_REFUSED = 4,
  // A system call failed.
  SQ_SYSTEM = 5,
};

// The order of an answer.
enum {
  // By rank if the index has ranks, else by key.
  SQ_SORT_INDEX = 0,
  SQ_SORT_RANK = 1,
  SQ_SORT_KEY = 2,
};

// The bits of `flags`, which change the answer.
enum {
  // The answer corrects no typing errors.
  SQ_EXACT = 1,
  // Records near the place `latitude`, `longitude` rank higher.
  SQ_NEAR = 2,
  // The answer is the JSON object that /v1/search of `shardq serve` returns (docs/server.md), and not sq_answer_head.
  SQ_JSON = 4,
  // The JSON object also has the texts that a list shows, and the ranges of their matched letters.
  SQ_DISPLAY = 8,
  // The answer counts its matches: `total` is exact if there are at most 10,000, or if the index knows their number.
  SQ_TOTAL = 16,
  // The JSON object of a ranked answer also has the rank of each record.
  SQ_HITS = 32,
  // The records match all words of the text, as typed. Else a ranked answer comes from a reading of the text if no record
  // matches the text, and leaves out words if no record matches all of them.
  SQ_ALL_WORDS = 64,
  // If all records correct the text, the answer has only those with the fewest errors. `complete` of the JSON object is
  // false if there may be records with more errors.
  SQ_MIN_TYPOS = 128,
};

// The options of a question. A member that is 0 has no effect; a `limit` of 0 asks for no records.
typedef struct {
  // sizeof(sq_options). By the size a later library reads the options of an earlier program.
  size_t size;
  // The number of matches to skip; at most 10,000 in a ranked answer.
  int64_t from;
  // The most records of the answer: 0 to 1,000.
  int64_t limit;
  int32_t sort;
  int32_t flags;
  // The place, in degrees.
  double latitude, longitude;
  // Filters such as "country=FR" or "price=20..50". A record must pass the filters of all fields; of several filters for a
  // field, one.
  const char *const *filters;
  size_t filter_count;
  // The cursor of the previous page of a ranked answer; NULL for the first page.
  const char *cursor;
  // The field of `shardq build --number` that orders a ranked answer, the least number first; with a minus sign before it
  // the greatest first: "price", "-price". NULL for the order of `sort`.
  const char *sort_field;
  // With SQ_NEAR, the greatest distance of a record from the place, in kilometres: above 0, and at most 20,040. Records
  // without coordinates do not match then. 0 for no limit.
  double radius;
  // The field whose equal texts make groups, or "key": a ranked answer has only the best record of each group. The JSON
  // object also has `others`, the number of the others of each record's group. NULL for no groups. docs/groups.md.
  const char *group;
  // Fields that the index has filters by or numbers of, such as "country". The JSON object also has their values among
  // the matches, at most `facet_limit` of each: 1 to 100. docs/facets.md.
  const char *const *facets;
  size_t facet_count;
  int64_t facet_limit;
} sq_options;

// An answer is this head, the records, the values of all records, then the texts, each with a zero byte at its end. Members
// give a text by its offset from the head, in bytes; 0 stands for no text. Numbers have the processor's byte order.
typedef struct {
  // The number of matches; if `total_is_exact` is 0, there may be more. docs/totals.md.
  int64_t total;
  // The number of records whose keys begin with the text.
  int64_t keys;
  uint32_t record_count, value_count;
  // The corrected text, if all records match only with corrected typing errors.
  uint32_t correction;
  // The longest beginning of the typed text that a record matches, if no record matches the text.
  uint32_t nearest;
  // The option `cursor` of the next page of a ranked answer; no text on the last page.
  uint32_t cursor;
  // Whether the records are in the order of ranks.
  uint32_t is_ranked;
  uint32_t total_is_exact;
  // The words that the answer leaves out, since no record matches all words; a space divides them.
  uint32_t dropped;
  // The text of the reading that the answer comes from; no text if the answer comes from the typed text. docs/tiers.md.
  uint32_t interpretation;
  // The filters of that reading: lines such as country=FR, with line feeds between; no text if it has none.
  uint32_t interpreted_filters;
} sq_answer_head;

typedef struct {
  // The record's values among all values of the answer.
  uint32_t first_value, value_count;
} sq_record;

// The kind of a value. A literal is JSON: true, false, null, an array or an empty object.
enum { SQ_STRING = 0, SQ_NUMBER = 1, SQ_LITERAL = 2 };

typedef struct {
  // The number of the field, for sq_field.
  uint32_t field;
  uint32_t kind;
  // The text, and its size in bytes without the zero byte. A number has the digits of the dataset.
  uint32_t text, size;
} sq_value;

static inline const sq_record *sq_records(const sq_answer_head *answer) { return (const sq_record *)(answer + 1); }
static inline const sq_value *sq_values(const sq_answer_head *answer) {
  return (const sq_value *)(sq_records(answer) + answer->record_count);
}
static inline const char *sq_text(const sq_answer_head *answer, uint32_t text) {
  return text ? (const char *)answer + text : NULL;
}

// A request for bytes of a file of an index that is elsewhere. The library writes the first members.
typedef struct {
  // The name of the file in the directory; "" for the archive. A name may have "%" and other signs that a URL encodes.
  const char *name;
  // The first byte, and the byte behind the last one. The file may end before.
  int64_t from, to;
  // The size of the file in bytes; -1 if the library does not know the size.
  int64_t size;
  // Whether caches on the way have to ask the host: bytes from one were damaged, or may be old.
  int32_t is_fresh;
  // The function that fetches writes the other members, and the size of the file into `size`. The status is SQ_OK,
  // SQ_NOT_FOUND if there is no such file, SQ_CHANGED if the file has another size than `size`, else SQ_SYSTEM.
  int32_t status;
  // The bytes of the file from `from` on, and their number. They stay until the next call of the function.
  const void *bytes;
  size_t count;
  // The reason of SQ_SYSTEM, which stays as long: "the host answers with status 403".
  const char *message;
} sq_request;

// A function that fetches the bytes of requests, side by side if it can. The library calls it during the other functions,
// on the thread that called them. The function calls none of the library with the same handle.
typedef void (*sq_fetch)(void *context, sq_request *requests, size_t count);

// Opens an index.
//
// Close the handle in any case. If the status is not SQ_OK, sq_message has the reason and the handle refuses all questions.
// `cache_size` is the limit of the cache in bytes; 0 stands for 8 MiB. Handles of one path and cache size share one index
// and its cache. A handle follows a rebuild of the index within a second.
sq_index *sq_open(const char *path, int64_t cache_size, int *status);

// Opens an index elsewhere, as sq_open does. `fetch` gets `context` and brings the bytes that a question needs; the library
// keeps up to 4 MiB of them, besides the cache. Messages name the index by `address`. The handle shares nothing. It looks
// for a newer index once in a minute, and when a file is gone. A request may ask for a file of 96 KiB, or for part of it.
sq_index *sq_open_remote(
  const char *address, int is_archive, int64_t cache_size, sq_fetch fetch, void *context, int *status);

// Closes a handle and frees all memory that the handle returned.
void sq_close(sq_index *index);

// Returns the name of a field; the name of a nested field is its path, `coord.lon`. Returns NULL for a number behind the
// last field. The numbers belong to the last answer. The names stay until the next question or count.
const char *sq_field(sq_index *index, uint32_t number);

// Returns the number of matches of a text of `size` bytes, `total` of sq_query with SQ_TOTAL; or a negative status, such as
// -SQ_DAMAGED. 10,000 may stand for more matches: `total_is_exact` tells.
int64_t sq_count(sq_index *index, const char *text, size_t size);

// Searches for a text of `size` bytes. Without options the answer has ten records, in the order SQ_SORT_INDEX.
int sq_query(sq_index *index, const char *text, size_t size, const sq_options *options);

// Lists the values of a field that the index has a filter by or numbers of, at most `limit` of them: 1 to 100. They begin
// with the text `start`, which may be NULL. The answer is the JSON object that /v1/facets of `shardq serve` returns.
int sq_facets(sq_index *index, const char *field, const char *start, int64_t limit);

// Looks up the record whose id is a text of `size` bytes: the field of `shardq build --id`. The answer has one record, the
// first of several with the id, or no record. If `flags` is SQ_JSON and not 0, the answer is the JSON object that
// /v1/record/ID of `shardq serve` returns; its `record` is null for no record. An index without ids refuses the call. The
// first call reads all records, and makes a table of 8 bytes a record, which all handles of the index share.
int sq_lookup(sq_index *index, const char *id, size_t size, int flags);

// Returns the last answer, and sets `size` to its bytes if `size` is not NULL. The answer stays until the next question.
// Returns NULL if the last question failed.
const void *sq_answer(sq_index *index, size_t *size);

// Returns the message of the last failed call, or "" if no call failed. The message stays until the next failure.
const char *sq_message(sq_index *index);

#ifdef __cplusplus
}
#endif
#endif
