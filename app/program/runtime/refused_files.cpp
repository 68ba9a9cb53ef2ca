// Calls of the C library that the sandbox may refuse, so that the refusal is told with the line of the call.
#include "refused_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <string>

#include "tracer.hpp"

namespace {

void told(void* here, const std::string& what) {
  if (errno != EACCES && errno != EPERM && errno != EROFS && errno != EXDEV) return;
  const int cause = errno;
  lockstep::reader::RawFinding f;
  f.kind = "not_allowed", f.site = lockstep::reader::tracer().site(here), f.text = what;
  lockstep::reader::tracer().findings.add(std::move(f));
  errno = cause;
}

std::string text(const char* name) { return name ? name : ""; }

}  // namespace

#define LOCKSTEP_HERE __builtin_return_address(0)

extern "C" {
FILE* __wrap_fopen(const char* path, const char* mode) {
  FILE* file = std::fopen(path, mode);
  if (!file) told(LOCKSTEP_HERE, "the file " + text(path));
  return file;
}
FILE* __wrap_fopen64(const char* path, const char* mode) {
  FILE* file = std::fopen(path, mode);
  if (!file) told(LOCKSTEP_HERE, "the file " + text(path));
  return file;
}
int __wrap_open(const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
  va_end(arguments);
  const int file = ::open(path, flags, mode);
  if (file < 0) told(LOCKSTEP_HERE, "the file " + text(path));
  return file;
}
int __wrap_open64(const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
  va_end(arguments);
  const int file = ::open(path, flags, mode);
  if (file < 0) told(LOCKSTEP_HERE, "the file " + text(path));
  return file;
}
int __wrap_unlink(const char* path) {
  const int result = ::unlink(path);
  if (result != 0) told(LOCKSTEP_HERE, "the deletion of " + text(path));
  return result;
}
int __wrap_remove(const char* path) {
  const int result = std::remove(path);
  if (result != 0) told(LOCKSTEP_HERE, "the deletion of " + text(path));
  return result;
}
int __wrap_rmdir(const char* path) {
  const int result = ::rmdir(path);
  if (result != 0) told(LOCKSTEP_HERE, "the deletion of " + text(path));
  return result;
}
// Other programs are never started.
int __wrap_system(const char* command) {
  if (!command) return 0;
  errno = EPERM;
  told(LOCKSTEP_HERE, "the command " + text(command));
  return -1;
}
FILE* __wrap_popen(const char* command, const char*) {
  errno = EPERM;
  told(LOCKSTEP_HERE, "the command " + text(command));
  return nullptr;
}
}
