#include "groups.hpp"

#include "boxed_loop.hpp"
#include "units.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

namespace lockstep {
namespace {

constexpr std::uint16_t kA = 0, kB = 1;

std::uint32_t first_thread(const WarpInstruction& i) {
  return i.warp * kWarpSize + std::uint32_t(std::countr_zero(i.lanes));
}

Role role_of(Kind kind, std::uint16_t view) {
  switch (kind) {
    case Kind::barrier:
      return Role::wait;
    case Kind::copy_issue:
    case Kind::copy_target:
      return Role::load;
    case Kind::load:
    case Kind::load_l2:
    case Kind::load_cluster:
      return view < kFirstSharedView ? Role::load : Role::multiply;
    default:
      return view < kFirstSharedView ? Role::store : Role::load;
  }
}

bool is_copy(Kind kind) { return kind == Kind::copy_issue || kind == Kind::copy_target; }

// What becomes one coarse step. Waits come last in their interval.
struct BucketKey {
  int launch = 0;
  std::uint32_t interval = 0;
  Role role = Role::load;
  std::uint32_t copy_group = 0;  // of copies; visits where there is no shared memory
  bool copies = false;
  auto operator<=>(const BucketKey&) const = default;
};
struct Bucket {
  BucketKey key;
  std::uint32_t position = UINT32_MAX;  // in the streams, counted from the interval's beginning
  std::vector<std::uint32_t> parts;     // of the fine axis
  auto order() const {
    return std::tuple(key.launch, key.interval, key.role == Role::wait, position, key.role, key.copy_group);
  }
};

// One thread's events: where its barrier intervals begin, and what its copies were.
class Streams {
 public:
  explicit Streams(const BlockTrace& trace) : trace_(trace), begins_(threads()) {
    for (std::size_t t = 0; t < threads(); ++t) {
      begins_[t].push_back(0);
      for (auto e = trace.begin[t]; e < trace.begin[t + 1]; ++e)
        if (trace.events[e].kind == Kind::barrier)
          begins_[t].push_back(std::uint32_t(e - trace.begin[t] + 1));
    }
  }
  std::uint32_t from_interval(const WarpInstruction& i) const {
    const std::uint32_t thread = first_thread(i);
    if (thread >= threads() || i.interval >= begins_[thread].size()) return i.position;
    return i.position - std::min(i.position, begins_[thread][i.interval]);
  }
  // The copy that an event of a thread belongs to: the last one issued up to there.
  const Copy* copy_at(std::uint32_t thread, std::uint32_t position) const {
    if (std::size_t(thread) + 1 >= trace_.copy_begin.size()) return nullptr;
    const auto begin = trace_.copies.begin() + std::ptrdiff_t(trace_.copy_begin[thread]),
               end = trace_.copies.begin() + std::ptrdiff_t(trace_.copy_begin[thread + 1]);
    const auto after = std::upper_bound(begin, end, position,
                                        [](std::uint32_t p, const Copy& copy) { return p < copy.issue; });
    return after == begin ? nullptr : &*(after - 1);
  }
  // Interval and event at a position; nothing behind the end.
  struct Place {
    std::uint32_t interval;
    const Access* access;
  };
  std::optional<Place> at(std::uint32_t thread, std::uint32_t position) const {
    if (thread >= threads() || trace_.begin[thread] + position >= trace_.begin[thread + 1]) return {};
    const auto& begins = begins_[thread];
    const auto after = std::upper_bound(begins.begin(), begins.end(), position);
    return Place{std::uint32_t(after - begins.begin() - 1), &trace_.events[trace_.begin[thread] + position]};
  }

