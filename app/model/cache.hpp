// A model of the L2 cache, for the bytes that cross to HBM: sectored, set-associative, least recently used,
// write-back, and a store never fetches. Blocks are fed one after another, as the emulator runs them; a real
// GPU runs many at once, so this is a model and is labelled so.
#pragma once
#include <cstdint>
#include <vector>

namespace lockstep {

// Bytes read from HBM against the H200's dram__bytes_read counter, cold L2, every rung of the transpose
// ladder: within 10 % from buffers of 64 KB on, 3 % from 256 KB, 0.2 % from 4 MB
// (assets/recordings/h200/validation.json; a test holds it). Below, the kernel's own code and parameters,
// which the model leaves out, weigh more than the data.
constexpr double kCacheModelError = 0.10;
constexpr std::uint64_t kCacheModelErrorFromBytes = 64 << 10;
constexpr const char* kCacheModelWords = "modelled, error 10 %";

struct CacheShape {
  std::uint64_t bytes = 50ull << 20;  // H200: 50 MB of L2 (vendor's data sheet)
  int ways = 16;
  static constexpr int kLineBytes = 128, kSectorBytes = 32;
};

class CacheModel {
 public:
  explicit CacheModel(CacheShape shape = {});
  // One 32-byte sector of a buffer. Returns true where HBM is concerned: a load that has to be fetched, a
  // store that makes a clean sector dirty (it will be written back once).
  bool load(std::uint32_t buffer, std::uint32_t sector) { return touch(buffer, sector, false); }
  bool store(std::uint32_t buffer, std::uint32_t sector) { return touch(buffer, sector, true); }

  // Bytes fetched so far; bytes written back so far if everything dirty were flushed now.
  std::uint64_t fetched_bytes() const { return fetched_ * CacheShape::kSectorBytes; }
  std::uint64_t written_bytes() const { return dirtied_ * CacheShape::kSectorBytes; }

 private:
  struct Line {
    std::uint64_t tag = 0;              // buffer and line number + 1; 0 = empty
    std::uint32_t used = 0;             // time of the last touch
    std::uint8_t valid = 0, dirty = 0;  // one bit per sector
  };
  bool touch(std::uint32_t buffer, std::uint32_t sector, bool store);
  Line& find(std::uint64_t tag);

  int ways_;
  std::uint64_t sets_;
  std::vector<Line> lines_;
  std::uint32_t clock_ = 0;
  std::uint64_t fetched_ = 0, dirtied_ = 0;
};

}  // namespace lockstep
