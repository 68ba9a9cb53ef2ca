#include "traced_program.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <map>
#include <tuple>

#include "memory_axis.hpp"

namespace lockstep {
namespace {

using Place =
    std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t, std::uint32_t>;
Place place_of(const WarpInstruction& i) {
  const std::uint64_t site = std::uint64_t(i.file) << 48 | std::uint64_t(i.line) << 32 |
                             std::uint64_t(i.view) << 16 | std::uint64_t(i.width) << 8 |
                             std::uint64_t(i.kind);
  return {i.interval, i.collective, i.iteration, i.visit, site, i.lanes};
}

// Sectors that each global instruction of the warp brings from L2 (the L1 model's).
std::map<Place, std::uint32_t> l2_sectors_of(const Launch& launch, std::uint32_t warp) {
  std::map<Place, std::uint32_t> sectors;
  for (const Step& step : memory_steps({launch}))
    if (!step.barrier && step.instruction.warp == warp && step.instruction.view < kFirstSharedView)
      sectors[place_of(step.instruction)] = step.l2_sectors;
  return sectors;
}

// Where in a lane's stream its asynchronous copies are issued, and where they are waited for; 0 = never.
std::map<std::uint32_t, std::uint32_t> waits_of_copies(const BlockTrace& trace, std::uint32_t thread) {
  std::map<std::uint32_t, std::uint32_t> waits;
  if (thread + 1 < trace.copy_begin.size())
    for (auto c = trace.copy_begin[thread]; c < trace.copy_begin[thread + 1]; ++c)
      waits[trace.copies[c].issue] = trace.copies[c].wait;
  return waits;
}

std::uint8_t small(std::int64_t x) { return std::uint8_t(std::clamp<std::int64_t>(x, 0, 255)); }

class Deriver {
 public:
  Deriver(const Launch& launch, std::uint32_t warp, const TraceAssumptions& assumptions)
      : launch_(launch),
        warp_(warp),
        in_flight_(std::size_t(std::max(1, assumptions.in_flight))),
        all_(warp_instructions(launch.trace, warp)),
        sectors_(l2_sectors_of(launch, warp)) {
    const auto loads_from = [&](Space space) {
      return std::count_if(all_.begin(), all_.end(), [&](const WarpInstruction& i) {
        return is_load(i.kind) && (i.view >= kFirstSharedView) == (space == Space::shared);
      });
    };
    const auto shared = loads_from(Space::shared), global = loads_from(Space::global);
    fed_by_shared_ = shared > 0;
    if (const auto loads = fed_by_shared_ ? shared : global; loads > 0)
      fmas_per_load_ = std::max(0.0, assumptions.fmas) / double(loads);
  }

  TracedProgram derive() {
    result_.warps_per_block = int(std::max<std::int64_t>(1, (launch_.threads() + kWarpSize - 1) / kWarpSize));
    result_.instructions = int(std::count_if(all_.begin(), all_.end(), [](const WarpInstruction& i) {
      return i.kind != Kind::copy_issue;  // the reading half of a copy
    }));
    for (std::size_t k = 0; k < all_.size() && size() < kMostTraced; ++k) {
      wait_for_copies(all_[k].position);
      if (all_[k].kind == Kind::copy_issue) continue;
      add(all_[k], k > 0 && all_[k - 1].kind == Kind::copy_issue ? &all_[k - 1] : nullptr);
      ++result_.taken;
    }
    use_all();
    if (size() > 0) program().marks = {0, size() - 1};
    return std::move(result_);
  }

 private:
  WarpProgram& program() { return result_.program; }
  int size() const { return int(result_.program.instructions.size()); }
  std::uint16_t distance(int source) const { return std::uint16_t(size() - source); }
  SmInstruction& push(Op op, std::uint16_t line) {
    SmInstruction i;
    i.op = op, i.line = line;
    return program().instructions.emplace_back(i);
  }

