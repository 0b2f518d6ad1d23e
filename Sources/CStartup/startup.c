#include "startup.h"

#include <stdlib.h>

/*
 * Two things that Swift's runtime does before main, in every process, and that a query has no use for. On Linux it
 * finds out the arguments by reading /proc/self/maps line by line, though the C library has them at hand; and it looks
 * in nine places for a program that would print a backtrace after a crash, which is not installed with this one. They are
 * a tenth of a start's instructions, and fourteen of its system calls.
 *
 * What refers to either finds these definitions first, so that the linker does not take the runtime's from its archive.
 * A runtime that has other names for them makes them unused, and no more.
 */
#if defined(__linux__) && defined(__GLIBC__)

static int argument_count;
static char **arguments;

/* The GNU C library hands constructors what it hands main. */
__attribute__((constructor(101))) static void keep(int count, char **values) {
  argument_count = count;
  arguments = values;
}

char **startup_arguments(int *count) {
  *count = argument_count;
  return arguments;
}

char **_swift_stdlib_getUnsafeArgvArgc(int *count) { return startup_arguments(count); }

void _swift_stdlib_overrideUnsafeArgvArgc(char **values, int count) { keep(count, values); }

/* Zeros: no backtraces. The runtime's has 88 bytes. */
_Alignas(16) char _swift_backtraceSettings[512];

/* Who prints one asks these; nobody does. */
char *_swift_backtrace_demangle(void) { return 0; }
_Bool _swift_backtrace_isThunkFunction(void) { return 0; }

/*
 * What the compiler's startup code does in a static program: it registers the tables for unwinding, though the unwinder
 * finds them by the program's headers as well, and reads the first of them, for which 64 KiB of the file are mapped.
 * The linker is told to put these in the place of the two that it calls (Scripts/build.sh); without that nobody does.
 */
void __wrap___register_frame_info(const void *frames, void *object) {
  (void)frames;
  (void)object;
}

void *__wrap___deregister_frame_info(const void *frames) {
  (void)frames;
  return 0;
}

/*
 * Two things of the C library, left out likewise. It compares each variable of the environment with the name of each of its
 * tunables, 20,000 instructions where there are 35 of them; that is done only where one may be meant, which are GLIBC_TUNABLES,
 * MALLOC_ with something behind it and LD_HWCAP_MASK. Runs before anything of the C library may be called.
 */
/* Weak, for a build whose linker is not told: nobody calls what stands below then. */
__attribute__((weak)) void __real___tunables_init(char **environment);

void __wrap___tunables_init(char **environment) {
  for (char **variable = environment; *variable; variable++) {
    const char *name = *variable;
    if ((name[0] == 'G' && name[1] == 'L' && name[2] == 'I') || (name[0] == 'M' && name[1] == 'A' && name[2] == 'L') ||
        (name[0] == 'L' && name[1] == 'D' && name[2] == '_')) {
      __real___tunables_init(environment);
      return;
    }
  }
}

/* And it asks the kernel for the program's own path, where libraries that a program loads later would be looked for: this one
   loads none. As when the kernel does not say. */
const char *__wrap__dl_get_origin(void) { return (const char *)-1; }

#else

char **startup_arguments(int *count) {
  *count = 0;
  return 0;
}

#endif
