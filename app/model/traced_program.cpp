#include "traced_program.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <map>
#include <span>
#include <tuple>

#include "gpu.hpp"
#include "memory_axis.hpp"
#include "traced_barriers.hpp"
#include "units.hpp"

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

bool tells_units(Kind kind) {
  return is_box(kind) || is_product(kind) || kind == Kind::arrive || kind == Kind::await_phase;
}
std::uint16_t file_of_units(const Launch& launch) {
  for (const Access& e : launch.trace.events)
    if (tells_units(e.kind)) return e.file;
  return 0;
}

std::span<const Access> events_of(const BlockTrace& trace, std::size_t thread) {
  if (thread + 1 >= trace.begin.size()) return {};
  return {trace.events.data() + trace.begin[thread], trace.events.data() + trace.begin[thread + 1]};
}

// What one lane tells the units and where it begins steps: events as they are, none folded.
bool of_one_lane(Kind kind) { return is_unit_access(kind) || kind == Kind::mark; }

// The lane that tells them: the first one that does. All lanes of a warp ask for a product together.
std::uint32_t telling_lane(const BlockTrace& trace, std::uint32_t warp) {
  for (std::uint32_t lane = 0; lane < std::uint32_t(kWarpSize); ++lane) {
    const auto events = events_of(trace, std::size_t(warp) * kWarpSize + lane);
    if (std::any_of(events.begin(), events.end(), [](const Access& e) { return is_unit_access(e.kind); }))
      return lane;
  }
  return 0;
}

// Whether the warp's other lanes do nothing behind their last __syncthreads().
bool is_alone(const BlockTrace& trace, std::uint32_t warp) {
  const std::uint32_t own = telling_lane(trace, warp);
  for (std::uint32_t lane = 0; lane < std::uint32_t(kWarpSize); ++lane) {
    const auto events = events_of(trace, std::size_t(warp) * kWarpSize + lane);
    if (lane != own && !events.empty() && events.back().kind != Kind::barrier) return false;
  }
  return true;
}

// What a warp did, in its order: its instructions, and between them what that lane told the units.
std::vector<WarpInstruction> told_instructions(const BlockTrace& trace, std::uint32_t warp) {
  std::vector<WarpInstruction> all;
  const std::uint32_t lane = telling_lane(trace, warp);
  const auto events = events_of(trace, std::size_t(warp) * kWarpSize + lane);
  std::uint32_t next = 0;
  const auto tell_until = [&](std::size_t position) {
    for (; next < std::min(position, events.size()); ++next) {
      const Access& e = events[next];
      if (!of_one_lane(e.kind)) continue;
      WarpInstruction i;
      i.warp = warp, i.position = next, i.file = e.file, i.line = e.line, i.view = e.view, i.width = e.width;
      i.kind = e.kind, i.lanes = 1u << lane, i.gpu_mask = e.mask, i.offset[lane] = e.offset;
      all.push_back(i);
    }
  };
  for (const WarpInstruction& i : warp_instructions(trace, warp)) {
    if (is_unit_access(i.kind)) continue;  // a piece of one
    const bool by_lane = (i.lanes >> lane & 1) != 0 && std::countr_zero(i.lanes) == int(lane);
    if (by_lane) tell_until(i.position);
    all.push_back(i);
  }
  tell_until(events.size());
  return all;
}

