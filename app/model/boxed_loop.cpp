#include "boxed_loop.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

#include "units.hpp"

namespace lockstep {
namespace {

// Where a step stands: tile t is waited for at 2 t and multiplied at 2 t + 1.
constexpr int kMostTilesOfC = 16;       // of a block; it is not followed further
constexpr double kBehindStores = 0.95;  // after the last tile
constexpr double kBeforeAll = -1, kFirstBarrier = -0.5, kPrologue = -0.25;
double wait_place(int trip) { return 2.0 * trip; }
double multiply_place(int trip) { return 2.0 * trip + 1; }

struct Arrival {
  std::uint32_t position = 0;  // in the thread's stream
  std::uint16_t view = 0;
  std::uint32_t index = 0;  // of the barrier in its array
};

// What one thread did, as far as barriers order it.
struct Thread {
  std::vector<Arrival> full_waits, empty_waits, asks, returns;
  std::vector<std::uint32_t> works;     // positions of products and of loads of shared memory
  std::vector<std::uint32_t> barriers;  // and of __syncthreads()
  std::vector<std::uint32_t> stores;    // to global memory, by itself or by the copy engine
};

template <class T>
int before(const std::vector<T>& all, std::uint32_t position) {
  const auto less = [](const T& a, std::uint32_t p) {
    if constexpr (std::is_same_v<T, Arrival>)
      return a.position < p;
    else
      return a < p;
  };
  return int(std::lower_bound(all.begin(), all.end(), position, less) - all.begin());
}

class Threads {
 public:
  explicit Threads(const BlockTrace& trace) {
    const std::size_t count = trace.begin.empty() ? 0 : trace.begin.size() - 1;
    all_.resize(count);
    for (std::size_t t = 0; t < count; ++t) find_full(trace, t);
    for (std::size_t t = 0; t < count; ++t) read(trace, t);
  }
  const Thread& of(std::size_t thread) const { return all_.at(thread); }
  std::size_t count() const { return all_.size(); }

 private:
  static std::span<const Access> events(const BlockTrace& trace, std::size_t t) {
    return {trace.events.data() + trace.begin[t], trace.events.data() + trace.begin[t + 1]};
  }
  void find_full(const BlockTrace& trace, std::size_t t) {
    int arrived = -1;
    for (const Access& a : events(trace, t)) {
      if (a.kind == Kind::arrive) arrived = a.view;
      if (a.kind == Kind::box_target && arrived >= 0) full_.insert(std::uint16_t(arrived));
    }
  }
  void read(const BlockTrace& trace, std::size_t t) {
    Thread& thread = all_[t];
    std::uint32_t position = 0;
    for (const Access& a : events(trace, t)) {
      const bool full = full_.contains(a.view);
      const Arrival at{position, a.view, a.offset / 8};
      if (a.kind == Kind::await_phase) (full ? thread.full_waits : thread.empty_waits).push_back(at);
      if (a.kind == Kind::arrive) (full ? thread.asks : thread.returns).push_back(at);
      if (is_product(a.kind) || (a.kind == Kind::load && a.view >= kFirstSharedView))
        thread.works.push_back(position);
      if (a.kind == Kind::barrier) thread.barriers.push_back(position);
      if (a.kind == Kind::store_source || (a.kind == Kind::store && a.view < kFirstSharedView))
        thread.stores.push_back(position);
      ++position;
    }
  }
  std::set<std::uint16_t> full_;
  std::vector<Thread> all_;
};

std::size_t first_thread(const WarpInstruction& i) {
  return i.warp * kWarpSize + std::size_t(std::countr_zero(i.lanes | 1u << 31));
}

// What becomes one coarse step.
struct Bucket {
  Role role = Role::load;
  int trip = -1, freed = -1;
  double place = 0;
  int asks = -1;  // the trip that is asked for, or made room for
  int tile_of_c = -1;
  std::vector<Step> parts;
};
using BucketKey = std::tuple<Role, int, int>;  // role, trip or interval, which kind of wait

class BoxedGrouping {
 public:
  BoxedGrouping(const std::vector<Step>& fine, const Launch& launch, int index)
      : threads_(launch.trace), launch_(index) {
    find_buffers();
    find_tiles_of_c();
    find_returns();
    for (const Step& step : fine)
      if (step.launch == index) add(step);
    add_waits(launch.trace);
  }

  void append_to(LoopAxis& axis) {
    std::vector<Bucket*> in_order;
    for (auto& [key, bucket] : buckets_)
      if (bucket.tile_of_c < kMostTilesOfC && tile_of_c(bucket.asks) < kMostTilesOfC)
        in_order.push_back(&bucket);
    const auto order = [](const Bucket* b) { return std::tuple(b->place, b->asks, b->role == Role::load); };
    std::stable_sort(in_order.begin(), in_order.end(),
                     [&](const Bucket* a, const Bucket* b) { return order(a) < order(b); });
    // Where blocks of a cluster wait for each other at their end nothing is shown any more.
    const auto last_store = std::find_if(in_order.rbegin(), in_order.rend(),
                                         [](const Bucket* b) { return b->role == Role::store; });
    if (last_store != in_order.rend()) in_order.erase(last_store.base(), in_order.end());
    const int first_trip = int(axis.trips.size());
    int trips = 0;
    for (const Bucket* bucket : in_order) trips = std::max({trips, bucket->trip + 1, bucket->freed + 1});
    axis.trips.resize(std::size_t(first_trip + trips));
    for (int t = 0; t < trips; ++t) {
      Trip& trip = axis.trips[std::size_t(first_trip + t)];
      trip.async = true, trip.tile_of_c = tile_of_c(t);
    }
    for (const Bucket* bucket : in_order) append(axis, *bucket, first_trip);
  }

