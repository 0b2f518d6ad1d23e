// The function that Embedded Swift needs from the C library: musl, and glibc before 2.36, lack it.
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/random.h>

// Gives the seeds of hash tables. Without random bytes of the kernel the seeds are zero: all answers stay the same.
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
