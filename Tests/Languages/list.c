// Prints the correction of a text, and the values of its best matches: list INDEX TEXT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "shardq.h"

int main(int count, char **arguments) {
  if (count != 3) return 2;
  int status;
  sq_index *index = sq_open(arguments[1], 0, &status);
  if (status == SQ_OK) status = sq_query(index, arguments[2], strlen(arguments[2]), NULL);
  if (status == SQ_OK) {
    const sq_answer_head *answer = (const sq_answer_head *)sq_answer(index, NULL);
    if (answer->correction) puts(sq_text(answer, answer->correction));
    for (uint32_t n = 0; n < answer->record_count; n++) {
      const sq_record record = sq_records(answer)[n];
      const sq_value *value = sq_values(answer) + record.first_value;
      for (uint32_t k = 0; k < record.value_count; k++)
        printf("%s: %s\n", sq_field(index, value[k].field), sq_text(answer, value[k].text));
    }
  } else {
    fprintf(stderr, "%s\n", sq_message(index));
  }
  sq_close(index);
  return status;
}
