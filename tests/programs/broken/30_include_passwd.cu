// What a compiler reads it may also show.
#include "/etc/passwd"

__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  return 0;
}
