#pragma once
// ObjectStore's use of libcurl: a handle makes one request after another, waits for each, and keeps its connection.
#include "transfer.h"

typedef struct {
  CURL *easy;
  struct curl_slist *headers;
  const unsigned char *body;
  size_t bodySize, bodyAt;
  ReceivedBody received;
  size_t limit;
} RequestState;
typedef struct SAFE {
  RequestState *state;
} Request;

static inline size_t request_send(char *into, size_t one, size_t count, void *context) {
  RequestState *state = (RequestState *)context;
  size_t left = state->bodySize - state->bodyAt;
  (void)one;
  if (count > left) count = left;
  if (count) memcpy(into, state->body + state->bodyAt, count);
  state->bodyAt += count;
  return count;
}
// libcurl calls this after it has replaced a closed connection: the body is sent from its beginning.
static inline int request_seek(void *context, curl_off_t offset, int origin) {
  RequestState *state = (RequestState *)context;
  if (origin != SEEK_SET || offset < 0 || (size_t)offset > state->bodySize) return CURL_SEEKFUNC_FAIL;
  state->bodyAt = (size_t)offset;
  return CURL_SEEKFUNC_OK;
}
// Keeps at most `limit` bytes of a body, and 4 KiB of an error's body.
static inline size_t request_receive(char *bytes, size_t one, size_t count, void *context) {
  RequestState *state = (RequestState *)context;
  long status = 0;
  (void)one;
  curl_easy_getinfo(state->easy, CURLINFO_RESPONSE_CODE, &status);
  size_t limit = status == 200 ? state->limit : 4096;
  return body_receive(&state->received, bytes, count, limit);
}

static inline bool request_new(Request *made) {
  RequestState *state = (RequestState *)calloc(1, sizeof *state);
  if (!state) return false;
  state->easy = curl_easy_init();
  if (!state->easy) {
    free(state);
    return false;
  }
  made->state = state;
  return true;
}

static inline void request_free(Request request) {
  curl_easy_cleanup(request.state->easy);
  curl_slist_free_all(request.state->headers);
  free(request.state->received.bytes);
  free(request.state);
}

// Begins the next request. `limit` is the most bytes of the body of an answer with status 200. `connect` is the most
// milliseconds until there is a connection. `stall` is the most seconds for which fewer than 1,000 bytes a second may
// pass.
static inline void request_begin(
    Request request, const char *method, const char *url, int64_t limit, long connect, long stall) {
  RequestState *state = request.state;
  CURL *easy = state->easy;
  curl_easy_reset(easy);
  curl_slist_free_all(state->headers);
  state->headers = NULL;
  state->received.size = 0;
  state->limit = (size_t)limit;
  state->received.isTooLong = false;
  curl_easy_setopt(easy, CURLOPT_URL, url);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, connect);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1000L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, stall);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, request_receive);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, state);
  if (!strcmp(method, "HEAD")) {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  } else if (!strcmp(method, "PUT")) {
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, request_send);
    curl_easy_setopt(easy, CURLOPT_READDATA, state);
    curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, request_seek);
    curl_easy_setopt(easy, CURLOPT_SEEKDATA, state);
  } else if (strcmp(method, "GET")) {
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
  }
}

static inline void request_header(Request request, const char *line) {
  struct curl_slist *headers = curl_slist_append(request.state->headers, line);
  if (headers) request.state->headers = headers;
}

static inline void request_reconnect(Request request) {
  curl_easy_setopt(request.state->easy, CURLOPT_FRESH_CONNECT, 1L);
}

static inline void request_authenticate(
    Request request, const char *user, const char *password, const char *signature) {
  curl_easy_setopt(request.state->easy, CURLOPT_USERNAME, user);
  curl_easy_setopt(request.state->easy, CURLOPT_PASSWORD, password);
  curl_easy_setopt(request.state->easy, CURLOPT_AWS_SIGV4, signature);
}

// Makes the request and waits for its end; returns curl's number for the result. Only a PUT has a body.
static inline int32_t request_perform(Request request, const unsigned char *body, int64_t size) {
  RequestState *state = request.state;
  state->body = body;
  state->bodySize = (size_t)size;
  state->bodyAt = 0;
  curl_easy_setopt(state->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)size);
  curl_easy_setopt(state->easy, CURLOPT_HTTPHEADER, state->headers);
  CURLcode code = curl_easy_perform(state->easy);
  state->body = NULL;
  return (int32_t)code;
}

static inline int64_t request_status(Request request) {
  long status = 0;
  curl_easy_getinfo(request.state->easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}
static inline bool request_is_too_long(Request request) { return request.state->received.isTooLong; }
static inline int64_t request_size(Request request) { return (int64_t)request.state->received.size; }
static inline void request_copy(Request request, void *into) {
  if (request.state->received.size) memcpy(into, request.state->received.bytes, request.state->received.size);
}
static inline bool request_field(Request request, const char *name, char *into, int64_t capacity) {
  struct curl_header *field = NULL;
  return curl_easy_header(request.state->easy, name, 0, CURLH_HEADER, -1, &field) == CURLHE_OK &&
         transfer_text(field->value, into, capacity);
}
// Returns the seconds since 1970 of an HTTP date; -1 for another text.
static inline int64_t request_date(const char *text) { return (int64_t)curl_getdate(text, NULL); }

static inline bool requests_set_up(void) { return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK; }

static inline void pause_for(int64_t milliseconds) {
  struct timespec time = {(time_t)(milliseconds / 1000), (long)(milliseconds % 1000) * 1000000};
  nanosleep(&time, NULL);
}
static inline int64_t time_now(void) { return (int64_t)time(NULL); }
