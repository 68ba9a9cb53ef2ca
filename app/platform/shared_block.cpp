#include "shared_block.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <boost/interprocess/mapped_region.hpp>
#include <boost/interprocess/shared_memory_object.hpp>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>

namespace lockstep {
namespace {

namespace ipc = boost::interprocess;
namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "lockstep-";
constexpr auto kAbandonedAfter = std::chrono::minutes(1);  // a living owner reads within milliseconds

Error cannot_share(std::uint64_t bytes, const std::string& why) {
  return worker_error(
      "the result needs {0} MB of shared memory, which failed: {1}; choose a smaller size or make /dev/shm "
      "larger",
      {std::to_string((bytes >> 20) + 1), why});
}

bool owner_is_gone(std::string_view name) {
  pid_t owner = 0;
  const std::string_view digits = name.substr(kPrefix.size());
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), owner);
  return error == std::errc{} && owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH;
}

}  // namespace

std::string new_block_name() {
  static std::atomic<unsigned> counter{0};
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return std::string(kPrefix) + std::to_string(::getpid()) + "-" + std::to_string(counter++) + "-" +
         std::to_string(now);
}

Status write_block(const std::string& name, std::span<const std::uint8_t> bytes) {
  try {
    const ipc::permissions only_mine(0600);
    const ipc::shared_memory_object block(ipc::create_only, name.c_str(), ipc::read_write, only_mine);
    // Reserved now: where the memory is short, this fails, whereas writing to the mapping would raise SIGBUS.
    const int error = ::posix_fallocate(block.get_mapping_handle().handle, 0, off_t(bytes.size()));
    if (error != 0) return cannot_share(bytes.size(), std::strerror(error));
    const ipc::mapped_region region(block, ipc::read_write, 0, bytes.size());
    std::memcpy(region.get_address(), bytes.data(), bytes.size());
    return Unit{};
  } catch (const ipc::interprocess_exception& fault) {
    return cannot_share(bytes.size(), fault.what());
  }
}

Result<std::vector<std::uint8_t>> read_block(const std::string& name, std::uint64_t count) {
  try {
    const ipc::shared_memory_object block(ipc::open_only, name.c_str(), ipc::read_only);
    ipc::offset_t size = 0;
    if (!block.get_size(size) || count == 0 || std::uint64_t(size) < count)
      return cannot_share(count, "the block is shorter than announced");
    const ipc::mapped_region region(block, ipc::read_only, 0, count);
    const auto* begin = static_cast<const std::uint8_t*>(region.get_address());
    return std::vector<std::uint8_t>(begin, begin + count);
  } catch (const ipc::interprocess_exception& fault) {
    return cannot_share(count, fault.what());
  }
}

void remove_block(const std::string& name) { ipc::shared_memory_object::remove(name.c_str()); }

void remove_abandoned_blocks() {
  std::error_code error;
  fs::directory_iterator entry("/dev/shm", error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kPrefix) || !owner_is_gone(name)) continue;
    std::error_code vanished;
    const auto written = entry->last_write_time(vanished);
    if (!vanished && fs::file_time_type::clock::now() - written > kAbandonedAfter) remove_block(name);
  }
}

}  // namespace lockstep
