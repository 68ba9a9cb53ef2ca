// Calls of the C library that the sandbox may refuse, so that the refusal is told with the line of the call.
#include "refused_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
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

FILE* file_opened(const char* path, const char* mode, void* here) {
  FILE* file = std::fopen(path, mode);
  if (!file) told(here, "the file " + text(path));
  return file;
}
int opened(const char* path, int flags, unsigned mode, void* here) {
  const int file = ::open(path, flags, mode);
  if (file < 0) told(here, "the file " + text(path));
  return file;
}
int deleted(int result, const char* path, void* here) {
  if (result != 0) told(here, "the deletion of " + text(path));
  return result;
}

}  // namespace

#define LOCKSTEP_HERE __builtin_return_address(0)

extern "C" {
FILE* __wrap_fopen(const char* path, const char* mode) { return file_opened(path, mode, LOCKSTEP_HERE); }
FILE* __wrap_fopen64(const char* path, const char* mode) { return file_opened(path, mode, LOCKSTEP_HERE); }
int __wrap_open(const char* path, int flags, unsigned mode) {
  return opened(path, flags, mode, LOCKSTEP_HERE);
}
int __wrap_open64(const char* path, int flags, unsigned mode) {
  return opened(path, flags, mode, LOCKSTEP_HERE);
}
int __wrap_unlink(const char* path) { return deleted(::unlink(path), path, LOCKSTEP_HERE); }
int __wrap_remove(const char* path) { return deleted(std::remove(path), path, LOCKSTEP_HERE); }
int __wrap_rmdir(const char* path) { return deleted(::rmdir(path), path, LOCKSTEP_HERE); }
// Other programs are never started.
int __wrap_system(const char* command) {
  if (!command) return 0;
  errno = EPERM;
  told(LOCKSTEP_HERE, "the command " + text(command));
  return -1;
}
int __wrap_fork() {
  errno = EPERM;
  told(LOCKSTEP_HERE, "a further process");
  return -1;
}
int __wrap_vfork() {
  errno = EPERM;
  told(LOCKSTEP_HERE, "a further process");
  return -1;
}
FILE* __wrap_popen(const char* command, const char*) {
  errno = EPERM;
  told(LOCKSTEP_HERE, "the command " + text(command));
  return nullptr;
}
}
