#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/engine/run_file.hpp"
#include "app/platform/files.hpp"
#include "engine_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

const std::vector<std::uint8_t> kOld{'o', 'l', 'd'}, kNew{'n', 'e', 'w'};

std::size_t entries_in(const TemporaryFolder& folder) {
  std::filesystem::directory_iterator begin(folder.path()), end;
  return std::size_t(std::distance(begin, end));
}

void check_refused(const Status& status, const std::string& why) {
  REQUIRE_FALSE(status);
  CHECK(status.error().exit == Exit::bad_input);
  CHECK_MESSAGE(status.error().text().find(why) != std::string::npos, status.error().text());
}

}  // namespace

TEST_CASE("a file is replaced whole, keeps its mode, and leaves nothing beside it") {
  const TemporaryFolder folder;
  REQUIRE(write_file_atomically(folder / "a", kOld));
  REQUIRE(::chmod((folder / "a").c_str(), 0640) == 0);
  REQUIRE(write_file_atomically(folder / "a", kNew));
  CHECK(text_of(folder / "a") == "new");
  struct stat info;
  REQUIRE(::stat((folder / "a").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0640);
  CHECK(entries_in(folder) == 1);
}

TEST_CASE("a link keeps pointing where it did") {
  const TemporaryFolder folder;
  REQUIRE(write_file_atomically(folder / "target", kOld));
  std::filesystem::create_symlink("target", folder / "link");
  REQUIRE(write_file_atomically(folder / "link", kNew));
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(text_of(folder / "target") == "new");
}

TEST_CASE("what cannot be written is named with its cause") {
  const TemporaryFolder folder;
  check_refused(write_file_atomically("", kNew), "name is empty");
  check_refused(write_file_atomically(folder.path(), kNew), "it is a folder");
  check_refused(write_file_atomically(folder / "missing/a", kNew), "there is no folder");
  REQUIRE(write_file_atomically(folder / "file", kOld));
  check_refused(write_file_atomically(folder / "file/a", kNew), "there is no folder");
  check_refused(write_file_atomically(folder / std::string(300, 'x'), kNew), "too long");
  check_refused(write_file_atomically("/dev/full", kNew), "the disk is full");
  check_refused(write_file_atomically("/proc/lockstep", kNew), "/proc/lockstep");
}

TEST_CASE("a folder without permission to write refuses, and the old file stays") {
  if (::geteuid() == 0) return;  // root may write anywhere
  const TemporaryFolder folder;
  REQUIRE(write_file_atomically(folder / "a", kOld));
  ::chmod(folder.path().c_str(), 0500);
  check_refused(write_file_atomically(folder / "b", kNew), "permission denied");
  check_refused(check_writable(folder / "b"), "permission denied");
  CHECK(text_of(folder / "a") == "old");
  ::chmod(folder.path().c_str(), 0700);
}

TEST_CASE("reading names what is missing, no file, or too large") {
  const TemporaryFolder folder;
  REQUIRE(write_file_atomically(folder / "a", kOld));
  CHECK(*read_file(folder / "a", 3) == kOld);
  CHECK(read_file(folder / "a", 2).error().text().find("has 3 bytes") != std::string::npos);
  CHECK(read_file(folder / "b", 9).error().text().find("there is no file") != std::string::npos);
  CHECK(read_file(folder.path(), 9).error().text().find("not a file") != std::string::npos);
  ::mkfifo((folder / "pipe").c_str(), 0600);
  CHECK(read_file(folder / "pipe", 9).error().text().find("not a file") != std::string::npos);
}
