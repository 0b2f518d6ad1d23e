// Measures the time of decompressing:
//
//     decode ROUNDS DICTIONARY FILE...
//
// Each FILE holds zstd frames one behind the other: a header, then keys and fields in turn, as a shard does. DICTIONARY
// is a file, or - for none. Prints zstd's version, then per kind: frames, bytes packed, bytes unpacked, microseconds
// per frame (the best of ROUNDS passes over all frames of the kind, content checksums verified).
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

enum { KINDS = 3 };

typedef struct {
  const uint8_t *bytes;
  size_t size, content;
} frame;

typedef struct {
  frame *frames;
  size_t count, capacity, packed, content;
} kind;

static uint8_t *slurp(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  uint8_t *bytes = malloc(*size + 1);
  if (bytes != NULL && fread(bytes, 1, *size, file) != *size) bytes = NULL;
  fclose(file);
  return bytes;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

int main(int count, char **arguments) {
  if (count < 4) return 64;
  static kind kinds[KINDS];
  size_t longest = 0;
  ZSTD_DDict *dictionary = NULL;
  if (strcmp(arguments[2], "-") != 0) {
    size_t size;
    uint8_t *bytes = slurp(arguments[2], &size);
    if (bytes == NULL) return 66;
    dictionary = ZSTD_createDDict(bytes, size);
  }
  for (int file = 3; file < count; file++) {
    size_t size;
    uint8_t *bytes = slurp(arguments[file], &size);
    if (bytes == NULL) return 66;
    int number = 0;
    for (size_t at = 0; at < size; number++) {
      frame own = {bytes + at, ZSTD_findFrameCompressedSize(bytes + at, size - at), 0};
      if (ZSTD_isError(own.size)) return 65;
      own.content = (size_t)ZSTD_getFrameContentSize(own.bytes, own.size);
      kind *group = &kinds[number == 0 ? 0 : number % 2 == 1 ? 1 : 2];
      if (group->count == group->capacity) {
        group->capacity = group->capacity * 2 + 64;
        group->frames = realloc(group->frames, group->capacity * sizeof(frame));
      }
      group->frames[group->count++] = own;
      group->packed += own.size;
      group->content += own.content;
      if (own.content > longest) longest = own.content;
      at += own.size;
    }
  }
  uint8_t *output = malloc(longest + 1);
  ZSTD_DCtx *context = ZSTD_createDCtx();
  printf("zstd %s\n", ZSTD_versionString());
  static const char *names[KINDS] = {"header", "keys", "fields"};
  for (int number = 0; number < KINDS; number++) {
    kind *group = &kinds[number];
    if (group->count == 0) continue;
    double best = 1e18;
    for (int round = 0; round < atoi(arguments[1]); round++) {
      double start = now();
      for (size_t index = 0; index < group->count; index++) {
        frame own = group->frames[index];
        size_t size = dictionary != NULL
                          ? ZSTD_decompress_usingDDict(context, output, longest, own.bytes, own.size, dictionary)
                          : ZSTD_decompressDCtx(context, output, longest, own.bytes, own.size);
        if (size != own.content) return 65;
      }
      double time = now() - start;
      if (time < best) best = time;
    }
    printf("%s %zu %zu %zu %.3f\n", names[number], group->count, group->packed, group->content, best / (double)group->count);
  }
  return 0;
}