  struct Load {
    int at;      // in the program
    bool feeds;  // multiply-adds
  };
  struct Site {
    std::uint16_t file, line, view;
    bool operator==(const Site&) const = default;
    std::deque<Load> open;  // not used yet
  };

  // The multiply-adds that stand behind a load; false where there are none for it.
  bool use(const Load& load) {
    if (!load.feeds) return false;
    due_ += fmas_per_load_;
    bool any = false;
    for (; due_ >= 1 && size() < kMostTraced; due_ -= 1, any = true) {
      const std::uint16_t needed = distance(load.at),
                          before = fmas_.size() < in_flight_ ? std::uint16_t{0} : distance(fmas_.front());
      SmInstruction& fma = push(Op::fma, program().instructions[std::size_t(load.at)].line);
      fma.needs[0] = needed, fma.needs[1] = before;
      if (before) fmas_.pop_front();
      fmas_.push_back(size() - 1);
      ++result_.fmas;
    }
    return any;
  }
  void use_all() {
    for (Site& site : sites_) {
      for (const Load& load : site.open) use(load);
      site.open.clear();
    }
  }

  Site& site_of(const WarpInstruction& i) {
    for (Site& site : sites_)
      if (site.file == i.file && site.line == i.line && site.view == i.view) return site;
    return sites_.emplace_back(Site{i.file, i.line, i.view, {}});
  }

  void load(const WarpInstruction& i) {
    const bool shared = i.view >= kFirstSharedView;
    Site& site = site_of(i);
    int register_of = -1;
    if (site.open.size() == in_flight_) {
      const Load oldest = site.open.front();
      site.open.pop_front();
      if (!use(oldest)) register_of = oldest.at;
    }
    const std::uint16_t needed = register_of < 0 ? std::uint16_t{0} : distance(register_of);
    SmInstruction& made = push(shared ? Op::shared_load : Op::load, i.line);
    made.needs[0] = needed;
    cost(made, i);
    site.open.push_back({size() - 1, shared == fed_by_shared_});
  }

  void cost(SmInstruction& made, const WarpInstruction& i) {
    if (i.view >= kFirstSharedView)
      made.wavefronts =
          std::max<std::uint8_t>(1, small(shared_wavefronts(i.lanes, i.offset, i.width, !reads(i.kind))));
    else
      made.sectors = small(sectors_.contains(place_of(i)) ? sectors_.at(place_of(i)) : 0);
  }

  // The kernel's own word for its arithmetic: a chain, each one needs the one before.
  void compute(const WarpInstruction& i) {
    use_all();
    for (std::uint32_t k = 0; k < i.offset[std::size_t(std::countr_zero(i.lanes))] && size() < kMostTraced;
         ++k) {
      const std::uint16_t before = fmas_.empty() ? std::uint16_t{0} : distance(fmas_.back());
      SmInstruction& fma = push(Op::fma, i.line);
      fma.needs[0] = before, fma.needs_loads = k == 0;
      fmas_.clear(), fmas_.push_back(size() - 1);
      ++result_.fmas;
    }
  }

  void copy(const WarpInstruction& target, const WarpInstruction* source) {
    SmInstruction& made = push(Op::async_copy, target.line);
    made.sectors = 0;  // zeros alone
    if (source) cost(made, *source);
    const std::uint32_t issue = source ? source->position : target.position;
    const auto thread =
        warp_ * kWarpSize + std::uint32_t(std::countr_zero((source ? source : &target)->lanes));
    const auto waits = waits_of_copies(launch_.trace, thread);
    if (const auto at = waits.find(issue); at != waits.end() && at->second > 0)
      copies_[at->second] = size() - 1;
  }

  // Copies that are waited for before this place in the stream.
  void wait_for_copies(std::uint32_t position) {
    while (!copies_.empty() && copies_.begin()->first <= position) {
      const int last = copies_.begin()->second;
      const std::uint16_t needed = distance(last), line = program().instructions[std::size_t(last)].line;
      push(Op::wait_copies, line).needs[0] = needed;
      copies_.erase(copies_.begin());
    }
  }

