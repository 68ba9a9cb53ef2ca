#include "grid.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <random>
#include <unordered_map>

#include "turns.hpp"
#include "workers.hpp"

namespace lockstep::simt {
namespace {

constexpr int kMostCollisions = 4;          // of rounds, until a launch goes on in order
constexpr std::size_t kMostPerThread = 16;  // blocks of a round
// What the slots of two rounds may hold together; events of a round (half a second of one core), so that
// progress is seen.
constexpr std::size_t kMostRoundBytes = std::size_t{512} << 20, kMostRoundEvents = std::size_t{1} << 24;
// Events of a block that runs beside others: more than the largest one before it by this factor, and it is
// given up, for it may wait for what an earlier block is going to write.
constexpr std::uint64_t kMostEventsApart = std::uint64_t{1} << 20, kMostGrowth = 4;

// Of a wave: its blocks, and the stacks that they take.
constexpr std::int64_t kMostInWave = 16, kMostThreadsInWave = 16384;
constexpr int kMostIdleRounds = 1000;  // in which no block of a wave passes a barrier or ends

using Views = std::bitset<kFirstSharedView>;

// What the blocks of a round have written so far, byte by byte.
class Written {
 public:
  void add(const FoldedBlock& block, const Views& views) {
    each(block, views, &hands_on, [this](std::uint64_t line, std::uint32_t at, std::uint32_t bytes) {
      Line& l = lines_[line];
      for (std::uint32_t b = at; b < at + bytes; ++b) l[b / 64] |= std::uint64_t{1} << b % 64;
      return true;
    });
  }
  bool is_read_by(const FoldedBlock& block, const Views& views) const {
    return !each(block, views, &takes_up, [this](std::uint64_t line, std::uint32_t at, std::uint32_t bytes) {
      const auto known = lines_.find(line);
      if (known == lines_.end()) return true;
      for (std::uint32_t b = at; b < at + bytes; ++b)
        if (known->second[b / 64] >> b % 64 & 1) return false;
      return true;
    });
  }

 private:
  using Line = std::array<std::uint64_t, 2>;  // a bit for each of 128 bytes
  // A reduction hands nothing to its block: it is put in place as a change.
  static bool takes_up(Kind kind) { return reads(kind) && kind != Kind::reduction; }
  static bool hands_on(Kind kind) { return writes(kind); }
  // Calls f(line, first byte, bytes) for what the block's lanes touched, until it returns false.
  template <class F>
  static bool each(const FoldedBlock& block, const Views& views, bool (*wanted)(Kind), F f) {
    for (const GlobalAccess& a : block.global) {
      if (!views[a.view] || !wanted(a.kind)) continue;
      const auto lanes = std::uint32_t(std::popcount(a.lanes));
      for (std::uint32_t k = 0; k < lanes; ++k)
        for (std::uint32_t at = block.offsets[a.first + k], rest = a.width; rest;) {
          const std::uint32_t bytes = std::min(rest, 128 - at % 128);
          if (!f(std::uint64_t{a.view} << 32 | at / 128, at % 128, bytes)) return false;
          at += bytes, rest -= bytes;
        }
    }
    return true;
  }
  std::unordered_map<std::uint64_t, Line> lines_;
};

bool same_arrays(const std::vector<SharedDeclaration>& a, const std::vector<SharedDeclaration>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.view == y.view; });
}

// Blocks first, first + 1, ... of a launch, under way together.
class Wave final : public Turns {
 public:
  Wave(std::span<const std::unique_ptr<Machine>> machines, std::int64_t first, int cluster,
       std::mt19937& random)
      : Turns(machines.size()),
        machines_(machines),
        ran_(machines.size(), false),
        first_(first),
        random_(random) {
    std::vector<Machine*> together;
    for (std::size_t m = 0; m < machines_.size(); ++m) {
      const std::size_t rank = m % std::size_t(cluster);
      if (rank == 0) {
        together.clear();
        for (std::size_t k = m; k < m + std::size_t(cluster); ++k) together.push_back(machines_[k].get());
      }
      machines_[m]->run_in(this);
      machines_[m]->join(together, rank);
    }
  }
  ~Wave() override {
    for (const auto& machine : machines_) machine->run_in(nullptr), machine->join({}, 0);
  }
  // Whether the block came to its end.
  bool ran(std::size_t member) const { return ran_[member]; }