 private:
  // Tile t is the t-th that is asked for; it goes to the buffer of the barrier that counts its bytes.
  void find_buffers() {
    for (std::size_t t = 0; t < threads_.count(); ++t)
      for (const Arrival& ask : threads_.of(t).asks) buffer_of_.push_back(ask.index);
  }
  int trip_before(int trip, std::uint32_t buffer) const {
    for (trip = std::min(trip, int(buffer_of_.size())) - 1; trip >= 0; --trip)
      if (buffer_of_[std::size_t(trip)] == buffer) return trip;
    return -1;
  }
  // A block may make one tile of C after another: where a thread stores between two waits the second one's
  // trip is the first of the next tile.
  void find_tiles_of_c() {
    for (std::size_t t = 0; t < threads_.count(); ++t) {
      const Thread& thread = threads_.of(t);
      for (std::size_t k = 1; k < thread.full_waits.size(); ++k)
        if (before(thread.stores, thread.full_waits[k].position) >
            before(thread.stores, thread.full_waits[k - 1].position))
          first_of_tile_.push_back(int(k));
    }
    std::sort(first_of_tile_.begin(), first_of_tile_.end());
    first_of_tile_.erase(std::unique(first_of_tile_.begin(), first_of_tile_.end()), first_of_tile_.end());
  }
  int tile_of_c(int trip) const {
    return int(std::upper_bound(first_of_tile_.begin(), first_of_tile_.end(), trip) - first_of_tile_.begin());
  }
  // Behind which place everybody has given the buffer of a tile back.
  void find_returns() {
    for (std::size_t t = 0; t < threads_.count(); ++t) {
      const Thread& thread = threads_.of(t);
      for (const Arrival& back : thread.returns) {
        const int waited = before(thread.full_waits, back.position), trip = trip_before(waited, back.index);
        if (trip < 0) continue;
        double& place = returned_.try_emplace(trip, kBeforeAll).first->second;
        place = std::max(place, multiply_place(waited - 1));
      }
    }
  }

  // Behind what a thread has waited for, and whether it has worked with it already.
  double place_in(const Thread& thread, std::uint32_t position) const {
    const int waited = before(thread.full_waits, position);
    if (waited == 0)
      return thread.barriers.empty() || before(thread.barriers, position) == 0 ? kBeforeAll : kPrologue;
    const std::uint32_t since = thread.full_waits[std::size_t(waited - 1)].position;
    const bool worked = before(thread.works, position) > before(thread.works, since);
    return worked ? multiply_place(waited - 1) + 0.5 : wait_place(waited - 1) + 0.5;
  }
  double load_place(const Thread& thread, std::uint32_t position, int trip) const {
    double place = place_in(thread, position);
    if (!thread.full_waits.empty()) return place;
    const auto back = returned_.find(trip_before(trip, buffer_of_[std::size_t(trip)]));
    return back == returned_.end() ? place : std::max(place, back->second + 0.25);
  }

  // The tile that a thread has waited for last.
  static int waited_at(const Thread& thread, std::uint32_t position) {
    return std::max(0, before(thread.full_waits, position) - 1);
  }

  Bucket& bucket(Role role, int trip, int number, int kind, double place) {
    const auto [at, fresh] = buckets_.try_emplace(BucketKey{role, number, kind});
    Bucket& found = at->second;
    if (fresh) found.role = role, found.trip = trip, found.place = place;
    return found;
  }

  void add(const Step& step) {
    const WarpInstruction& i = step.instruction;
    if (first_thread(i) >= threads_.count()) return;
    const Thread& thread = threads_.of(first_thread(i));
    const int waited = before(thread.full_waits, i.position);
    if (step.barrier) {
      Bucket& b = bucket(Role::wait, -1, int(step.interval), 2, kFirstBarrier);
      for (std::size_t t = 0; t < threads_.count(); t += kWarpSize) {
        const Thread& other = threads_.of(t);
        if (step.interval >= other.barriers.size()) continue;
        const std::uint32_t at = other.barriers[step.interval];
        if (before(other.full_waits, at) > 0) b.place = std::max(b.place, place_in(other, at) - 0.1);
        if (before(other.stores, at) > 0)
          b.place = std::max(b.place, kBehindStores + multiply_place(waited_at(other, at)));
      }
      b.parts.push_back(step);
    } else if (is_box(i.kind)) {
      const int trip = before(thread.asks, i.position) - 1;
      if (trip < 0 || trip >= int(buffer_of_.size())) return;
      Bucket& b = bucket(Role::load, trip, trip, 0, load_place(thread, i.position, trip));
      b.asks = trip;
      b.parts.push_back(step);
    } else if (i.view >= kFirstSharedView && reads(i.kind) && !is_box_store(i.kind) && waited > 0) {
      Bucket& b = bucket(Role::multiply, waited - 1, waited - 1, 0, multiply_place(waited - 1));
      b.tile_of_c = tile_of_c(waited - 1);
      b.parts.push_back(step);
    } else {
      const int last = std::max(0, waited - 1);
      Bucket& b = bucket(Role::store, -1, waited, 0, multiply_place(last) + 0.9);
      b.tile_of_c = tile_of_c(last);
      b.parts.push_back(step);
    }
  }

