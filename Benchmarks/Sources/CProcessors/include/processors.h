#include <stdbool.h>

// Keeps this process, and what it starts from now on, on the processor that it is on. Swift's module of the C library
// has no name for what the kernel has for that.
//
// Returns whether it is so.
bool processors_keep_one(void);

// Takes that back, for this process and what it starts from now on.
void processors_keep_all(void);
