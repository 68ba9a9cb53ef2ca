// Starts more and more processes.
#include <stdio.h>
#include <unistd.h>

__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  for (int i = 0; i < 3; i++) {
    int pid = fork();
    if (pid == 0) printf("child\n");
  }
  return 0;
}
