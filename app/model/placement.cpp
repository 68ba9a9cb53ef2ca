#include "placement.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>

namespace lockstep {
namespace {

constexpr std::size_t kMostBlocks = 1 << 16;
constexpr int kMostSms = 1024;

// Numbers of a stranger's text, apart by ',' and ';'.
class NumberReader {
 public:
  explicit NumberReader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}
  bool done() const { return at_ == end_; }
  // The next number with the sign behind it; nothing where there is none, or it is out of range.
  std::optional<std::int64_t> next(std::int64_t most, char& sign) {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(at_, end_, value);
    if (error != std::errc{} || stop == end_ || value < 0 || value > most) return {};
    sign = *stop, at_ = stop + 1;
    return value;
  }

 private:
  const char *at_, *end_;
};

}  // namespace

// --- as text

std::string placement_text(const Placement& placement) {
  std::string text;
  const auto add = [&](std::int64_t value, char sign) { text += std::to_string(value), text += sign; };
  for (const PlacedBlock& b : placement.blocks)
    add(b.sm, ','), add(b.slot, ','), add(b.begin, ','), add(b.end, ';');
  return text;
}

std::optional<Placement> read_placement(std::string_view text) {
  constexpr std::int64_t kMostNs = std::int64_t{1} << 32;
  constexpr char kSigns[] = {',', ',', ',', ';'};
  const std::int64_t most[] = {kMostSms - 1, 1 << 16, kMostNs, kMostNs};
  Placement placement;
  for (NumberReader reader(text); !reader.done();) {
    std::int64_t values[4];
    for (int i = 0; i < 4; ++i) {
      char sign = 0;
      const auto value = reader.next(most[i], sign);
      if (!value || sign != kSigns[i]) return {};
      values[i] = *value;
    }
    if (values[3] < values[2] || placement.blocks.size() >= kMostBlocks) return {};
    placement.blocks.push_back({int(values[0]), int(values[1]), values[2], values[3]});
  }
  if (placement.blocks.empty()) return {};
  return placement;
}

std::string groups_text(const std::vector<std::vector<int>>& groups) {
  std::string text;
  for (const auto& group : groups)
    for (std::size_t i = 0; i < group.size(); ++i)
      text += std::to_string(group[i]), text += i + 1 == group.size() ? ';' : ',';
  return text;
}

std::optional<std::vector<std::vector<int>>> read_groups(std::string_view text) {
  std::vector<std::vector<int>> groups(1);
  std::vector<bool> seen(kMostSms);
  for (NumberReader reader(text); !reader.done();) {
    char sign = 0;
    const auto sm = reader.next(kMostSms - 1, sign);
    if (!sm || seen[std::size_t(*sm)] || (sign != ',' && sign != ';')) return {};
    seen[std::size_t(*sm)] = true;
    groups.back().push_back(int(*sm));
    if (sign == ';') groups.emplace_back();
  }
  if (!groups.back().empty()) return {};  // the last one has no end
  groups.pop_back();
  return groups;
}

// --- what it tells

namespace {

std::vector<std::size_t> in_order_of_begin(const Placement& placement) {
  std::vector<std::size_t> order(placement.blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return placement.blocks[a].begin < placement.blocks[b].begin;
  });
  return order;
}

std::int64_t most_together(const Placement& placement) {
  std::vector<std::pair<std::int64_t, int>> changes;
  for (const PlacedBlock& b : placement.blocks)
    changes.push_back({b.begin, 1}), changes.push_back({b.end, -1});
  std::sort(changes.begin(), changes.end());  // an end stands before a begin at the same time
  std::int64_t now = 0, most = 0;
  for (const auto& [ns, change] : changes) most = std::max(most, now += change);
  return most;
}

}  // namespace

