// What of the C library musl is used where shardq is built without Swift's runtime: see Musl.swift.
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

// Swift calls no function of a variable number of arguments.
static inline int open_file(const char *path, int flags) { return open(path, flags); }
static inline int open_file_at(int place, const char *path, int flags, mode_t mode) {
  return openat(place, path, flags, mode);
}

// Musl.swift has these with the type of what they are compared with.
#undef S_IFMT
#undef S_IFREG
#undef S_IFDIR
