#ifndef SHARDQ_SERVER_FILES_H
#define SHARDQ_SERVER_FILES_H

#include <stddef.h>

/* The files of Sources/Programs/Serving/Resources, byte for byte: the beginning of each, and its size in bytes. */
const unsigned char *server_page(void);
size_t server_page_size(void);
const unsigned char *server_description(void);
size_t server_description_size(void);
const unsigned char *server_box(void);
size_t server_box_size(void);

#endif