 private:
  std::size_t threads() const { return trace_.begin.empty() ? 0 : trace_.begin.size() - 1; }
  const BlockTrace& trace_;
  std::vector<std::vector<std::uint32_t>> begins_;
};

// The launches that keep nothing: no barrier, no shared memory.
std::vector<bool> keep_nothing(const std::vector<Step>& fine, std::size_t launches) {
  std::vector<bool> nothing(launches, true);
  for (const Step& s : fine)
    if (s.barrier || s.instruction.view >= kFirstSharedView) nothing[std::size_t(s.launch)] = false;
  return nothing;
}

// The shared arrays of each launch that stand between the sums and C: first written behind the barrier
// interval in which A or B is read last.
std::set<std::pair<int, std::uint16_t>> staging_of(const std::vector<Step>& fine) {
  std::map<int, std::uint32_t> last_read;
  std::map<std::pair<int, std::uint16_t>, std::uint32_t> first_write;
  for (const Step& s : fine) {
    const WarpInstruction& i = s.instruction;
    if (s.barrier || !moves_data(i.kind)) continue;
    if (i.view < kFirstSharedView && reads(i.kind)) {
      std::uint32_t& last = last_read[s.launch];
      last = std::max(last, s.interval);
    } else if (i.view >= kFirstSharedView && !reads(i.kind)) {
      std::uint32_t& first = first_write.try_emplace({s.launch, i.view}, s.interval).first->second;
      first = std::min(first, s.interval);
    }
  }
  std::set<std::pair<int, std::uint16_t>> staging;
  for (const auto& [array, interval] : first_write)
    if (interval > last_read[array.first]) staging.insert(array);
  return staging;
}

class Grouping {
 public:
  Grouping(const std::vector<Step>& fine, const std::vector<Launch>& launches) : fine_(fine) {
    for (const Launch& launch : launches) streams_.emplace_back(launch.trace);
    straight_ = keep_nothing(fine_, launches.size());
    staging_ = staging_of(fine_);
  }

  void fill(LoopAxis& axis) {
    collect();
    axis.coarse = true;
    axis.parts.reserve(fine_.size());
    for (const Bucket& bucket : buckets_) append(axis, bucket);
    find_arrivals(axis);
    mark_flights(axis);
  }
  // Which trips are on their way behind each step, and which one a wait waits for.
  static void mark_flights(LoopAxis& axis) {
    for (int t = 0; t < int(axis.trips.size()); ++t) {
      const Trip& trip = axis.trips[std::size_t(t)];
      if (trip.arrival_step >= 0)
        if (StepGroup& group = axis.groups[std::size_t(trip.arrival_step)]; group.role == Role::wait)
          group.trip = t;
    }
    std::vector<std::vector<int>> leaves(axis.steps.size()), arrives(axis.steps.size());
    for (int t = 0; t < int(axis.trips.size()); ++t) {
      const Trip& trip = axis.trips[std::size_t(t)];
      const bool never = trip.arrival_step >= 0 && trip.arrival_step <= trip.load_step;
      if (!trip.async || trip.load_step < 0 || never) continue;
      leaves[std::size_t(trip.load_step)].push_back(t);
      if (trip.arrival_step > trip.load_step) arrives[std::size_t(trip.arrival_step)].push_back(t);
    }
    std::set<int> flying;
    for (std::size_t s = 0; s < axis.steps.size(); ++s) {
      flying.insert(leaves[s].begin(), leaves[s].end());
      for (int t : arrives[s]) flying.erase(t);
      if (!flying.empty())
        axis.groups[s].in_flight = {*flying.begin(), *flying.rbegin() - *flying.begin() + 1};
    }
  }

 private:
  BucketKey key_of(const Step& step) const {
    const WarpInstruction& i = step.instruction;
    BucketKey key{step.launch, step.interval, role_of(i.kind, i.view), 0, false};
    if (staging_.contains({step.launch, i.view})) {
      key.role = Role::store;
    } else if (straight_[std::size_t(step.launch)] && key.role == Role::load) {
      key.role = Role::multiply, key.copy_group = i.visit;
    } else if (is_copy(i.kind)) {
      const Copy* copy = streams_[std::size_t(step.launch)].copy_at(first_thread(i), i.position);
      key.copies = true, key.copy_group = copy ? copy->group : 0;
    }
    return key;
  }

  void collect() {
    std::map<BucketKey, std::size_t> known;
    for (std::uint32_t p = 0; p < fine_.size(); ++p) {
      const BucketKey key = key_of(fine_[p]);
      const auto [at, fresh] = known.emplace(key, buckets_.size());
      if (fresh) buckets_.push_back({key, UINT32_MAX, {}});
      Bucket& bucket = buckets_[at->second];
      bucket.parts.push_back(p);
      const auto& streams = streams_[std::size_t(fine_[p].launch)];
      bucket.position = std::min(bucket.position, streams.from_interval(fine_[p].instruction));
    }
    std::stable_sort(buckets_.begin(), buckets_.end(),
                     [](const Bucket& a, const Bucket& b) { return a.order() < b.order(); });
  }

  // The part whose line the step goes by: the first one, of a store the first that reaches C.
  std::uint32_t named_part(const Bucket& bucket) const {
    const auto reaches_c = [&](std::uint32_t p) { return fine_[p].instruction.view < kFirstSharedView; };
    const auto first = std::find_if(bucket.parts.begin(), bucket.parts.end(), reaches_c);
    return bucket.key.role == Role::store && first != bucket.parts.end() ? *first : bucket.parts.front();
  }

