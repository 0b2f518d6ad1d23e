#pragma once
// The use of libcurl and of threads in ShardedIndexRemote. Swift can call no variadic functions, and has no name for
// pointers to these structures; the functions here have neither.
#include <curl/curl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Swift passes these structures on, and never follows a pointer in them.
#define SAFE __attribute__((swift_attr("safe"), swift_attr("@Sendable")))

// MARK: One request and its answer

// The received bytes of a body.
typedef struct {
  unsigned char *bytes;
  size_t size, capacity;
  bool isTooLong;
} ReceivedBody;

// Appends bytes; returns their count. Returns 0, which ends the request, if they exceed the limit or memory is short.
static inline size_t body_receive(ReceivedBody *body, const char *bytes, size_t count, size_t limit) {
  if (count > limit - body->size) {
    body->isTooLong = true;
    return 0;
  }
  if (count > body->capacity - body->size) {
    size_t capacity = 2 * (body->size + count);
    if (capacity > limit) capacity = limit;
    unsigned char *room = (unsigned char *)realloc(body->bytes, capacity);
    if (!room) return 0;
    body->bytes = room;
    body->capacity = capacity;
  }
  memcpy(body->bytes + body->size, bytes, count);
  body->size += count;
  return count;
}

typedef struct {
  CURL *easy;
  struct curl_slist *headers;
  int64_t number;
  ReceivedBody received;
  size_t partLimit, wholeLimit;
} TransferState;
typedef struct SAFE {
  TransferState *state;
} Transfer;

// Keeps a body up to its limit; a longer body ends the request.
static inline size_t transfer_receive(char *bytes, size_t one, size_t count, void *context) {
  TransferState *state = (TransferState *)context;
  long status = 0;
  (void)one;
  curl_easy_getinfo(state->easy, CURLINFO_RESPONSE_CODE, &status);
  size_t limit = status == 206 ? state->partLimit : status == 200 ? state->wholeLimit : 4096;
  return body_receive(&state->received, bytes, count, limit);
}

static inline void transfer_free(Transfer transfer) {
  curl_easy_cleanup(transfer.state->easy);
  curl_slist_free_all(transfer.state->headers);
  free(transfer.state->received.bytes);
  free(transfer.state);
}

// Makes a request. `range` is "FIRST-LAST" or null. The limits are the most bytes of bodies with status 206 and 200.
static inline bool transfer_new(
    Transfer *made, int64_t number, const char *method, const char *url, const char *range, int64_t partLimit,
    int64_t wholeLimit) {
  TransferState *state = (TransferState *)calloc(1, sizeof *state);
  if (!state) return false;
  CURL *easy = curl_easy_init();
  if (!easy) {
    free(state);
    return false;
  }
  state->easy = easy;
  state->number = number;
  state->partLimit = (size_t)partLimit;
  state->wholeLimit = (size_t)wholeLimit;
  curl_easy_setopt(easy, CURLOPT_PRIVATE, state);
  curl_easy_setopt(easy, CURLOPT_URL, url);
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
  curl_easy_setopt(easy, CURLOPT_NOBODY, (long)!strcmp(method, "HEAD"));
  curl_easy_setopt(easy, CURLOPT_RANGE, range);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  // The caller follows redirects, because it checks each of them.
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, transfer_receive);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, state);
  made->state = state;
  return true;
}

static inline void transfer_header(Transfer transfer, const char *line) {
  struct curl_slist *headers = curl_slist_append(transfer.state->headers, line);
  if (headers) transfer.state->headers = headers;
  curl_easy_setopt(transfer.state->easy, CURLOPT_HTTPHEADER, transfer.state->headers);
}

