#include "server_files.h"

/* In C, since a Swift array of so many literals takes the compiler 15 s, and this 10 ms. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page[] = {
#embed "../Serving/Resources/page.html"
};

static const unsigned char description[] = {
#embed "../Serving/Resources/openapi.json"
};

static const unsigned char box[] = {
#embed "../Serving/Resources/shardq-box.js"
};

const unsigned char *server_page(void) { return page; }
size_t server_page_size(void) { return sizeof(page); }
const unsigned char *server_description(void) { return description; }
size_t server_description_size(void) { return sizeof(description); }
const unsigned char *server_box(void) { return box; }
size_t server_box_size(void) { return sizeof(box); }