  void append(LoopAxis& axis, const Bucket& bucket) {
    const int index = int(axis.steps.size());
    Step step;
    step.launch = bucket.key.launch, step.interval = bucket.key.interval;
    step.barrier = bucket.key.role == Role::wait;
    step.instruction = fine_[named_part(bucket)].instruction;
    step.first_part = std::uint32_t(axis.parts.size()), step.part_count = std::uint32_t(bucket.parts.size());
    StepGroup group;
    group.role = bucket.key.role;
    for (std::uint32_t p : bucket.parts) {
      axis.parts.push_back(fine_[p]);
      group.lines.push_back(fine_[p].instruction.line);
    }
    std::sort(group.lines.begin(), group.lines.end());
    group.lines.erase(std::unique(group.lines.begin(), group.lines.end()), group.lines.end());
    step_of_[bucket.key] = index;
    axis.steps.push_back(step);
    const bool straight = straight_[std::size_t(step.launch)];
    if (group.role == Role::load || (straight && group.role == Role::multiply)) {
      group.trip = int(axis.trips.size());
      axis.trips.push_back(
          {{}, index, straight ? index : -1, straight ? index : -1, -1, bucket.key.copies, 0, {}});
    } else if (group.role == Role::multiply && multiplied_ < int(axis.trips.size())) {
      group.trip = multiplied_++;
      axis.trips[std::size_t(group.trip)].multiply_step = index;
    }
    axis.groups.push_back(std::move(group));
  }

  // A copy has arrived at the step of the first event behind its wait; other loads at the next barrier.
  void find_arrivals(LoopAxis& axis) const {
    for (Trip& trip : axis.trips) {
      if (trip.arrival_step >= 0) continue;
      if (trip.async) {
        trip.arrival_step = arrival(axis, axis.steps[std::size_t(trip.load_step)]);
        continue;
      }
      for (int s = trip.load_step + 1; s < int(axis.steps.size()) && trip.arrival_step < 0; ++s)
        if (axis.groups[std::size_t(s)].role == Role::wait || s == trip.multiply_step) trip.arrival_step = s;
    }
  }

  int arrival(const LoopAxis& axis, const Step& load) const {
    const Streams& streams = streams_[std::size_t(load.launch)];
    const WarpInstruction& first = axis.parts[load.first_part].instruction;
    const Copy* copy = streams.copy_at(first_thread(first), first.position);
    if (!copy || !copy->wait) return -1;
    const auto behind = streams.at(first_thread(first), copy->wait);
    if (!behind) return -1;
    BucketKey key{load.launch, behind->interval, role_of(behind->access->kind, behind->access->view), 0,
                  false};
    if (is_copy(behind->access->kind)) {
      const Copy* next = streams.copy_at(first_thread(first), copy->wait);
      key.copies = true, key.copy_group = next ? next->group : 0;
    }
    const auto step = step_of_.find(key);
    return step == step_of_.end() ? -1 : step->second;
  }