 private:
  void body(std::size_t m) override { ran_[m] = machines_[m]->run(first_ + std::int64_t(m)); }
  void begin_round(std::vector<std::size_t>& order) override {
    for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random_() % k]);
  }
  bool end_round(std::size_t left) override {
    std::uint64_t passed = machines_.size() - left;
    for (const auto& machine : machines_) passed += machine->progress();
    idle_ = passed == std::exchange(passed_, passed) ? idle_ + 1 : 0;
    return idle_ < kMostIdleRounds;
  }
  void give_up() override { machine->refuse_waiting(); }

  std::span<const std::unique_ptr<Machine>> machines_;
  std::vector<char> ran_;
  std::int64_t first_;
  std::mt19937& random_;
  std::uint64_t passed_ = 0;
  int idle_ = 0;
};

}  // namespace

// What a block leaves behind until its turn has come and everything of it is where it belongs.
struct Grid::Slot {
  bool ended = false;  // else given up
  FoldedBlock folded;
  std::vector<Write> writes;
  BlockNotes notes;
  std::vector<SharedDeclaration> declared;
  SharedViews views;
  SourceFiles files;
  std::uint64_t most_events = 0, most_copies = 0;
  Views reads, writes_to;

  void take(Machine& machine, BlockFold* fold, std::int64_t block) {
    for (const auto& stream : machine.streams())
      most_events = std::max<std::uint64_t>(most_events, stream.size());
    for (const auto& stream : machine.copies())
      most_copies = std::max<std::uint64_t>(most_copies, stream.size());
    if (fold)
      fold->fold(block, machine.streams(), machine.copies(), machine.shared_bytes(), folded);
    else
      for (const auto& stream : machine.streams()) folded.accesses += stream.size();
    for (const GlobalAccess& a : folded.global) {
      if (lockstep::reads(a.kind)) reads.set(a.view);
      if (lockstep::writes(a.kind)) writes_to.set(a.view);
    }
    notes = machine.take_notes();
    declared = machine.declared(), views = machine.shared_views(), files = machine.source_files();
  }
  void clear() {
    ended = false, writes.clear(), most_events = most_copies = 0;
    folded.clear();
    reads.reset(), writes_to.reset();
  }
  std::size_t bytes() const {
    return folded.requests.size() * sizeof(L2Request) + folded.global.size() * sizeof(GlobalAccess) +
           folded.offsets.size() * 4 + writes.size() * sizeof(Write) + 1024;
  }
};

Grid::Grid(Options options, int threads)
    : options_(std::move(options)),
      threads_(std::max(1, threads)),
      machines_(std::size_t(threads_)),
      turn_(std::make_unique<Slot>()) {
  machines_[0] = std::make_unique<Machine>(options_);
}

Grid::~Grid() = default;

bool Grid::launch(const Config& config, const std::function<void()>& kernel, GridFold* fold,
                  const OnBlock& on_block) {
  folds_.clear();
  if (fold) folds_.assign(std::size_t(threads_), BlockFold(*fold));
  begun_.assign(std::size_t(threads_), false);
  declared_.clear();
  largest_block_ = 0;
  if (!machines_[0]->begin_launch(config, kernel)) {
    told_.add(machines_[0]->take_notes());
    return false;
  }
  begun_[0] = true;
  const Running running{config, kernel, fold, on_block,
                        std::int64_t(config.grid.x) * config.grid.y * config.grid.z};
  if (config.cluster > 1 || (config.waits && running.blocks > 1 && options_.blocks.empty()))
    return in_waves(running);
  if (threads_ > 1 && running.blocks > 1 && fold && options_.trace && options_.blocks.empty())
    return beside_each_other(running);
  if (options_.blocks.empty()) {
    for (std::int64_t block = 0; block < running.blocks; ++block)
      if (!in_turn(running, block)) return false;
  } else {
    for (const std::int64_t block : options_.blocks)
      if (block < running.blocks && !in_turn(running, block)) return false;
  }
  return true;
}