  void add(const WarpInstruction& i, const WarpInstruction* before) {
    switch (i.kind) {
      case Kind::load:
      case Kind::load_l2:
      case Kind::load_cluster:
        return load(i);
      case Kind::store:
      case Kind::atomic:
      case Kind::reduction: {
        use_all();
        const std::uint16_t sum = fmas_.empty() ? std::uint16_t{0} : distance(fmas_.back());
        SmInstruction& made = push(i.view >= kFirstSharedView ? Op::shared_store : Op::store, i.line);
        made.needs_loads = true, made.needs[0] = sum;
        return cost(made, i);
      }
      case Kind::arithmetic:
        return compute(i);
      case Kind::barrier:
        use_all();
        push(Op::barrier, i.line).needs_loads = true;
        return;
      case Kind::copy_target:
        return copy(i, before);
      default:
        push(Op::integer, i.line);
    }
  }

  const Launch& launch_;
  const std::uint32_t warp_;
  const std::size_t in_flight_;
  const std::vector<WarpInstruction> all_;
  const std::map<Place, std::uint32_t> sectors_;
  bool fed_by_shared_ = false;
  double fmas_per_load_ = 0, due_ = 0;
  std::deque<Site> sites_;
  std::deque<int> fmas_;                 // the last one of each chain
  std::map<std::uint32_t, int> copies_;  // waited for at this position: the last one of them
  TracedProgram result_;
};

}  // namespace

TracedProgram traced_program(const Launch& launch, std::uint32_t warp, const TraceAssumptions& assumptions) {
  return Deriver(launch, warp, assumptions).derive();
}

int warps_in_blocks(int warps, int warps_per_block) {
  const int block = std::clamp(warps_per_block, 1, kMostWarpsPerSm);
  const int blocks = std::clamp((warps + block - 1) / block, 1, kMostWarpsPerSm / block);
  return blocks * block;
}

// --- as text
// -------------------------------------------------------------------------------------------------

// "op line needs needs sectors wavefronts needs_loads;" for each instruction.
std::string program_text(const WarpProgram& program) {
  std::string text;
  for (const SmInstruction& i : program.instructions) {
    for (const int x : {int(i.op), int(i.line), int(i.needs[0]), int(i.needs[1]), int(i.sectors),
                        int(i.wavefronts), int(i.needs_loads)})
      text += std::to_string(x) + " ";
    text.back() = ';';
  }
  return text;
}

std::optional<WarpProgram> read_program(const std::string& text) {
  constexpr int kFields = 7;
  constexpr std::size_t kMost = kMostTraced + kMoreThanTraced;
  WarpProgram program;
  for (const char* at = text.c_str(); *at;) {
    std::array<long, kFields> x{};
    for (int f = 0; f < kFields; ++f, ++at) {
      char* end = nullptr;
      x[std::size_t(f)] = std::strtol(at, &end, 10);
      if (end == at || *end != (f + 1 < kFields ? ' ' : ';')) return {};
      at = end;
    }
    const long here = long(program.instructions.size());
    const auto within = [](long value, long most) { return value >= 0 && value <= most; };
    if (!within(x[0], kOps - 1) || !within(x[1], 0xffff) || !within(x[2], here) || !within(x[3], here) ||
        !within(x[4], 255) || !within(x[5] - 1, 254) || !within(x[6], 1) || here == long(kMost))
      return {};
    SmInstruction i;
    i.op = Op(x[0]), i.line = std::uint16_t(x[1]);
    i.needs[0] = std::uint16_t(x[2]), i.needs[1] = std::uint16_t(x[3]);
    i.sectors = std::uint8_t(x[4]), i.wavefronts = std::uint8_t(x[5]), i.needs_loads = x[6] != 0;
    program.instructions.push_back(i);
  }
  if (program.instructions.empty()) return {};
  program.marks = {0, int(program.instructions.size()) - 1};
  return program;
}

}  // namespace lockstep
