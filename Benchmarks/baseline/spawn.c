// Starts programs and measures each run:
//
//     spawn ROUNDS SPEC ERRORS
//
// SPEC is a file: per line a program and its arguments, separated by tabs. In every round each program runs once. The
// order changes from round to round, so that other work of the machine delays all programs alike. Their standard error
// goes to the file ERRORS.
// Prints per run, to standard output: number of the line, nanoseconds from spawn to wait, peak resident KiB, exit
// status (a signal's number + 128), bytes printed.
//
// This program is small and static. Between vfork and exec a child runs in its parent's memory, so the kernel counts
// the parent's peak as the child's. Each reported peak is therefore at least this program's own peak, which it prints
// last, as the line "self".
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS = 64, ARGUMENTS = 32, SPEC = 16384 };

static char spec[SPEC];
static char *arguments[COMMANDS][ARGUMENTS + 1];

static int fail(const char *what) {
  dprintf(2, "spawn: %s: %s\n", what, strerror(errno));
  return 1;
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int main(int count, char **options) {
  if (count != 4) return 64;
  int rounds = atoi(options[1]);
  int file = open(options[2], O_RDONLY | O_CLOEXEC);
  if (file < 0) return fail(options[2]);
  ssize_t size = read(file, spec, SPEC - 1);
  if (size < 0 || size == SPEC - 1) return fail("the specification");
  close(file);

  int commands = 0;
  for (char *line = spec; *line != 0 && commands < COMMANDS; commands++) {
    char *end = strchr(line, '\n');
    if (end != NULL) *end = 0;
    int argument = 0;
    char *rest = line;
    while (argument < ARGUMENTS && (arguments[commands][argument] = strsep(&rest, "\t")) != NULL) argument++;
    if (end == NULL) {
      commands++;
      break;
    }
    line = end + 1;
  }

  // The output of a program goes to memory: no reading process has to wake up for it.
  int output = memfd_create("output", MFD_CLOEXEC);
  if (output < 0) return fail("memfd_create");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  int errors = open(options[3], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  if (errors < 0) return fail(options[3]);
  posix_spawn_file_actions_adddup2(&actions, errors, 2);
  extern char **environ;

  for (int round = 0; round < rounds; round++) {
    for (int step = 0; step < commands; step++) {
      int number = round % 2 == 0 ? (step + round / 2) % commands : (2 * commands - 1 - step - round / 2 % commands) % commands;
      if (ftruncate(output, 0) != 0 || lseek(output, 0, SEEK_SET) != 0) return fail("truncate");
      pid_t child;
      uint64_t start = now();
      int error = posix_spawn(&child, arguments[number][0], &actions, NULL, arguments[number], environ);
      if (error != 0) {
        errno = error;
        return fail(arguments[number][0]);
      }
      int status;
      struct rusage usage;
      while (wait4(child, &status, 0, &usage) < 0)
        if (errno != EINTR) return fail("wait4");
      uint64_t end = now();
      struct stat printed;
      fstat(output, &printed);
      dprintf(1, "%d %llu %ld %d %lld\n", number, (unsigned long long)(end - start), usage.ru_maxrss,
              WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), (long long)printed.st_size);
    }
  }
  struct rusage own;
  getrusage(RUSAGE_SELF, &own);
  // The line "self" may count the process that started this one; VmHWM, where the kernel has it, does not.
  long peak = own.ru_maxrss;
  FILE *state = fopen("/proc/self/status", "re");
  char line[128];
  while (state != NULL && fgets(line, sizeof line, state) != NULL) sscanf(line, "VmHWM: %ld", &peak);
  dprintf(1, "self %ld\n", peak);
  return 0;
}
