// What the drivers of the rivals share: reading a file of prefixes, printing what is resident.
#ifndef DRIVER_H
#define DRIVER_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Calls `answer` with every line of a file.
static inline int each_line(const char *path, void (*answer)(void *context, const uint8_t *line, size_t size), void *context) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) return 66;
  size_t size = (size_t)status.st_size;
  uint8_t *bytes = malloc(size);
  if (bytes == NULL || read(file, bytes, size) != (ssize_t)size) return 74;
  close(file);
  for (uint8_t *line = bytes, *end; line < bytes + size; line = end + 1) {
    end = memchr(line, '\n', (size_t)(bytes + size - line));
    if (end == NULL) break;
    answer(context, line, (size_t)(end - line));
  }
  free(bytes);
  return 0;
}

// Prints resident KiB and the most it has been, read without a library's buffers.
static inline int print_resident(void) {
  static char text[8192];
  int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (size < 0) return 74;
  text[size] = 0;
  const char *resident = strstr(text, "VmRSS:"), *peak = strstr(text, "VmHWM:");
  if (resident == NULL || peak == NULL) return 74;
  return dprintf(1, "%ld %ld\n", strtol(resident + 6, NULL, 10), strtol(peak + 6, NULL, 10)) > 0 ? 0 : 74;
}

#endif