class Deriver {
 public:
  Deriver(const Launch& launch, std::uint32_t warp, const TraceAssumptions& assumptions,
          const TracedBarriers& barriers, TracedProgram& result)
      : launch_(launch),
        warp_(warp),
        assumptions_(assumptions),
        barriers_(barriers),
        in_flight_(std::size_t(std::max(1, assumptions.in_flight))),
        all_(told_instructions(launch.trace, warp)),
        alone_(is_alone(launch.trace, warp)),
        file_(file_of_units(launch)),
        sectors_(l2_sectors_of(launch, warp)),
        result_(result) {
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

  WarpProgram derive() {
    result_.instructions += int(
        std::count_if(all_.begin(), all_.end(), [](const WarpInstruction& i) { return !is_half(i.kind); }));
    for (std::size_t k = 0; k < all_.size() && size() < kMostTraced; ++k) {
      wait_for_copies(all_[k].position);
      if (all_[k].kind == Kind::mark) begin_step(all_[k]);
      if (is_half(all_[k].kind)) continue;
      add(all_[k], k > 0 && is_half(all_[k - 1].kind) ? &all_[k - 1] : nullptr);
      ++result_.taken;
    }
    use_all();
    end_group();
    if (size() == 0 && has_units(launch_)) push(Op::integer, 0);  // a warp that ends at once
    if (size() > 0) program_.marks = {0, size() - 1};
    return std::move(program_);
  }

 private:
  // What stands in front of the event that is counted, and does nothing by itself.
  static bool is_half(Kind kind) {
    return kind == Kind::copy_issue || kind == Kind::box_source || kind == Kind::store_target ||
           kind == Kind::product_a || kind == Kind::mark;
  }
  int size() const { return int(program_.instructions.size()); }
  std::uint16_t distance(int source) const { return std::uint16_t(size() - source); }
  // What stands in a file that the kernel's includes goes by the line before it that is the kernel's own.
  std::uint16_t line_of(const WarpInstruction& i) {
    if (file_ == 0 || i.file == file_) own_line_ = i.line;
    return own_line_;
  }
  SmInstruction& push(Op op, std::uint16_t line) {
    SmInstruction i;
    i.op = op, i.line = line;
    return program_.instructions.emplace_back(i);
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
      SmInstruction& fma = push(Op::fma, program_.instructions[std::size_t(load.at)].line);
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
      const std::uint16_t needed = distance(last), line = program_.instructions[std::size_t(last)].line;
      push(Op::wait_copies, line).needs[0] = needed;
      copies_.erase(copies_.begin());
    }
  }

  // --- units

  // What the step's source says of its arithmetic. Of each number: a maximum; then 2^x of a multiply-add, and
  // a sum of what that gives, as late as it is there; the other multiply-adds; and two numbers into a
  // register.
  void begin_step(const WarpInstruction& mark) {
    end_group();
    const std::uint16_t before = own_line_;
    // The text that is shown leaves the mark's line out: what it names begins in the next one.
    own_line_ = std::uint16_t(mark.line + 1);
    for (const StepArithmetic& step : assumptions_.steps)
      if (step.name == mark.view) calculate(step, step.ahead && before > 0 ? before : own_line_);
  }
  void calculate(const StepArithmetic& step, std::uint16_t line) {
    constexpr int kBehind = 5;  // numbers whose 2^x is under way
    const auto some = [&](Op op, int count) {
      for (int k = 0; k < count && size() < kMostTraced; ++k) push(op, line), ++result_.fmas;
    };
    some(Op::minmax, step.minmax);
    int fmas = step.fma;
    std::deque<int> powers;
    for (int k = 0; k < step.special && size() < kMostTraced; ++k) {
      some(Op::fma, std::min(1, fmas)), fmas -= fmas > 0;
      push(Op::special, line).needs[0] = 1, ++result_.fmas;
      powers.push_back(size() - 1);
      if (powers.size() < kBehind || fmas <= step.special - k - 1) continue;
      const std::uint16_t power = distance(powers.front());
      push(Op::fma, line).needs[0] = power, ++result_.fmas, --fmas;
      powers.pop_front();
    }
    some(Op::fma, fmas), some(Op::pack, step.pack);
  }

  // A group of products is open until its warp does something else.
  void end_group() {
    if (open_product_ >= 0) program_.instructions[std::size_t(open_product_)].ends_group = true;
    open_product_ = -1;
  }
  void multiply(const WarpInstruction& i, bool from_registers) {
    if (open_product_ < 0) {
      const bool calculated = size() > 0 && !of_units(program_.instructions.back().op);
      push(Op::products_fence, i.line).needs[0] = calculated;
    }
    push(Op::uniform, i.line);
    SmInstruction& made = push(Op::product, i.line);
    constexpr int kColumnsOfUnit = 8;
    made.count = std::uint16_t(i.width * kColumnsOfUnit), made.from_registers = from_registers;
    open_product_ = size() - 1;
  }
  void arrive(const WarpInstruction& i) {
    SmInstruction& made = push(Op::arrive, i.line);
    made.barrier = barrier_of(i), made.count = std::uint16_t(std::popcount(i.lanes));
    arrival_ = size() - 1;
  }
  // The bytes of a box were announced by the arrival before it.
  void fetch(const WarpInstruction& i) {
    const bool more = size() > 0 && program_.instructions.back().op == Op::box;
    SmInstruction& made = push(Op::box, i.line);
    made.count = more || alone_ ? 0 : kWarpSize - 1;
    made.bytes = (i.gpu_mask & 0xffff) * kBoxRowBytes;
    if (arrival_ < 0) return;
    SmInstruction& arrival = program_.instructions[std::size_t(arrival_)];
    arrival.bytes += made.bytes, made.barrier = arrival.barrier;
  }
  std::uint16_t barrier_of(const WarpInstruction& i) const {
    return barriers_.id_of(i.view, i.offset[std::size_t(std::countr_zero(i.lanes | 1u << 31))]);
  }
  void await(const WarpInstruction& i) {
    const std::uint32_t offset = i.offset[std::size_t(std::countr_zero(i.lanes | 1u << 31))];
    SmInstruction& made = push(Op::wait_phase, i.line);
    made.barrier = barrier_of(i), made.count = std::uint16_t(waited_.ended(made.barrier, offset & 1));
  }

