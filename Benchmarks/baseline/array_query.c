// The sorted array as a program:
//
//     array_query FILE PREFIX                  prints the first 20 records, tab-separated
//     array_query FILE --resident PREFIXES     answers every line, prints resident and private dirty KiB
//     array_query FILE --serve PREFIXES 0      answers all lines for each byte of its standard input, and writes the
//                                              nanoseconds of each answer, 32 bits
//
// PREFIX and PREFIXES are folded already.
#define _GNU_SOURCE
#include "program.h"

static sorted_array array;
static sorted_array_answer found;

static void query(const uint8_t *prefix, size_t size) { sorted_array_first(&array, prefix, size, 20, &found); }

int main(int count, char **arguments) {
  if (count < 3) return 64;
  if (sorted_array_open(&array, arguments[1]) != 0) return 66;
  sorted_array_answer_init(&found, 20, array.fields);
  if (count == 4 && strcmp(arguments[2], "--resident") == 0) {
    lines prefixes = read_lines(arguments[3]);
    each_line(&prefixes, query);
    munmap(prefixes.bytes, prefixes.size + 1);
    print_resident();
    return 0;
  }
  if (count == 5 && strcmp(arguments[2], "--serve") == 0) {
    lines prefixes = read_lines(arguments[3]);
    uint32_t *times = malloc(prefixes.count * sizeof *times);
    for (char order; read(0, &order, 1) == 1;) time_lines(&prefixes, times, query);
    return 0;
  }
  query((const uint8_t *)arguments[2], strlen(arguments[2]));
  char *text = malloc(found.size + found.texts);
  size_t size = 0;
  for (uint32_t number = 0, start = 0; number < found.texts; start = found.ends[number++]) {
    memcpy(text + size, found.bytes + start, found.ends[number] - start);
    size += found.ends[number] - start;
    text[size++] = (number + 1) % array.fields == 0 ? '\n' : '\t';
  }
  write_all(text, size);
  return found.texts > 0 ? 0 : 1;
}
