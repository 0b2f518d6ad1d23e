// The functions of a C library that the engine uses as WebAssembly (Scripts/build-wasm.sh). The functions about files
// fail, because a carrier brings the index. The module has one thread, and its clock stands still.
#define errno errno_of_the_library
#include <errno.h>
#undef errno
#define clock_gettime clock_gettime_of_the_library
#include <time.h>
#undef clock_gettime
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

int *__errno_location(void);

// Swift imports no macro that has a cast.
#define ERRORS(error) error(EACCES, 2) error(EAGAIN, 6) error(EFBIG, 22) error(EINTR, 27) error(ELOOP, 32) \
  error(EMFILE, 33) error(ENFILE, 41) error(ENOENT, 44) error(ENOMEM, 48) error(ENOSYS, 52) error(ENOTDIR, 54) \
  error(EPERM, 63) error(ESTALE, 72)
#define SAME(name, value) _Static_assert(name == value, #name);
ERRORS(SAME)
#undef EACCES
#undef EAGAIN
#undef EFBIG
#undef EINTR
#undef ELOOP
#undef EMFILE
#undef ENFILE
#undef ENOENT
#undef ENOMEM
#undef ENOSYS
#undef ENOTDIR
#undef EPERM
#undef ESTALE
#define EACCES 2
#define EAGAIN 6
#define EFBIG 22
#define EINTR 27
#define ELOOP 32
#define EMFILE 33
#define ENFILE 41
#define ENOENT 44
#define ENOMEM 48
#define ENOSYS 52
#define ENOTDIR 54
#define EPERM 63
#define ESTALE 72

#define O_RDONLY 0
#define O_DIRECTORY 1
#define O_CLOEXEC 2
#define O_NOFOLLOW 4
#define O_NONBLOCK 8
#define AT_SYMLINK_NOFOLLOW 1
struct stat {
  uint64_t st_dev, st_ino;
  mode_t st_mode;
  int64_t st_size;
  struct timespec st_mtim;
};
struct dirent {
  char d_name[256];
};
static inline int none(void) { return *__errno_location() = ENOSYS, -1; }
static inline int open_file(const char *path, int flags) { return none(); }
static inline int open_file_at(int place, const char *path, int flags, mode_t mode) { return none(); }
static inline int stat(const char *path, struct stat *into) { return none(); }
static inline int lstat(const char *path, struct stat *into) { return none(); }
static inline int fstat(int file, struct stat *into) { return none(); }
static inline int fstatat(int place, const char *name, struct stat *into, int flags) { return none(); }
static inline ssize_t pread(int file, void *into, size_t size, off_t offset) { return none(); }
static inline int close(int file) { return none(); }

#define S_IFLNK 0120000

#undef CLOCK_MONOTONIC
#define CLOCK_MONOTONIC 1
static inline int clock_gettime(int clock, struct timespec *into) { return none(); }

#define RLIMIT_NOFILE 7
typedef uint64_t rlim_t;
struct rlimit { rlim_t rlim_cur, rlim_max; };
static inline int getrlimit(int resource, struct rlimit *into) { return none(); }

static inline int pthread_mutex_init(pthread_mutex_t *mutex, const void *attributes) { return 0; }
static inline int pthread_mutex_destroy(pthread_mutex_t *mutex) { return 0; }
static inline int pthread_mutex_lock(pthread_mutex_t *mutex) { return 0; }
static inline int pthread_mutex_unlock(pthread_mutex_t *mutex) { return 0; }
static inline int pthread_key_create(pthread_key_t *key, void (*end)(void *)) { return ENOSYS; }
static inline int pthread_setspecific(pthread_key_t key, const void *value) { return ENOSYS; }
static inline void *pthread_getspecific(pthread_key_t key) { return NULL; }

#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define POLLOUT 4
struct pollfd {
  int fd;
  short events, revents;
};
static inline int poll(struct pollfd *files, int count, int milliseconds) { return none(); }
static inline int isatty(int file) { return 0; }
static inline ssize_t write(int file, const void *bytes, size_t size) { return none(); }

static inline int usleep(unsigned microseconds) { return 0; }