std::vector<Seat> seats_of(const Placement& placement) {
  struct Place {
    std::int64_t free_at = 0;
    int blocks = 0;
  };
  std::vector<Seat> seats(placement.blocks.size());
  std::map<int, std::vector<Place>> sms;
  for (const std::size_t block : in_order_of_begin(placement)) {
    const PlacedBlock& b = placement.blocks[block];
    auto& places = sms[b.sm];
    auto place =
        std::find_if(places.begin(), places.end(), [&](const Place& p) { return p.free_at <= b.begin; });
    if (place == places.end()) place = places.insert(places.end(), Place{});
    seats[block] = {int(place - places.begin()), place->blocks};
    *place = {b.end, place->blocks + 1};
  }
  return seats;
}

PlacementFigures figures_of(const Placement& placement) {
  PlacementFigures f;
  if (placement.blocks.empty()) return f;
  std::int64_t first_end = placement.blocks.front().end;
  double taken = 0;
  std::map<int, std::int64_t> last_end;
  for (const PlacedBlock& b : placement.blocks) {
    f.span_ns = std::max(f.span_ns, b.end), first_end = std::min(first_end, b.end);
    taken += double(b.end - b.begin);
    last_end[b.sm] = std::max(last_end[b.sm], b.end);
  }
  std::int64_t first_empty = f.span_ns;
  for (const auto& [sm, end] : last_end) first_empty = std::min(first_empty, end);
  f.tail_ns = f.span_ns - first_empty, f.sms = std::int64_t(last_end.size());
  for (const PlacedBlock& b : placement.blocks) f.first_wave += b.begin < first_end;
  for (const Seat& seat : seats_of(placement)) {
    f.waves = std::max(f.waves, std::int64_t{seat.wave} + 1);
    f.most_on_one_sm = std::max(f.most_on_one_sm, std::int64_t{seat.place} + 1);
  }
  f.most_at_once = most_together(placement);
  if (f.span_ns > 0 && f.most_at_once > 0) f.busy = taken / double(f.span_ns) / double(f.most_at_once);
  return f;
}

namespace {

// SMs that were said to be together, one pair after the other.
class SmSets {
 public:
  SmSets() : leader_(kMostSms), seen_(kMostSms) { std::iota(leader_.begin(), leader_.end(), 0); }
  void join(int a, int b) {
    seen_[std::size_t(a)] = seen_[std::size_t(b)] = true;
    const int first = leader_of(a), second = leader_of(b);
    leader_[std::size_t(std::max(first, second))] = std::min(first, second);
  }
  std::vector<std::vector<int>> groups() {
    std::map<int, std::vector<int>> by_leader;
    for (int sm = 0; sm < kMostSms; ++sm)
      if (seen_[std::size_t(sm)]) by_leader[leader_of(sm)].push_back(sm);
    std::vector<std::vector<int>> all;
    for (auto& [first, group] : by_leader) all.push_back(std::move(group));
    return all;
  }

 private:
  int leader_of(int sm) {
    while (leader_[std::size_t(sm)] != sm) sm = leader_[std::size_t(sm)];
    return sm;
  }
  std::vector<int> leader_;
  std::vector<bool> seen_;
};

}  // namespace

std::vector<std::vector<int>> groups_of(const Placement& placement, int cluster) {
  SmSets sets;
  for (std::size_t i = 0; i < placement.blocks.size(); ++i)
    sets.join(placement.blocks[i].sm, placement.blocks[i - i % std::size_t(std::max(1, cluster))].sm);
  return sets.groups();
}

std::vector<std::vector<int>> joined_groups(const std::vector<std::vector<int>>& a,
                                            const std::vector<std::vector<int>>& b) {
  SmSets sets;
  for (const auto* groups : {&a, &b})
    for (const std::vector<int>& group : *groups)
      for (const int sm : group) sets.join(sm, group.front());
  return sets.groups();
}

// --- the model

TurnCost turn_cost(const Gpu& gpu, int fmas, double fma_issue) {
  constexpr double kFmaLatency = 4, kLoopLatency = 10, kLoop = 3;  // the loop's own: add, compare, branch
  const double lanes = double(gpu.fp32_lanes_per_sm) / gpu.sub_cores;
  return {kFmaLatency * fmas + kLoopLatency, fmas * std::max(fma_issue, 32 / lanes) + kLoop};
}