  void add(WarpInstruction i, const WarpInstruction* before) {
    i.line = line_of(i);
    if (i.kind != Kind::product_b) end_group();
    switch (i.kind) {
      case Kind::product_b:
        return multiply(i, !before || before->kind != Kind::product_a);
      case Kind::await_products:
        push(Op::products_wait, i.line).count =
            std::uint16_t(i.offset[std::size_t(std::countr_zero(i.lanes | 1u << 31))]);
        return;
      case Kind::arrive:
        return arrive(i);
      case Kind::box_target:
        return fetch(i);
      case Kind::await_phase:
        return await(i);
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
  const TraceAssumptions& assumptions_;
  const TracedBarriers& barriers_;
  const std::size_t in_flight_;
  const std::vector<WarpInstruction> all_;
  const bool alone_;          // the lane that tells the units: the others have ended
  const std::uint16_t file_;  // in which they are told; 0 without units
  std::uint16_t own_line_ = 0;
  const std::map<Place, std::uint32_t> sectors_;
  bool fed_by_shared_ = false;
  double fmas_per_load_ = 0, due_ = 0;
  std::deque<Site> sites_;
  std::deque<int> fmas_;                  // the last one of each chain
  std::map<std::uint32_t, int> copies_;   // waited for at this position: the last one of them
  int open_product_ = -1, arrival_ = -1;  // the last ones, in the program
  WaitedPhases waited_;
  WarpProgram program_;
  TracedProgram& result_;
};

}  // namespace

bool has_units(const Launch& launch) {
  return std::any_of(launch.trace.events.begin(), launch.trace.events.end(),
                     [](const Access& e) { return tells_units(e.kind); });
}

TracedProgram traced_program(const Launch& launch, std::uint32_t warp, const TraceAssumptions& assumptions) {
  TracedProgram result;
  result.warps_per_block = int(std::max<std::int64_t>(1, (launch.threads() + kWarpSize - 1) / kWarpSize));
  BlockProgram& block = result.block;
  if (!has_units(launch)) {
    WarpProgram program = Deriver(launch, warp, assumptions, {}, result).derive();
    if (!program.instructions.empty()) block.programs.push_back(std::move(program));
    return result;
  }
  constexpr std::int64_t kReserved = 1024;  // bytes of each block (CUDA's own)
  // A trace knows no registers. A producer and two warpgroups are compiled to share out all of an SM's.
  constexpr int kWholeSm = 12;
  const std::int64_t fit = result.warps_per_block >= kWholeSm
                               ? 1
                               : Gpu{}.shared_bytes_per_sm / (launch.dynamic_shared_bytes + kReserved);
  result.most_warps = int(std::clamp<std::int64_t>(fit, 1, kMostWarpsPerSm)) * result.warps_per_block;
  const TracedBarriers barriers(launch.trace);
  block.arrivals = barriers.arrivals(), block.barriers = barriers.names(launch);
  for (int w = 0; w < result.warps_per_block; ++w) {
    WarpProgram program = Deriver(launch, std::uint32_t(w), assumptions, barriers, result).derive();
    const auto same = std::find(block.programs.begin(), block.programs.end(), program);
    block.role.push_back(std::uint8_t(same - block.programs.begin()));
    if (same == block.programs.end()) block.programs.push_back(std::move(program));
  }
  return result;
}

int warps_in_blocks(int warps, int warps_per_block) {
  const int block = std::clamp(warps_per_block, 1, kMostWarpsPerSm);
  const int blocks = std::clamp((warps + block - 1) / block, 1, kMostWarpsPerSm / block);
  return blocks * block;
}

}  // namespace lockstep
