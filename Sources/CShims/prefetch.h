// Asks for the memory at an address that is going to be read, without waiting for it. Swift has no function for that.
static inline void prefetch(const void *address) { __builtin_prefetch(address, 0, 3); }