namespace {

constexpr double kEmpty = 1e-6;  // turns: less is none

// The blocks that one SM holds. Their turns go down together, each at its rate, from event to event.
class ModelledSm {
 public:
  ModelledSm(const Gpu& gpu, const PlacementSetting& setting)
      : turn_(setting.turn), warps_(double(warps_of(setting.needs)) / gpu.sub_cores) {}

  int resident() const { return int(blocks_.size()); }
  void begin(std::size_t block, double turns) { blocks_.push_back({block, std::max(turns, kEmpty)}); }
  // Cycles until the next of its blocks ends, if none comes.
  double until_end() const {
    double least = -1, room = 1;
    for (const Resident& b : blocks_) {
      const double rate = rate_of(room);
      if (rate > 0 && (least < 0 || b.turns / rate < least)) least = b.turns / rate;
    }
    return least;
  }
  // So many cycles pass; the blocks that have ended.
  std::vector<std::size_t> pass(double cycles) {
    double room = 1;
    std::vector<std::size_t> ended;
    for (Resident& b : blocks_)
      if ((b.turns -= cycles * rate_of(room)) <= kEmpty) ended.push_back(b.block);
    std::erase_if(blocks_, [](const Resident& b) { return b.turns <= kEmpty; });
    return ended;
  }

 private:
  struct Resident {
    std::size_t block;
    double turns;
  };
  // Turns per cycle of the next block in the order of their coming, from what the ones before it leave.
  double rate_of(double& room) const {
    const double rate = std::min(1 / turn_.latency, room / (warps_ * turn_.issue));
    room = std::max(0.0, room - rate * warps_ * turn_.issue);
    return room < 1e-9 && rate < 1e-12 ? 0 : rate;
  }
  TurnCost turn_;
  double warps_;  // of a block, on each scheduler; of one warp a quarter, on the average
  std::vector<Resident> blocks_;
};

}  // namespace

std::optional<Placement> modelled_placement(const Gpu& gpu, const PlacementSetting& setting) {
  const int fit = resident_blocks(gpu, setting.needs).blocks;
  if (fit < 1 || setting.turns.empty()) return {};
  const double ns = 1e9 / gpu.fp32.clock_hz;
  std::vector<ModelledSm> sms(std::size_t(gpu.multiprocessors), ModelledSm(gpu, setting));
  std::vector<double> now(sms.size());  // of each SM, cycles
  Placement placement;
  placement.blocks.resize(setting.turns.size());
  std::size_t next = 0;
  const auto start = [&](std::size_t sm) {
    placement.blocks[next].sm = int(sm), placement.blocks[next].begin = std::int64_t(now[sm] * ns + 0.5);
    sms[sm].begin(next, double(setting.turns[next]));
    ++next;
  };
  for (int round = 0; round < fit; ++round)
    for (std::size_t sm = 0; sm < sms.size() && next < setting.turns.size(); ++sm) start(sm);
  using End = std::pair<double, std::size_t>;  // cycle, SM
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  for (std::size_t sm = 0; sm < sms.size(); ++sm)
    if (sms[sm].resident() > 0) ends.push({sms[sm].until_end(), sm});
  while (!ends.empty()) {
    const auto [cycle, sm] = ends.top();
    ends.pop();
    const auto ended = sms[sm].pass(cycle - now[sm]);
    now[sm] = cycle;
    for (const std::size_t block : ended) placement.blocks[block].end = std::int64_t(cycle * ns + 0.5);
    for (std::size_t i = 0; i < ended.size() && next < setting.turns.size(); ++i) start(sm);
    if (sms[sm].resident() > 0) ends.push({cycle + sms[sm].until_end(), sm});
  }
  return placement;
}

}  // namespace lockstep
