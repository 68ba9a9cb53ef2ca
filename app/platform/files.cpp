#include "files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kAnyone = 0666;  // the umask takes away from it

class File {
 public:
  File(const fs::path& path, int flags, mode_t mode = 0)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  explicit operator bool() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

Error cannot_write(const fs::path& path, int cause) {
  const std::string name = path.string();
  switch (cause) {
    case ENOSPC:
    case EDQUOT:
      return bad_input("cannot write {0}: the disk is full; free some space or choose another folder",
                       {name});
    case EROFS:
      return bad_input("cannot write {0}: the file system is read-only; choose another folder", {name});
    case EACCES:
    case EPERM:
      return bad_input("cannot write {0}: permission denied; choose a folder you may write to", {name});
    case ENOENT:
    case ENOTDIR:
      return bad_input("cannot write {0}: there is no folder {1}; make it first",
                       {name, path.has_parent_path() ? path.parent_path().string() : "."});
    case EISDIR:
      return bad_input("cannot write {0}: it is a folder; name a file", {name});
    case ENAMETOOLONG:
      return bad_input("cannot write {0}: the name is too long; choose a shorter one", {name});
    default:
      return bad_input("cannot write {0}: {1}; choose another place", {name, std::strerror(cause)});
  }
}

// 0, or the errno of the write that failed.
int write_all(int fd, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return ENOSPC;
    bytes = bytes.subspan(std::size_t(n));
  }
  return 0;
}

// A link is followed, so that the file it names is replaced and not the link.
fs::path followed(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? path : target;
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Devices and pipes (/dev/stdout) cannot be replaced by renaming.
Status write_in_place(const fs::path& path, std::span<const std::uint8_t> bytes) {
  File file(path, O_WRONLY);
  if (!file) return cannot_write(path, errno);
  if (const int error = write_all(file.fd(), bytes)) return cannot_write(path, error);
  if (!file.close()) return cannot_write(path, errno);
  return Unit{};
}

// 0, or the errno of what failed; the file at `path` has all bytes on disk then.
int write_new_file(const fs::path& path, std::span<const std::uint8_t> bytes, mode_t mode) {
  File file(path, O_WRONLY | O_CREAT | O_EXCL, kAnyone);
  if (!file) return errno;
  if (mode != 0 && ::fchmod(file.fd(), mode) != 0) return errno;
  if (const int error = write_all(file.fd(), bytes)) return error;
  if (::fsync(file.fd()) != 0 && errno != EINVAL) return errno;  // EINVAL: a file system without sync
  return file.close() ? 0 : errno;
}

fs::path temporary_beside(const fs::path& path) {
  static std::atomic<unsigned> counter{0};
  return folder_of(path) /
         (".lockstep-" + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp");
}

}  // namespace

Status check_writable(const fs::path& path) {
  if (path.empty()) return bad_input("cannot write '': the name is empty; name a file");
  const fs::path target = followed(path);
  struct stat info;
  if (::stat(target.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return cannot_write(path, EISDIR);
    if (::access(target.c_str(), W_OK) != 0) return cannot_write(path, errno);
    if (!S_ISREG(info.st_mode)) return Unit{};
  } else if (errno != ENOENT) {
    return cannot_write(path, errno);
  } else if (!path.has_filename()) {
    return cannot_write(path, EISDIR);
  }
  const fs::path folder = folder_of(target);
  if (::stat(folder.c_str(), &info) != 0) return cannot_write(path, errno);
  if (!S_ISDIR(info.st_mode)) return cannot_write(path, ENOTDIR);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return cannot_write(path, errno);
  return Unit{};
}

Status make_output_folder(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    fs::create_directories(folder, error);
    if (error)
      return bad_input("cannot make the folder {0}: {1}; choose another place",
                       {folder.string(), error.message()});
  }
  return check_writable(folder / "probe");
}

Status write_file_atomically(const fs::path& path, std::span<const std::uint8_t> bytes) {
  if (Status possible = check_writable(path); !possible) return possible;
  const fs::path target = followed(path);
  struct stat info;
  const bool exists = ::stat(target.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) return write_in_place(target, bytes);
  const fs::path temporary = temporary_beside(target);
  int error = write_new_file(temporary, bytes, exists ? info.st_mode & 07777 : 0);
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    return cannot_write(path, error);
  }
  if (File folder(folder_of(target), O_RDONLY | O_DIRECTORY); folder) ::fsync(folder.fd());
  tell_written(target, bytes);
  return Unit{};
}

#ifndef __EMSCRIPTEN__  // browser/page_files.cpp
Status bring_file(const fs::path&) { return Unit{}; }
void tell_written(const fs::path&, std::span<const std::uint8_t>) {}
#endif

Result<std::vector<std::uint8_t>> read_file(const fs::path& path, std::uint64_t max_bytes) {
  const std::string name = path.string();
  File file(path, O_RDONLY | O_NONBLOCK);  // O_NONBLOCK: opening a pipe must not wait for its writer
  struct stat info;
  if (!file || ::fstat(file.fd(), &info) != 0)
    return errno == ENOENT ? bad_input("there is no file {0}; check the name", {name})
                           : bad_input("cannot read {0}: {1}", {name, std::strerror(errno)});
  if (!S_ISREG(info.st_mode)) return bad_input("cannot read {0}: it is not a file", {name});
  if (std::uint64_t(info.st_size) > max_bytes)
    return bad_input("{0} has {1} bytes; at most {2} are read",
                     {name, std::to_string(info.st_size), std::to_string(max_bytes)});
  std::vector<std::uint8_t> bytes(std::size_t(info.st_size));
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t n = ::read(file.fd(), bytes.data() + got, bytes.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return bad_input("cannot read {0}: {1}", {name, std::strerror(errno)});
    if (n == 0) break;  // shortened while it was read
    got += std::size_t(n);
  }
  bytes.resize(got);
  return bytes;
}

bool is_executable(const fs::path& file) { return ::access(file.c_str(), X_OK) == 0; }

ScratchFolder::ScratchFolder(const std::string& name) {
  std::error_code none;
  std::string pattern = (fs::temp_directory_path(none) / (name + "-XXXXXX")).string();
  if (::mkdtemp(pattern.data())) path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code gone;
  if (!path_.empty()) fs::remove_all(path_, gone);
}

}  // namespace lockstep