  // The waits at barriers in shared memory; of a buffer that was never filled before nobody waits for a
  // return.
  void add_waits(const BlockTrace& trace) {
    for (std::size_t t = 0; t < threads_.count(); ++t) {
      const Thread& thread = threads_.of(t);
      const bool first_of_warp = t % kWarpSize == 0;
      for (std::size_t k = 0; first_of_warp && k < thread.full_waits.size() && k < buffer_of_.size(); ++k)
        add_full_wait(int(k), wait_step(trace, t, thread.full_waits[k].position));
      for (const Arrival& wait : thread.empty_waits) {
        const int trip = before(thread.asks, wait.position), freed = trip_before(trip, wait.index);
        if (freed < 0 || trip >= int(buffer_of_.size())) continue;
        Bucket& b = bucket(Role::wait, -1, trip, 1, load_place(thread, wait.position, trip));
        b.freed = freed, b.asks = trip;
        b.parts.push_back(wait_step(trace, t, wait.position));
      }
    }
  }
  void add_full_wait(int trip, const Step& wait) {
    Bucket& b = bucket(Role::wait, trip, trip, 0, wait_place(trip));
    b.tile_of_c = tile_of_c(trip);
    b.parts.push_back(wait);
  }
  Step wait_step(const BlockTrace& trace, std::size_t thread, std::uint32_t position) const {
    const Access& a = trace.events[trace.begin[thread] + position];
    Step step;
    step.launch = launch_, step.barrier = true;
    WarpInstruction& i = step.instruction;
    i.warp = std::uint32_t(thread / kWarpSize), i.lanes = 1u << thread % kWarpSize, i.position = position;
    i.file = a.file, i.line = a.line, i.view = a.view, i.width = a.width, i.kind = a.kind;
    i.offset[thread % kWarpSize] = a.offset;
    return step;
  }

  void append(LoopAxis& axis, const Bucket& bucket, int first_trip) {
    const int index = int(axis.steps.size());
    const auto trip_of = [&](int trip) { return trip < 0 ? -1 : first_trip + trip; };
    Step step = bucket.parts.front();
    step.barrier = bucket.role == Role::wait;
    step.first_part = std::uint32_t(axis.parts.size()), step.part_count = std::uint32_t(bucket.parts.size());
    StepGroup group;
    group.role = bucket.role, group.trip = trip_of(bucket.trip), group.freed = trip_of(bucket.freed);
    group.tile_of_c = bucket.tile_of_c;
    for (const Step& part : bucket.parts)
      axis.parts.push_back(part), group.lines.push_back(part.instruction.line);
    std::sort(group.lines.begin(), group.lines.end());
    group.lines.erase(std::unique(group.lines.begin(), group.lines.end()), group.lines.end());
    if (group.trip >= 0) {
      Trip& trip = axis.trips[std::size_t(group.trip)];
      if (group.role == Role::load) trip.load_step = index;
      if (group.role == Role::wait) trip.arrival_step = index;
      if (group.role == Role::multiply) trip.multiply_step = index;
    }
    if (group.role == Role::multiply)
      for (const auto& [trip, place] : returned_)
        if (place == bucket.place && std::size_t(first_trip + trip) < axis.trips.size())
          axis.trips[std::size_t(first_trip + trip)].return_step = index;
    axis.steps.push_back(step);
    axis.groups.push_back(std::move(group));
  }

  Threads threads_;
  int launch_ = 0;
  std::vector<std::uint32_t> buffer_of_;  // by tile
  std::vector<int> first_of_tile_;        // trips that begin a tile of C behind the first one
  std::map<int, double> returned_;        // by tile
  std::map<BucketKey, Bucket> buckets_;
};

}  // namespace

bool has_boxes(const Launch& launch) {
  return std::any_of(launch.trace.events.begin(), launch.trace.events.end(),
                     [](const Access& a) { return a.kind == Kind::box_target; });
}

void group_boxed(const std::vector<Step>& fine, const std::vector<Launch>& launches, LoopAxis& axis) {
  axis.coarse = true;
  for (std::size_t l = 0; l < launches.size(); ++l) BoxedGrouping(fine, launches[l], int(l)).append_to(axis);
}

}  // namespace lockstep
