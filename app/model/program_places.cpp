#include "program_places.hpp"

#include <tuple>

namespace lockstep {
namespace {

using PlaceKey = std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, std::uint32_t, Kind, std::uint16_t>;

PlaceKey key_of(const WarpInstruction& i) {
  return {i.interval, i.iteration, i.line, i.visit, i.kind, i.view};
}

class Merged {
 public:
  explicit Merged(const std::vector<WarpIssue>& warps) : warps_(warps.size()) {
    for (std::size_t w = 0; w < warps.size(); ++w) add(w, warps[w]);
  }
  std::vector<ProgramPlace> places;

 private:
  void add(std::size_t w, const WarpIssue& warp) {
    std::size_t behind = 0;
    for (std::size_t s = 0; s < warp.steps.size(); ++s) {
      const WarpInstruction& i = warp.steps[s].instruction;
      const PlaceKey key = key_of(i);
      std::size_t at = behind;
      while (at < keys_.size() && keys_[at] != key && std::get<1>(keys_[at]) <= i.iteration) ++at;
      if (at == keys_.size() || keys_[at] != key) at = insert(key, i, behind);
      places[at].of_warp[w] = int(s);
      behind = at + 1;
    }
  }
  std::size_t insert(const PlaceKey& key, const WarpInstruction& i, std::size_t behind) {
    const auto order = [](const PlaceKey& k) {
      return std::tuple(std::get<0>(k), std::get<1>(k), std::get<2>(k));
    };
    while (behind < keys_.size() && order(keys_[behind]) < order(key)) ++behind;
    keys_.insert(keys_.begin() + std::ptrdiff_t(behind), key);
    places.insert(places.begin() + std::ptrdiff_t(behind),
                  {i.file, i.line, i.view, i.kind, i.iteration + i.visit, std::vector<int>(warps_, -1)});
    return behind;
  }
  std::size_t warps_;
  std::vector<PlaceKey> keys_;
};

}  // namespace

std::vector<ProgramPlace> program_places(const std::vector<WarpIssue>& warps) {
  return std::move(Merged(warps).places);
}

}  // namespace lockstep
