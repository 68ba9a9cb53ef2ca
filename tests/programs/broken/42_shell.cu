// Lets a shell write the file that its argument names.
#include <cstdio>
#include <cstdlib>
#include <string>

__global__ void nothing() {}

int main(int argc, char** argv) {
  nothing<<<1, 1>>>();
  if (argc < 2) return 0;
  std::string command = std::string("echo written > ") + argv[1];
  int failed = system(command.c_str());
  printf("%s\n", failed ? "refused" : "WRITTEN");
  return 0;
}