// Gives the request a body, which libcurl copies.
static inline bool transfer_body(Transfer transfer, const unsigned char *body, int64_t size) {
  curl_easy_setopt(transfer.state->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
  return curl_easy_setopt(transfer.state->easy, CURLOPT_COPYPOSTFIELDS, body) == CURLE_OK;
}

// The limits: milliseconds until there is a connection, and of the whole request, and seconds for which fewer than
// 1,000 bytes a second may pass. 0 stands for no limit of the whole request, and for no limit of those seconds.
static inline void transfer_limit(Transfer transfer, long connect, long total, long stall) {
  curl_easy_setopt(transfer.state->easy, CURLOPT_CONNECTTIMEOUT_MS, connect);
  curl_easy_setopt(transfer.state->easy, CURLOPT_TIMEOUT_MS, total);
  curl_easy_setopt(transfer.state->easy, CURLOPT_LOW_SPEED_LIMIT, 1000L);
  curl_easy_setopt(transfer.state->easy, CURLOPT_LOW_SPEED_TIME, stall);
}

static inline void transfer_reconnect(Transfer transfer) {
  curl_easy_setopt(transfer.state->easy, CURLOPT_FRESH_CONNECT, 1L);
}

// `signature` is curl's text for CURLOPT_AWS_SIGV4, or null for plain authentication.
static inline void transfer_authenticate(
    Transfer transfer, const char *user, const char *password, const char *signature) {
  curl_easy_setopt(transfer.state->easy, CURLOPT_USERNAME, user);
  curl_easy_setopt(transfer.state->easy, CURLOPT_PASSWORD, password);
  if (signature) curl_easy_setopt(transfer.state->easy, CURLOPT_AWS_SIGV4, signature);
}

static inline int64_t transfer_number(Transfer transfer) { return transfer.state->number; }
static inline bool transfer_is_too_long(Transfer transfer) { return transfer.state->received.isTooLong; }
static inline int64_t transfer_size(Transfer transfer) { return (int64_t)transfer.state->received.size; }
static inline void transfer_copy(Transfer transfer, void *into) {
  if (transfer.state->received.size) memcpy(into, transfer.state->received.bytes, transfer.state->received.size);
}
static inline int64_t transfer_status(Transfer transfer) {
  long status = 0;
  curl_easy_getinfo(transfer.state->easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}
// Returns the microseconds from the request to the first byte of the answer; 0 before that byte.
static inline int64_t transfer_first_byte(Transfer transfer) {
  curl_off_t sent = 0, began = 0;
  curl_easy_getinfo(transfer.state->easy, CURLINFO_PRETRANSFER_TIME_T, &sent);
  curl_easy_getinfo(transfer.state->easy, CURLINFO_STARTTRANSFER_TIME_T, &began);
  return began > sent ? (int64_t)(began - sent) : began > 0 ? 1 : 0;
}
static inline bool transfer_text(const char *text, char *into, int64_t capacity) {
  size_t size = text ? strlen(text) : 0;
  if (!text || size >= (size_t)capacity) return false;
  memcpy(into, text, size + 1);
  return true;
}
static inline bool transfer_field(Transfer transfer, const char *name, char *into, int64_t capacity) {
  struct curl_header *field = NULL;
  return curl_easy_header(transfer.state->easy, name, 0, CURLH_HEADER, -1, &field) == CURLHE_OK &&
         transfer_text(field->value, into, capacity);
}
static inline bool transfer_redirect(Transfer transfer, char *into, int64_t capacity) {
  char *url = NULL;
  curl_easy_getinfo(transfer.state->easy, CURLINFO_REDIRECT_URL, &url);
  return transfer_text(url, into, capacity);
}

// MARK: Requests side by side

typedef struct SAFE {
  CURLM *multi;
} Transfers;

static inline bool transfers_new(Transfers *made, long connections) {
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return false;
  made->multi = curl_multi_init();
  if (!made->multi) return false;
  curl_multi_setopt(made->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections);
  curl_multi_setopt(made->multi, CURLMOPT_MAXCONNECTS, connections);
  return true;
}
static inline void transfers_limit(Transfers transfers, long connections) {
  curl_multi_setopt(transfers.multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections);
  curl_multi_setopt(transfers.multi, CURLMOPT_MAXCONNECTS, connections);
}
static inline bool transfers_add(Transfers transfers, Transfer transfer) {
  return curl_multi_add_handle(transfers.multi, transfer.state->easy) == CURLM_OK;
}
static inline void transfers_remove(Transfers transfers, Transfer transfer) {
  curl_multi_remove_handle(transfers.multi, transfer.state->easy);
}
static inline void transfers_wake(Transfers transfers) { curl_multi_wakeup(transfers.multi); }
// Waits for something to do, for at most so many milliseconds.
static inline void transfers_wait(Transfers transfers, int milliseconds) {
  curl_multi_poll(transfers.multi, NULL, 0, milliseconds, NULL);
}
static inline void transfers_run(Transfers transfers) {
  int running = 0;
  curl_multi_perform(transfers.multi, &running);
}
// Gives a request that has ended, and curl's number for its result: 0 for an answer.
static inline bool transfers_next(Transfers transfers, Transfer *ended, int32_t *result) {
  int left = 0;
  for (CURLMsg *message; (message = curl_multi_info_read(transfers.multi, &left));) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = (int32_t)message->data.result;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&ended->state);
    return true;
  }
  return false;
}
static inline const char *transfers_error(int32_t result) { return curl_easy_strerror((CURLcode)result); }

// MARK: URLs

// Gives a part of a URL of http or https, empty if the URL lacks the part; false for another text.
static inline bool url_part(const char *text, CURLUPart part, bool isDecoded, char *into, int64_t capacity) {
  CURLU *url = curl_url();
  char *found = NULL;
  bool isDone = false;
  into[0] = 0;
  if (url && curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK) {
    CURLUcode code = curl_url_get(url, part, &found, (isDecoded ? CURLU_URLDECODE : 0) | CURLU_DEFAULT_PORT);
    isDone = code == CURLUE_OK ? transfer_text(found, into, capacity)
                               : code == CURLUE_NO_USER || code == CURLUE_NO_PASSWORD || code == CURLUE_NO_QUERY;
  }
  curl_free(found);
  curl_url_cleanup(url);
  return isDone;
}

static inline void bytes_copy(void *into, const unsigned char *bytes, int64_t start, int64_t size) {
  memcpy(into, bytes + start, (size_t)size);
}

// MARK: Threads

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
} GateState;
typedef struct SAFE {
  GateState *state;
} Gate;

static inline Gate gate_new(void) {
  Gate gate = {(GateState *)malloc(sizeof(GateState))};
  pthread_mutex_init(&gate.state->lock, NULL);
  pthread_cond_init(&gate.state->changed, NULL);
  return gate;
}
static inline void gate_lock(Gate gate) { pthread_mutex_lock(&gate.state->lock); }
static inline void gate_unlock(Gate gate) { pthread_mutex_unlock(&gate.state->lock); }
static inline void gate_wait(Gate gate) { pthread_cond_wait(&gate.state->changed, &gate.state->lock); }
static inline void gate_changed(Gate gate) { pthread_cond_broadcast(&gate.state->changed); }

static inline void *thread_main(void *run) {
  ((void (*)(void))run)();
  return NULL;
}
static inline bool thread_start(void (*run)(void)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, thread_main, (void *)run) != 0) return false;
  pthread_detach(thread);
  return true;
}
static inline uint64_t thread_number(void) { return (uint64_t)(uintptr_t)pthread_self(); }

// Returns the milliseconds of a clock that never goes back.
static inline int64_t clock_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}