// A block when all before it are done.
bool Grid::in_turn(const Running& running, std::int64_t block) {
  Machine& machine = *machines_[0];
  machine.adopt(declared_, views_, files_);
  turn_->clear();
  turn_->ended = machine.run(block);
  if (!turn_->ended) {
    refused_ = machine.refused();
    told_.add(machine.take_notes());
    return false;
  }
  turn_->take(machine, folds_.empty() ? nullptr : &folds_[0], block);
  declared_ = turn_->declared, views_ = turn_->views, files_ = turn_->files;
  return commit(running, *turn_);
}

bool Grid::in_waves(const Running& running) {
  const Extents& block = running.config.block;
  const std::int64_t threads = std::int64_t(block.x) * block.y * block.z;
  const std::int64_t cluster = running.config.cluster;
  const std::int64_t fit = std::clamp<std::int64_t>(kMostThreadsInWave / threads, 1, kMostInWave);
  const std::int64_t most =
      options_.blocks.empty() ? std::max(fit / cluster, std::int64_t{1}) * cluster : cluster;
  std::mt19937 random(20261126);
  for (auto& machine : wave_) machine->begin_launch(running.config, running.kernel);
  const auto wanted = [&](std::int64_t first) {
    return options_.blocks.empty() ||
           std::any_of(options_.blocks.begin(), options_.blocks.end(),
                       [&](std::int64_t b) { return b >= first && b < first + most; });
  };
  for (std::int64_t first = 0; first < running.blocks; first += most) {
    if (!wanted(first)) continue;
    const auto count = std::size_t(std::min(most, running.blocks - first));
    while (wave_.size() < count) {
      wave_.push_back(std::make_unique<Machine>(options_));
      wave_.back()->begin_launch(running.config, running.kernel);
    }
    const auto machines = std::span(wave_).first(count);
    for (const auto& machine : machines) machine->adopt(declared_, views_, files_);
    Wave wave(machines, first, running.config.cluster, random);
    wave.take();
    for (std::size_t m = 0; m < count; ++m)
      if (!wave.ran(m)) {
        refused_ = machines[m]->refused();
        told_.add(machines[m]->take_notes());
        return false;
      }
    for (std::size_t m = 0; m < count; ++m) {
      Machine& machine = *machines[m];
      turn_->clear();
      turn_->take(machine, folds_.empty() ? nullptr : &folds_[0], first + std::int64_t(m));
      // What the first of them declares the others declare as well, in the same order.
      if (m == 0) declared_ = turn_->declared, views_ = turn_->views;
      if (!same_arrays(declared_, turn_->declared) || !files_.take(turn_->files)) {
        refused_ = "shared arrays";
        return false;
      }
      if (!commit(running, *turn_)) return false;
    }
  }
  return true;
}