  const std::vector<Step>& fine_;
  std::vector<Streams> streams_;
  std::vector<bool> straight_;
  std::set<std::pair<int, std::uint16_t>> staging_;
  std::vector<Bucket> buckets_;
  std::map<BucketKey, int> step_of_;
  int multiplied_ = 0;
};

struct Bounds {
  std::int64_t first = INT64_MAX, last = -1;
  void add(std::int64_t a, std::int64_t b) { first = std::min(first, a), last = std::max(last, b); }
};

// Which k a load brings, and where in shared memory they go.
void find_places(LoopAxis& axis, Trip& trip, const std::vector<Launch>& launches) {
  if (trip.load_step < 0) return;
  Bounds k;
  std::map<std::uint16_t, Bounds> shared;
  for (const Step& part : axis.parts_of(trip.load_step)) {
    const WarpInstruction& i = part.instruction;
    const ViewInfo* view = launches[std::size_t(part.launch)].view(i.view);
    const std::uint64_t cols =
        view && view->shape.size() == 2 ? std::max<std::uint64_t>(1, view->shape[1]) : 1;
    const bool across =
        i.view == kA || (view && i.view == kB && stands_by_columns(*view));  // k along the rows
    const std::uint32_t bytes = view ? std::max<std::uint32_t>(1, view->element_bytes) : 1;
    for (std::uint32_t rest = i.lanes; rest; rest &= rest - 1) {
      const std::uint32_t from = i.offset[std::size_t(std::countr_zero(rest))], to = from + i.width - 1;
      if (i.view >= kFirstSharedView)
        shared[i.view].add(from, to);
      else if (across)
        k.add(std::int64_t(from / bytes % cols), std::int64_t(to / bytes % cols));
      else if (i.view == kB)
        k.add(std::int64_t(from / bytes / cols), std::int64_t(to / bytes / cols));
    }
  }
  if (k.last >= k.first) trip.k = {k.first, k.last - k.first + 1};
  for (const auto& [view, bounds] : shared)
    trip.targets.push_back({view, std::uint32_t(bounds.first), std::uint32_t(bounds.last)});
}

}  // namespace

// Roles by another name; a wait that no trip arrives at is a barrier.
LoopAxis::LoopAxis(const std::vector<Launch>& launches) {
  const std::vector<Step> fine = memory_steps(launches);
  if (std::any_of(launches.begin(), launches.end(), has_boxes)) {
    group_boxed(fine, launches, *this);
    Grouping::mark_flights(*this);
  } else {
    Grouping(fine, launches).fill(*this);
  }
  for (Trip& trip : trips) find_places(*this, trip, launches);
  find_tiles_of_c();
  std::int64_t multiplied = 0;  // the last k in the sums
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (s > 0 && tile_of_c(int(s)) != tile_of_c(int(s) - 1)) multiplied = 0;
    const StepGroup& group = groups[s];
    const Span k = group.trip >= 0 ? trips[std::size_t(group.trip)].k : Span{};
    begin_phase();
    switch (group.role) {
      case Role::load:
        add_step(steps[s].launch, "load", k.first);
        break;
      case Role::wait:
        group.trip >= 0    ? add_step(steps[s].launch, "wait", k.first)
        : group.freed >= 0 ? add_step(steps[s].launch, "free", trips[std::size_t(group.freed)].k.first)
                           : add_step(steps[s].launch, "barrier", multiplied);
        break;
      case Role::multiply:
        multiplied = std::max<std::int64_t>({multiplied, k.last(), 0});
        add_step(steps[s].launch, "multiply", multiplied);
        break;
      case Role::store:
        add_step(steps[s].launch, "store", 0);
        break;
    }
  }
}

SourceLines LoopAxis::lines(int step) const {
  return {steps.at(std::size_t(step)).instruction.file, groups[std::size_t(step)].lines};
}

// What brings data of the next tile, or waits for room for them, stands among the steps of the one at hand.
void LoopAxis::find_tiles_of_c() {
  for (const Trip& trip : trips) tiles_of_c_ = std::max(tiles_of_c_, trip.tile_of_c + 1);
  int tile = 0;
  for (const StepGroup& group : groups) {
    if (group.tile_of_c >= 0) tile = std::min(group.tile_of_c, tiles_of_c_ - 1);
    tile_of_step_.push_back(tile);
  }
}

std::int64_t k_done(const LoopAxis& axis, int step) {
  const int tile = axis.tile_of_c(step);
  std::int64_t done = 0;
  for (const Trip& trip : axis.trips)
    if (trip.tile_of_c == tile && trip.multiply_step >= 0 && trip.multiply_step <= step)
      done = std::max(done, trip.k.last() + 1);
  return done;
}

TripState state_of(const LoopAxis&, const Trip& trip, int step) {
  if (trip.load_step < 0 || step < trip.load_step) return TripState::ahead;
  if (step == trip.multiply_step) return TripState::in_use;
  if (trip.multiply_step >= 0 && step > trip.multiply_step) return TripState::used;
  return trip.arrival_step >= 0 && step >= trip.arrival_step ? TripState::resident : TripState::loading;
}

std::vector<TileBuffer> buffers_at(const LoopAxis& axis, int step) {
  std::map<std::uint32_t, TileBuffer> by_address;  // of the first view's place
  for (int t = 0; t < int(axis.trips.size()); ++t) {
    const Trip& trip = axis.trips[std::size_t(t)];
    if (trip.targets.empty()) continue;
    TileBuffer& buffer = by_address[trip.targets.front().first_byte];
    if (buffer.places.empty()) buffer.places = trip.targets;
    if (trip.load_step <= step) buffer.trip = t;
  }
  std::vector<TileBuffer> buffers;
  for (auto& [address, buffer] : by_address) buffers.push_back(std::move(buffer));
  return buffers;
}

std::int32_t Owners::of(std::int64_t row, std::int64_t col) const {
  row -= region.row, col -= region.col;
  if (row < 0 || col < 0 || row >= region.rows || col >= region.cols) return -1;
  return thread[std::size_t(row * region.cols + col)];
}

std::int64_t Owners::elements_of_thread(std::int32_t wanted) const {
  return std::count(thread.begin(), thread.end(), wanted);
}

