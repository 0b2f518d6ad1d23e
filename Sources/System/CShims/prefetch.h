// Loads the memory at an address into the processor's cache without waiting for it. Swift has no function for this.
static inline void prefetch(const void *address) { __builtin_prefetch(address, 0, 3); }
