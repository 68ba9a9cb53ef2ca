// Shared memory has 32 banks of 4 bytes. The rules below were fitted on an H200 against the profiler's
// l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld/st for 580 lane -> address maps per width (partial masks
// included) and reproduce every one of them.
#include <algorithm>
#include <bit>

#include "fold.hpp"

namespace lockstep {
namespace {

using Offsets = std::array<std::uint32_t, kWarpSize>;

// Passes that one group of lanes needs: the largest number of different words in one bank.
int ways(std::uint32_t lanes, const Offsets& offset, int words) {
  std::uint32_t word_of[4 * kWarpSize];
  std::int8_t next[4 * kWarpSize];  // chain of the different words seen in the same bank
  std::int8_t head[32];
  std::uint8_t count[32] = {};
  std::uint32_t used = 0;  // banks that have a chain
  int total = 0, most = 0;
  for (; lanes; lanes &= lanes - 1) {
    const std::uint32_t first = offset[std::countr_zero(lanes)] / 4;
    for (int w = 0; w < words; ++w) {
      const std::uint32_t word = first + w, bank = word % 32;
      if (!(used >> bank & 1)) used |= 1u << bank, head[bank] = -1;
      int seen = head[bank];
      while (seen >= 0 && word_of[seen] != word) seen = next[seen];
      if (seen >= 0) continue;
      word_of[total] = word, next[total] = head[bank], head[bank] = std::int8_t(total++);
      most = std::max<int>(most, ++count[bank]);
    }
  }
  return most;
}

// 64- and 128-bit loads: two neighbouring groups of lanes share their passes when every active lane's partner
// (lane ^ 1, or lane ^ 2) is inactive or reads the same address.
bool partners_agree(std::uint32_t lanes, const Offsets& offset, int partner) {
  for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if ((lanes >> (lane ^ partner) & 1) && offset[lane] != offset[lane ^ partner]) return false;
  }
  return true;
}

bool halves_merge(std::uint32_t lanes, const Offsets& offset) {
  return partners_agree(lanes, offset, 1) || partners_agree(lanes, offset, 2);
}

int group_size(int width, bool merged) {  // lanes that go through the banks together
  const int whole = width <= 4 ? 32 : width == 8 ? 16 : 8;
  return merged && width > 4 ? whole * 2 : whole;
}

constexpr std::uint32_t group_mask(int first, int size) {
  return size == 32 ? ~0u : ((1u << size) - 1) << first;
}

}  // namespace

int shared_wavefronts(std::uint32_t lanes, const Offsets& offset, int width, bool store) {
  if (!lanes) return 0;
  const int words = width <= 4 ? 1 : width / 4;
  const int size = group_size(width, width > 4 && !store && halves_merge(lanes, offset));
  int total = 0;
  for (int first = 0; first < kWarpSize; first += size)
    total += ways(lanes & group_mask(first, size), offset, words);
  return total;
}

std::array<std::uint8_t, kWarpSize> wavefront_of_lanes(std::uint32_t lanes, const Offsets& offset, int width,
                                                       bool store) {
  std::array<std::uint8_t, kWarpSize> served;
  served.fill(kNoWavefront);
  const int words = width <= 4 ? 1 : width / 4;
  const int size = group_size(width, width > 4 && !store && halves_merge(lanes, offset));
  int before = 0;  // wavefronts of the groups before this one
  for (int first = 0; first < kWarpSize; first += size) {
    std::array<std::vector<std::uint32_t>, 32>
        wanted;  // the different words of each bank, in the order of the lanes
    for (std::uint32_t rest = lanes & group_mask(first, size); rest; rest &= rest - 1) {
      const auto lane = std::size_t(std::countr_zero(rest));
      std::ptrdiff_t turn = 0;
      for (int w = 0; w < words; ++w) {
        const std::uint32_t word = offset[lane] / 4 + std::uint32_t(w);
        auto& bank = wanted[word % 32];
        const auto known = std::find(bank.begin(), bank.end(), word);
        turn = std::max(turn, known - bank.begin());
        if (known == bank.end()) bank.push_back(word);
      }
      served[lane] = std::uint8_t(before + turn);
    }
    before += ways(lanes & group_mask(first, size), offset, words);
  }
  return served;
}

std::string bank_map_text(std::uint32_t lanes, const Offsets& offset, int width, bool store) {
  const auto served = wavefront_of_lanes(lanes, offset, width, store);
  std::string text;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    std::string row(32, '.');
    for (int w = 0; w < std::max(1, width / 4) && served[lane] != kNoWavefront; ++w)
      row[(offset[lane] / 4 + std::uint32_t(w)) % 32] = "0123456789abcdefghijklmnopqrstuv"[served[lane] % 32];
    text += row + "\n";
  }
  return text;
}

int fewest_wavefronts(std::uint32_t lanes, int width, bool store) {
  if (!lanes) return 0;
  Offsets own;  // each lane its own element, neighbours side by side
  std::uint32_t next = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    own[lane] = next;
    if (lanes >> lane & 1) next += width <= 4 ? 4 : width;
  }
  return shared_wavefronts(lanes, own, width, store);
}

}  // namespace lockstep
