// The least that a process costs: a static program that prints a line.
#include <unistd.h>

int main(void) {
  static const char line[] = "nothing\n";
  return write(1, line, sizeof line - 1) == sizeof line - 1 ? 0 : 74;
}