bool Grid::beside_each_other(const Running& running) {
  Slots round, before;
  std::size_t done_before = 0;  // slots of `before` whose turn has been, to be committed beside this round
  int collisions = 0;
  auto most = std::size_t(threads_);
  bool go_on = true;
  for (std::int64_t next = 0; next < running.blocks && go_on;) {
    const auto count = std::size_t(std::min<std::int64_t>(std::int64_t(most), running.blocks - next));
    while (round.size() < count) round.push_back(std::make_unique<Slot>());
    most_events_apart_ = std::min(std::max(kMostEventsApart, kMostGrowth * largest_block_),
                                  std::max(kMostEventsApart, kMaxBlockEvents / std::uint64_t(threads_)));
    for_each_item(int(count) + 1, threads_, [&](int worker, int item) {
      if (item == 0)
        go_on = commit(running, before, done_before);
      else
        run_apart(running, worker, next + item - 1, *round[std::size_t(item - 1)]);
    });
    if (!go_on) return false;
    done_before = put_in_place_in_order(round, count);
    std::swap(round, before);
    next += std::int64_t(done_before);
    most = std::min(2 * most, most_at_once(before, done_before));
    if (done_before == count) continue;
    go_on = commit(running, before, done_before);
    done_before = 0;
    most = std::size_t(threads_);
    const bool give_in = ++collisions == kMostCollisions;
    if (give_in) ++ran_in_order_;
    for (const std::int64_t end = give_in ? running.blocks : next + 1; next < end && go_on; ++next)
      go_on = in_turn(running, next);
  }
  return go_on && commit(running, before, done_before);
}

Machine& Grid::machine_of(const Running& running, int worker) {
  std::unique_ptr<Machine>& machine = machines_[std::size_t(worker)];
  if (!machine) machine = std::make_unique<Machine>(options_);
  if (!begun_[std::size_t(worker)]) machine->begin_launch(running.config, running.kernel);
  begun_[std::size_t(worker)] = true;
  return *machine;
}

void Grid::run_apart(const Running& running, int worker, std::int64_t block, Slot& slot) {
  Machine& machine = machine_of(running, worker);
  machine.adopt(declared_, views_, files_);
  slot.clear();
  slot.ended = machine.run(block, true, most_events_apart_);
  if (!slot.ended) return;
  slot.take(machine, &folds_[std::size_t(worker)], block);
  std::swap(slot.writes, machine.written());
}

// Returns how many blocks of the round may be taken as they are, and puts in place what they wrote.
std::size_t Grid::put_in_place_in_order(Slots& round, std::size_t count) {
  Views read, written;
  for (std::size_t i = 0; i < count; ++i) read |= round[i]->reads, written |= round[i]->writes_to;
  const Views both = read & written;
  const std::vector<SharedDeclaration> declared_at_first = declared_;
  Written before;
  for (std::size_t i = 0; i < count; ++i) {
    Slot& slot = *round[i];
    if (!slot.ended) return i;
    // In its turn it would have found the arrays that an earlier block of the round was the first to declare.
    if (!same_arrays(declared_, declared_at_first) &&
        !(same_arrays(declared_, slot.declared) && views_ == slot.views))
      return i;
    if (both.any() && before.is_read_by(slot.folded, both)) return i;
    if (!files_.take(slot.files)) return i;
    put_in_place(slot.writes);
    if (both.any()) before.add(slot.folded, both);
    declared_ = slot.declared, views_ = slot.views;
  }
  return count;
}

bool Grid::commit(const Running& running, Slots& round, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (!commit(running, *round[i])) return false;
  return true;
}

bool Grid::commit(const Running& running, Slot& slot) {
  told_.add(std::exchange(slot.notes, {}));
  most_events_ = std::max(most_events_, slot.most_events);
  most_copies_ = std::max(most_copies_, slot.most_copies);
  largest_block_ = std::max(largest_block_, slot.folded.accesses);
  accesses_ += slot.folded.accesses;
  if (running.fold) running.fold->add(slot.folded);
  return running.on_block();
}

std::size_t Grid::most_at_once(const Slots& round, std::size_t count) const {
  std::size_t bytes = 1, events = 1;
  for (std::size_t i = 0; i < count; ++i) {
    bytes = std::max(bytes, round[i]->bytes());
    events = std::max<std::size_t>(events, round[i]->folded.accesses);
  }
  const auto threads = std::size_t(threads_);
  return std::clamp(std::min(kMostRoundBytes / 2 / bytes, kMostRoundEvents / events), threads,
                    threads * kMostPerThread);
}

}  // namespace lockstep::simt
