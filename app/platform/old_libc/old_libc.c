// What GCC 12 and Debian 12's archives ask of glibc and 2.31 does not have. Linked into the portable program only
// (cmake/portable.cmake); the linker keeps it away from shared libraries.
#include <stddef.h>

// glibc 2.32: "one thread only". Zero makes reference counts atomic, always.
char __libc_single_threaded = 0;
