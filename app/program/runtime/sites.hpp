// Where in the program something happens: the return address of a hook or of a call of the runtime, or a file and
// line that the rewritten text states. Kept as small numbers, which stand for lines in events until the run is over
// and addr2line has been asked once for all of them.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace lockstep::reader {

struct Site {
  std::uint64_t address = 0;  // 0: file and line are stated
  std::uint32_t piece = 0;    // of an access that the hardware makes of several
  std::string file;
  int line = 0;
};

class Sites {
 public:
  static constexpr std::uint32_t kMost = 0xffff;  // an event has 16 bits for its line
  std::uint32_t of_address(const void* address, std::uint32_t piece = 0);
  std::uint32_t of_line(const std::string& file, int line);
  const std::vector<Site>& all() const { return all_; }

 private:
  std::uint32_t add(Site site);
  std::vector<Site> all_{Site{}};  // 0 is none
  std::unordered_map<std::uint64_t, std::uint32_t> by_address_;
  std::unordered_map<std::string, std::uint32_t> by_line_;
};

}  // namespace lockstep::reader
