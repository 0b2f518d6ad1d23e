// The headers of the C library musl for a shardq without Swift's runtime: see Musl.swift.
#define _GNU_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Swift can call no function with a variable number of arguments.
static inline int open_file(const char *path, int flags) { return open(path, flags); }
static inline int open_file_at(int place, const char *path, int flags, mode_t mode) {
  return openat(place, path, flags, mode);
}

// Musl.swift defines these, with the type that their comparisons need.
#undef S_IFMT
#undef S_IFREG
#undef S_IFDIR
