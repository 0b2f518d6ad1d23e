#ifndef SHARDQ_SERVER_FILES_H
#define SHARDQ_SERVER_FILES_H

#include <stddef.h>

/* What stands in Sources/Serving/Resources, byte for byte: where each begins, and its size in bytes. */
const unsigned char *server_page(void);
size_t server_page_size(void);
const unsigned char *server_description(void);
size_t server_description_size(void);

#endif