namespace {

// Sums on their way to C through shared memory: of what a box takes there it is known who put it there.
class StagedSums {
 public:
  void take(const WarpInstruction& i) {
    if (i.kind == Kind::store_source) boxes_[{i.warp, i.position, piece_of(i)}] = {i.view, i.offset};
    if (i.kind != Kind::store || i.view < kFirstSharedView) return;
    for (std::uint32_t rest = i.lanes; rest; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      for (std::uint32_t b = 0; b < i.width; b += 4)
        owner_[{i.view, (i.offset[std::size_t(lane)] + b) / 4}] = std::int32_t(i.warp * kWarpSize) + lane;
    }
  }
  // Of the word at `byte` of the 16 bytes that this lane of the box's piece writes; -1 = nobody known.
  std::int32_t owner(const WarpInstruction& target, std::size_t lane, std::uint32_t byte) const {
    const auto box = boxes_.find({target.warp, target.position + 1, piece_of(target)});  // its other half
    if (box == boxes_.end()) return -1;
    const auto known = owner_.find({box->second.view, (box->second.offset[lane] + byte) / 4});
    return known == owner_.end() ? -1 : known->second;
  }

 private:
  struct Source {
    std::uint16_t view = 0;
    std::array<std::uint32_t, kWarpSize> offset{};
  };
  static std::uint32_t piece_of(const WarpInstruction& i) { return i.visit % kPiecesOfUnit; }
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Source> boxes_;  // by warp, event, piece
  std::map<std::pair<std::uint16_t, std::uint32_t>, std::int32_t> owner_;            // by array and word
};

// The elements of C that a step writes.
template <class F>
void each_written(const LoopAxis& axis, int step, const ViewInfo& c, F&& f) {
  for (const Step& part : axis.parts_of(step)) {
    const WarpInstruction& i = part.instruction;
    if (i.view != c.id) continue;
    for (std::uint32_t rest = i.lanes; rest; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const std::int64_t first = i.offset[std::size_t(lane)] / c.element_bytes;
      for (std::int64_t e = first; e < first + i.width / c.element_bytes; ++e) f(i, lane, e, e - first);
    }
  }
}

std::vector<int> stores_of_tile(const LoopAxis& axis, int tile_of_c) {
  std::vector<int> stores;
  for (int s = 0; s < int(axis.groups.size()); ++s)
    if (axis.groups[std::size_t(s)].role == Role::store && axis.tile_of_c(s) == tile_of_c)
      stores.push_back(s);
  return stores;
}

Region region_written(const LoopAxis& axis, const std::vector<int>& stores, const ViewInfo& c) {
  const auto cols = std::int64_t(c.shape.back());
  Bounds down, across;
  for (const int s : stores)
    each_written(axis, s, c, [&](const WarpInstruction&, int, std::int64_t e, std::int64_t) {
      down.add(e / cols, e / cols), across.add(e % cols, e % cols);
    });
  if (down.last < 0) return {};
  return {down.first, across.first, std::min(down.last - down.first + 1, kMostShown),
          std::min(across.last - across.first + 1, kMostShown)};
}

}  // namespace

Owners owners_of(const LoopAxis& axis, const BlockProgress& progress, const ViewInfo& c, int tile_of_c) {
  const std::vector<int> stores = stores_of_tile(axis, tile_of_c);
  Owners owners;
  owners.region = axis.tiles_of_c() > 1 ? region_written(axis, stores, c) : progress.region_touched(0, c);
  const std::size_t size = std::size_t(owners.region.rows * owners.region.cols);
  owners.thread.assign(size, -1), owners.writes.assign(size, 0);
  const auto cols = std::int64_t(c.shape.back());
  for (const int s : stores) {
    owners.step = s;
    StagedSums staged;
    for (const Step& part : axis.parts_of(s)) staged.take(part.instruction);
    each_written(axis, s, c, [&](const WarpInstruction& i, int lane, std::int64_t e, std::int64_t nth) {
      const std::int64_t row = e / cols - owners.region.row, col = e % cols - owners.region.col;
      if (row < 0 || col < 0 || row >= owners.region.rows || col >= owners.region.cols) return;
      const auto at = std::size_t(row * owners.region.cols + col);
      owners.thread[at] = i.kind == Kind::store_target
                              ? staged.owner(i, std::size_t(lane), std::uint32_t(nth) * c.element_bytes)
                              : std::int32_t(i.warp * kWarpSize) + lane;
      ++owners.writes[at];
    });
  }
  return owners;
}

}  // namespace lockstep
