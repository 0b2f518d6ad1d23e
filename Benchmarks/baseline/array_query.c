// The sorted array as a program:
//
//     array_query FILE PREFIX                  prints the first 20 records, tab-separated
//     array_query FILE --resident PREFIXES     answers every line, prints resident and peak KiB
//
// PREFIX and PREFIXES are folded already.
#include "driver.h"
#include "sorted_array.h"

static sorted_array array;
static sorted_array_answer answer;

static void query(void *context, const uint8_t *prefix, size_t size) {
  (void)context;
  sorted_array_first(&array, prefix, size, 20, &answer);
}

int main(int count, char **arguments) {
  if (count < 3) return 64;
  if (sorted_array_open(&array, arguments[1]) != 0) return 66;
  sorted_array_answer_init(&answer, 20, array.fields);
  if (count == 4 && strcmp(arguments[2], "--resident") == 0) {
    int status = each_line(arguments[3], query, NULL);
    return status != 0 ? status : print_resident();
  }
  uint32_t found = sorted_array_first(&array, (const uint8_t *)arguments[2], strlen(arguments[2]), 20, &answer);
  char *text = malloc(answer.size + answer.texts);
  size_t size = 0;
  for (uint32_t number = 0, start = 0; number < answer.texts; start = answer.ends[number++]) {
    memcpy(text + size, answer.bytes + start, answer.ends[number] - start);
    size += answer.ends[number] - start;
    text[size++] = (number + 1) % array.fields == 0 ? '\n' : '\t';
  }
  if (write(1, text, size) != (ssize_t)size) return 74;
  return found > 0 ? 0 : 1;
}
