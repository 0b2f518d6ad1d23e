#include <stdbool.h>

// Keeps this process, and the processes that it starts from now on, on its present processor. Swift's module of the C
// library lacks the kernel's function for that.
//
// Returns whether the kernel agreed.
bool processors_keep_one(void);

// Lets this process, and the processes that it starts from now on, run on all processors again.
void processors_keep_all(void);
