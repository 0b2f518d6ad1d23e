// The names of Apple's C library that the libraries and shardq use, with the types and values of macOS on 64 bits.
// Nothing links with them: Scripts/check-apple.sh checks types alone.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef long ssize_t, time_t;
typedef int64_t off_t, blkcnt_t;
typedef int32_t dev_t, blksize_t, pid_t, suseconds_t;
typedef uint64_t ino_t, rlim_t;
typedef uint32_t uid_t, gid_t, sigset_t, nfds_t, socklen_t;
typedef uint16_t mode_t, nlink_t;
typedef uint8_t sa_family_t;
struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
extern int *__error(void);
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define EBADF 9
#define ENOMEM 12
#define EACCES 13
#define EEXIST 17
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define EFBIG 27
#define ENOSPC 28
#define EROFS 30
#define EPIPE 32
#define EAGAIN 35
#define EWOULDBLOCK 35
#define ELOOP 62
#define ENOTEMPTY 66
#define EDQUOT 69
#define ESTALE 70
#define ENOLCK 77
#define EOPNOTSUPP 102

// Memory, numbers and texts.
void *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t);
void free(void *);
void *memchr(const void *, int, size_t), *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t);
int memcmp(const void *, const void *, size_t), strcmp(const char *, const char *);
char *strerror(int);
size_t strlen(const char *);
double strtod(const char *, char **);
double cos(double), sin(double), floor(double), round(double), log(double), log2(double), pow(double, double);

// Processes, time and signals.
void exit(int) __attribute__((noreturn)), _exit(int) __attribute__((noreturn));
char *getenv(const char *);
uid_t geteuid(void);
pid_t getpid(void);
int pipe(int[2]), raise(int), usleep(unsigned int), execv(const char *, char *const *);
long sysconf(int);
#define _SC_NPROCESSORS_ONLN 58
int _NSGetExecutablePath(char *, uint32_t *);
typedef enum { _CLOCK_REALTIME = 0, _CLOCK_MONOTONIC = 6 } clockid_t;
#define CLOCK_MONOTONIC _CLOCK_MONOTONIC
int clock_gettime(clockid_t, struct timespec *);
time_t time(time_t *);
struct rlimit { rlim_t rlim_cur, rlim_max; };
int getrlimit(int, struct rlimit *);
#define RLIMIT_NOFILE 8
#define SIGPIPE 13
#define SIG_UNBLOCK 2
typedef void (*sig_t)(int);
sig_t signal(int, sig_t);
int sigemptyset(sigset_t *), sigaddset(sigset_t *, int), sigprocmask(int, const sigset_t *, sigset_t *);

// Threads.
typedef struct _opaque_pthread_t { long __sig; } *pthread_t;
typedef struct { long __sig; char __opaque[56]; } pthread_attr_t;
typedef struct { long __sig; char __opaque[56]; } pthread_mutex_t;
typedef struct { long __sig; char __opaque[40]; } pthread_cond_t;
typedef struct { long __sig; char __opaque[8]; } pthread_mutexattr_t;
typedef struct { long __sig; char __opaque[8]; } pthread_condattr_t;
typedef unsigned long pthread_key_t;
int pthread_create(
  pthread_t _Nullable *_Nonnull, const pthread_attr_t *_Nullable, void *_Nullable (*_Nonnull)(void *_Nonnull),
  void *_Nullable);
int pthread_join(pthread_t _Nonnull, void *_Nullable *_Nullable);
int pthread_attr_init(pthread_attr_t *), pthread_attr_destroy(pthread_attr_t *);
int pthread_attr_setstacksize(pthread_attr_t *, size_t);
int pthread_mutex_init(pthread_mutex_t *_Nonnull, const pthread_mutexattr_t *_Nullable);
int pthread_mutex_destroy(pthread_mutex_t *_Nonnull);
int pthread_mutex_lock(pthread_mutex_t *_Nonnull), pthread_mutex_unlock(pthread_mutex_t *_Nonnull);
int pthread_cond_init(pthread_cond_t *_Nonnull, const pthread_condattr_t *_Nullable);
int pthread_cond_destroy(pthread_cond_t *_Nonnull), pthread_cond_broadcast(pthread_cond_t *_Nonnull);
int pthread_cond_wait(pthread_cond_t *_Nonnull, pthread_mutex_t *_Nonnull);
int pthread_key_create(pthread_key_t *_Nonnull, void (*_Nullable)(void *_Nonnull));
void *_Nullable pthread_getspecific(pthread_key_t);
int pthread_setspecific(pthread_key_t, const void *_Nullable);

// Files and directories.
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_NONBLOCK 4
#define O_NOFOLLOW 0x100
#define O_CREAT 0x200
#define O_TRUNC 0x400
#define O_EXCL 0x800
#define O_DIRECTORY 0x100000
#define O_CLOEXEC 0x1000000
#define AT_FDCWD -2
#define AT_SYMLINK_NOFOLLOW 0x20
#define AT_REMOVEDIR 0x80
#define F_OK 0
#define X_OK 1
#define F_FULLFSYNC 51
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
struct stat {
  dev_t st_dev; mode_t st_mode; nlink_t st_nlink; ino_t st_ino; uid_t st_uid; gid_t st_gid; dev_t st_rdev;
  struct timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
  off_t st_size; blkcnt_t st_blocks; blksize_t st_blksize;
};
int stat(const char *, struct stat *), lstat(const char *, struct stat *), fstat(int, struct stat *);
int fstatat(int, const char *, struct stat *, int);
int access(const char *, int), close(int), flock(int, int), fsync(int), futimens(int, const struct timespec[2]);
int isatty(int), link(const char *, const char *), unlink(const char *), unlinkat(int, const char *, int);
int rename(const char *, const char *), renameat(int, const char *, int, const char *), rmdir(const char *);
int mkdir(const char *, mode_t), mkdirat(int, const char *, mode_t), remove(const char *);
void sync(void);
char *getcwd(char *, size_t), *realpath(const char *, char *);
off_t lseek(int, off_t, int);
ssize_t read(int, void *, size_t), write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t), pwrite(int, const void *, size_t, off_t);
typedef struct { int __dd_fd; } DIR;
struct dirent { ino_t d_ino; uint64_t d_seekoff; uint16_t d_reclen, d_namlen; uint8_t d_type; char d_name[1024]; };
DIR *opendir(const char *), *fdopendir(int);
struct dirent *readdir(DIR *);
int closedir(DIR *), dirfd(DIR *);
void rewinddir(DIR *);
void *mmap(void *, size_t, int, int, int, off_t);
int munmap(void *, size_t), madvise(void *, size_t, int);
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_PRIVATE 2
#define MAP_ANON 0x1000

// Sockets.
struct pollfd { int fd; short events, revents; };
int poll(struct pollfd *, nfds_t, int);
#define POLLIN 1
#define POLLOUT 4
#define AF_INET 2
#define AF_INET6 30
struct in_addr { uint32_t s_addr; };
struct in6_addr { uint8_t __u6_addr[16]; };
int inet_pton(int, const char *, void *);
// <curl/curl.h> names these.
struct sockaddr { uint8_t sa_len; sa_family_t sa_family; char sa_data[14]; };
typedef struct fd_set { int32_t fds_bits[32]; } fd_set;
typedef struct { short _flags; } FILE;
