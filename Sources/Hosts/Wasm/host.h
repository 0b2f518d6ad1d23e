// The carrier of the host that runs the WebAssembly module.
#include "../../System/CShims/carrier.h"
#include <stddef.h>

Carrier host_carrier(void);
// Returns a byte of the question; 0 behind its end.
uint8_t host_question(int32_t offset);
// Gives the host the bytes of an answer.
void host_answer(const void *bytes, int32_t size);
