// The cost of any design that reads 40 KB, compressed, and prints a part of them:
//
//     read40k FILE
//
// reads FILE, which is one zstd frame, decompresses the frame and prints its first line.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

int main(int count, char **arguments) {
  if (count != 2) return 64;
  int file = open(arguments[1], O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) return 66;
  size_t packed_size = (size_t)status.st_size;
  char *packed = malloc(packed_size);
  if (packed == NULL || read(file, packed, packed_size) != (ssize_t)packed_size) return 74;
  unsigned long long size = ZSTD_getFrameContentSize(packed, packed_size);
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || size > 1 << 26) return 65;
  char *content = malloc(size);
  if (content == NULL || ZSTD_decompress(content, size, packed, packed_size) != size) return 65;
  char *end = memchr(content, '\n', size);
  size_t line = end != NULL ? (size_t)(end - content) + 1 : size;
  return write(1, content, line) == (ssize_t)line ? 0 : 74;
}
