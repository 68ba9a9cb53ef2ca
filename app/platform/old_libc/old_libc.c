// What GCC 12 and Debian 12's archives ask of glibc and 2.31 does not have. Linked into the portable program only
// (cmake/portable.cmake), and seen by nothing outside it.
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

// glibc 2.32: whether there is one thread only. Zero makes reference counts atomic, always.
char __libc_single_threaded = 0;

// glibc 2.36: random bytes that never fail. They salt hash tables and seed std::random_device.
void arc4random_buf(void* to, size_t bytes) {
  for (char* at = to; bytes > 0;) {
    const ssize_t got = getrandom(at, bytes, 0);
    if (got < 0) continue;  // a signal came
    at += got, bytes -= (size_t)got;
  }
}

uint32_t arc4random(void) {
  uint32_t bits;
  arc4random_buf(&bits, sizeof bits);
  return bits;
}
