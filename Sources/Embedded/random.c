// The function that Embedded Swift has from no C library: musl and glibc before 2.36 lack it.
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/random.h>

// Seeds of hash tables. Where the kernel has no random bytes, the seeds are those that are there: all is answered alike.
void arc4random_buf(void *buffer, size_t size) {
  memset(buffer, 0, size);
  for (char *at = buffer; size > 0;) {
    ssize_t filled = getrandom(at, size, 0);
    if (filled < 0 && errno == EINTR) continue;
    if (filled < 0) return;
    at += filled;
    size -= (size_t)filled;
  }
}
