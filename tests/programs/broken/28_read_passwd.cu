// Reads a file that is none of its business.
#include <stdio.h>

__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  char line[200] = "nothing\n";
  FILE *f = fopen("/etc/passwd", "r");
  if (f && fgets(line, sizeof line, f)) printf("READ: %s", line);
  return 0;
}
