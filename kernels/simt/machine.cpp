#include "machine.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "async_units.hpp"
#include "turns.hpp"

namespace lockstep::simt {
namespace {

constexpr std::size_t kWarp = 32;
constexpr std::size_t kFirstSlots = 64;  // events per thread before a buffer grows
constexpr int kMostInVain = 1000;
constexpr int kMaxCluster = 8;  // on every GPU that has them (CUDA C++ Programming Guide)

std::string n(std::int64_t x) { return std::to_string(x); }

}  // namespace

Machine::Machine(Options options)
    : options_(std::move(options)),
      fibers_(&Machine::carry, this),
      shared_(std::make_unique<std::uint8_t[]>(kMaxSharedBytes + 128)) {}

Machine::~Machine() = default;

bool Machine::refuse(const Config& c) {
  const std::int64_t threads = std::int64_t(c.block.x) * c.block.y * c.block.z;
  const std::int64_t blocks = std::int64_t(c.grid.x) * c.grid.y * c.grid.z;
  Message why;
  if (threads < 1 || threads > kMaxThreads)
    why = {"a block of {0} threads cannot be launched: 1 to {1} are possible", {n(threads), n(kMaxThreads)}};
  else if (blocks < 1)
    why = {"a grid of {0} blocks cannot be launched", {n(blocks)}};
  else if (c.dynamic_shared_bytes > kMaxSharedBytes)
    why = {"{0} bytes of shared memory per block cannot be launched: {1} are possible",
           {n(c.dynamic_shared_bytes), n(kMaxSharedBytes)}};
  else if (c.cluster < 1 || c.cluster > kMaxCluster || c.grid.x % c.cluster != 0)
    why = {
        "{0} blocks cannot be launched in clusters of {1}: 1 to {2} are possible, and the grid has to be a "
        "multiple",
        {n(c.grid.x), n(c.cluster), n(kMaxCluster)}};
  if (why.id.empty()) return false;
  find("launch", 0, 0, 0, why);
  return true;
}

// Thread slots and event buffers for blocks of this shape.
void Machine::prepare(const Config& c) {
  const std::size_t threads = std::size_t(c.block.x) * c.block.y * c.block.z;
  grid_dim = {unsigned(c.grid.x), unsigned(c.grid.y), unsigned(c.grid.z)};
  block_dim = {unsigned(c.block.x), unsigned(c.block.y), unsigned(c.block.z)};
  threads_.assign(threads, {});
  seen_.assign(threads * kWarp, 0);
  shuffles_.resize((threads + kWarp - 1) / kWarp);
  slots_.resize(std::max(slots_.size(), threads));
  for (std::size_t t = 0; t < threads; ++t) {
    Thread& thread = threads_[t];
    thread.linear = std::uint16_t(t);
    thread.index = {unsigned(t % block_dim.x), unsigned(t / block_dim.x % block_dim.y),
                    unsigned(t / block_dim.x / block_dim.y)};
    if (!slots_[t].events) slots_[t] = {std::make_unique<Access[]>(kFirstSlots), kFirstSlots};
  }
  dynamic_bytes_ = c.dynamic_shared_bytes;
  forget_arrays();
}

void Machine::forget_arrays() {
  arrays_.clear(), declared_.clear();
  shared_used_ = std::uint64_t(dynamic_bytes_ + 127) / 128 * 128;
  dynamic_cells_.assign(std::size_t(dynamic_bytes_ + 3) / 4, {});
}

// Room is counted per block, whatever earlier ones have left to the thread: when it ends does not depend on
// which machine ran which block.
void Machine::grow(Thread& thread) {
  const auto used = std::size_t(thread.next - thread.begin);
  if (slots_taken_ + used > most_events_) {
    if (apart_) give_up();
    notes_.overflowed = true;
    thread.next = thread.begin;
    return;
  }
  slots_taken_ += used;
  Slots& slots = slots_[thread.linear];
  if (slots.size < 2 * used) {
    auto larger = std::make_unique<Access[]>(2 * used);
    std::copy(thread.begin, thread.next, larger.get());
    slots = {std::move(larger), 2 * used};
  }
  thread.begin = slots.events.get(), thread.next = thread.begin + used, thread.end = thread.begin + 2 * used;
}

bool Machine::begin_launch(const Config& config, const std::function<void()>& kernel) {
  block_ = 0;
  if (refuse(config)) return false;
  prepare(config);
  kernel_ = &kernel;
  return true;
}

bool Machine::launch(const Config& config, const std::function<void()>& kernel, const OnBlock& on_block) {
  if (!begin_launch(config, kernel)) {
    told_.add(take_notes());
    return false;
  }
  const std::int64_t blocks = std::int64_t(config.grid.x) * config.grid.y * config.grid.z;
  const auto go_on = [&](std::int64_t block) {
    const bool ended = run(block);
    told_.add(take_notes());
    return ended && on_block(block, streams_, copies_);
  };
  if (options_.blocks.empty()) {
    for (std::int64_t b = 0; b < blocks; ++b)
      if (!go_on(b)) return false;
  } else {
    for (const std::int64_t b : options_.blocks)
      if (b < blocks && !go_on(b)) return false;
  }
  return true;
}

void Machine::begin_block(std::int64_t block) {
  block_ = block;
  block_index = {unsigned(block % grid_dim.x), unsigned(block / grid_dim.x % grid_dim.y),
                 unsigned(block / grid_dim.x / grid_dim.y)};
  block_epoch_ = ++epoch_;
  notes_ = {}, given_up_ = false, refused_.clear(), asked_in_vain_ = 0;
  aside_.clear();
  if (async_) async_->begin_block();
  // Shared memory holds no values when a block starts; NaN shows where a kernel reads it all the same.
  std::memset(shared_.get(), 0xff, shared_used_);
  in_a_row_ = !options_.trace && !options_.checks;
  if (in_a_row_ && !std::exchange(any_copies_, false)) return;
  for (Thread& t : threads_) {
    t.state = Thread::State::ready, t.waiting_line = 0, t.group = 0, t.fiber = -1, t.asked = nullptr;
    t.begin = t.next = slots_[t.linear].events.get(), t.end = t.begin + kFirstSlots;
    t.pending.clear(), t.copies.clear();
    t.forget_shuffles();
  }
  for (OpenShuffles& warp : shuffles_) warp.forget();
  slots_taken_ = threads_.size() * kFirstSlots;
}

bool Machine::run(std::int64_t block, bool apart, std::uint64_t most_events) {
  apart_ = apart, most_events_ = std::min(most_events, options_.max_block_events);
  begin_block(block);
  machine = this;
  run_threads();
  machine = nullptr, current = nullptr;
  ended_ = true;
  check_far_reads();
  if (async_ && !given_up_)
    async_->end_block();  // boxes that are still to be written wait for the block's turn, too
  apart_ = false;
  if (given_up_) return forget_given_up(), false;
  streams_.clear(), copies_.clear();
  if (!options_.trace && !options_.checks) return true;
  bool any_copies = false;
  for (Thread& t : threads_) {
    streams_.emplace_back(t.begin, t.next);
    any_copies |= !t.copies.empty();
  }
  if (any_copies)
    for (Thread& t : threads_) copies_.emplace_back(t.copies);
  return true;
}

// Cells and threads outlive the block: what was on its way to it when it was given up never comes, and nobody
// is ahead of anybody in the next one.
void Machine::forget_given_up() {
  for (Thread& t : threads_) t.forget_shuffles();
  for (Cell& cell : dynamic_cells_) cell.in_flight = false;
  for (const auto& array : arrays_)
    for (Cell& cell : array->own_cells) cell.in_flight = false;
}

// The threads of the block take turns by themselves; this stack is switched to when all have ended.
void Machine::run_threads() {
  warp_ = lane_ = 0;
  current = in_a_row_ ? threads_.data() : next_thread();
  if (in_a_row_) row_fiber_ = fibers_.take();
  fibers_.switch_to(in_a_row_ ? row_fiber_ : fiber_of(*current));
  if (given_up_) fibers_.drop();
}

int Machine::fiber_of(Thread& thread) {
  if (thread.fiber < 0) thread.fiber = fibers_.take();
  return thread.fiber;
}

// The thread whose turn is next: every warp runs until its threads have ended or stand at a barrier, then the
// next warp does. nullptr where the block has ended.
Thread* Machine::next_thread() {
  for (;;) {
    const std::size_t last = std::min(warp_ + kWarp, threads_.size());
    while (lane_ < last) {
      Thread& thread = threads_[lane_++];
      if (thread.state == Thread::State::ready) return &thread;
    }
    if (complete_collectives(warp_, last)) {
      lane_ = warp_;
      continue;
    }
    warp_ = lane_ = last;
    if (warp_ < threads_.size()) continue;
    warp_ = lane_ = 0;
    if (async_ && async_->wake()) continue;
    if (async_ && turns_ && async_->waits_for_cluster()) {
      turns_->leave();
      continue;
    }
    if (async_ && async_->complain_if_stuck()) give_up();
    if (!next_interval()) return nullptr;
  }
}

// Every thread has ended or stands at a barrier: those there go on. False: there are none.
bool Machine::next_interval() {
  const bool any = std::any_of(threads_.begin(), threads_.end(), [](const Thread& t) { return !t.done(); });
  if (any && options_.checks) check_barrier_round();
  if (any && async_ && options_.checks) async_->check_zero();
  for (Thread& t : threads_)
    if (!t.done()) t.state = Thread::State::ready, t.waiting_line = 0;
  ++epoch_;
  if (any && std::exchange(meets_cluster_, false))
    meet_cluster();
  else if (any && turns_)
    turns_->leave();
  return any;
}

// The running thread waits: straight to the next one, whose stack may be its own.
void Machine::leave() {
  Thread* const me = current;
  current = next_thread();
  if (current != me) fibers_.switch_to(current ? fiber_of(*current) : Fibers::kMain);
}

void Machine::carry(void* self) { static_cast<Machine*>(self)->carry_threads(); }

// What a fiber does: it runs the current thread, which has not begun, and hands itself on to the next one
// that has not. So threads without barriers take one fiber and no switch.
void Machine::carry_threads() {
  for (;;) {
    if (in_a_row_) {
      if (carry_in_a_row()) {
        if (!fibers_.park_for(Fibers::kMain)) return;
        continue;
      }
    } else {
      (*kernel_)();
    }
    const int mine = current->fiber;
    current->state = Thread::State::done, current->fiber = -1;
    current = next_thread();
    if (current && current->fiber < 0) {
      current->fiber = mine;
      continue;
    }
    if (!fibers_.park_for(current ? current->fiber : Fibers::kMain)) return;
  }
}

// From the current thread to the block's last. False where one of them waited: it has ended now, and the
// others are taken by their turns.
bool Machine::carry_in_a_row() {
  Thread* const end = threads_.data() + threads_.size();
  for (;;) {
    (*kernel_)();
    if (!in_a_row_) return false;
    if (++current == end) break;
  }
  current = nullptr;
  return true;
}

// The running thread is going to wait, or to ask for the others: those before it have ended, those behind it
// have not begun.
void Machine::take_turns() {
  if (!std::exchange(in_a_row_, false)) return;
  for (Thread& t : threads_) {
    t.state = &t < current ? Thread::State::done : Thread::State::ready;
    t.fiber = -1, t.waiting_line = 0;
    t.forget_shuffles();
  }
  for (OpenShuffles& warp : shuffles_) warp.forget();
  current->fiber = row_fiber_;
  lane_ = current->linear + 1u;
  warp_ = current->linear / kWarp * kWarp;
}

// The block ends here: its threads are left where they stand.
void Machine::give_up() {
  given_up_ = true;
  for (;;) fibers_.switch_to(Fibers::kMain);
}

void Machine::barrier(const char* file, int line) {
  take_turns();
  Thread& me = *current;
  if (options_.trace) record({0, 0, 0, file_id_of(file), std::uint16_t(line), 0, 0, Kind::barrier});
  if (threads_.size() == 1) {
    ++epoch_;
    if (std::exchange(meets_cluster_, false)) meet_cluster();
    return;
  }
  me.waiting_line = std::uint16_t(line);
  me.state = Thread::State::at_barrier;
  leave();
}

std::uint64_t Machine::progress() const { return epoch_ + (async_ ? async_->phases_ended() : 0); }

AsyncUnits& Machine::async() {
  meet_others();
  if (!async_) async_ = std::make_unique<AsyncUnits>(*this);
  return *async_;
}

void Machine::print(std::string_view text) {
  meet_others();
  notes_.printed += text.substr(0, kMaxPrinted - std::min(kMaxPrinted, notes_.printed.size()));
}

void Machine::refuse_waiting() {
  if (async_ && async_->complain_if_stuck()) give_up();
  refuse_waiting("volatile");
}

void Machine::refuse_waiting(const char* name) {
  refused_ = name;
  give_up();
}

bool Machine::asks_again(const void* address) {
  const std::ptrdiff_t at = current->next - current->begin;
  const bool again = current->asked == address && current->asked_at == at;
  current->asked = address, current->asked_at = options_.trace ? at + !again : at;
  if (!again) return false;
  take_turns();
  if (turns_)
    turns_->leave();
  else if (++asked_in_vain_ == kMostInVain)
    refuse_waiting("volatile");
  return true;
}

// Some thread waits at a barrier: all of them have to, and at the same one.
void Machine::check_barrier_round() {
  const Thread* waiting = nullptr;
  for (const Thread& t : threads_)
    if (!t.done()) {
      waiting = &t;
      break;
    }
  for (const Thread& t : threads_) {
    if (!t.done() && t.waiting_line == waiting->waiting_line) continue;
    const Message what =
        t.done()
            ? Message{"thread {0} ended without reaching the barrier at line {1}, where thread {2} waits",
                      {n(t.linear), n(waiting->waiting_line), n(waiting->linear)}}
            : Message{"thread {0} waits at the barrier at line {1}, thread {2} at another one at line {3}",
                      {n(waiting->linear), n(waiting->waiting_line), n(t.linear), n(t.waiting_line)}};
    find("barrier_divergence", waiting->linear, waiting->waiting_line, last_file_, what, t.linear,
         t.waiting_line);
    return;
  }
}

void Machine::adopt(const std::vector<SharedDeclaration>& declared, const SharedViews& views,
                    const SourceFiles& files) {
  if (!(files_ == files)) files_ = files, paths_.clear(), last_path_ = nullptr;
  const auto same = [](const SharedDeclaration& a, const SharedDeclaration& b) { return a.view == b.view; };
  if (views_ == views &&
      std::equal(declared.begin(), declared.end(), declared_.begin(), declared_.end(), same))
    return;
  views_ = views;
  forget_arrays();
  for (const SharedDeclaration& d : declared) shared_array(d);
}

std::uint16_t Machine::known_file(const char* path) {
  for (const auto& [known, id] : paths_)
    if (known == path) return id;
  return paths_.emplace_back(path, files_.id_of(path)).second;
}

SharedArray* Machine::shared_array(const SharedDeclaration& declaration) {
  for (std::size_t i = 0; i < declared_.size(); ++i)
    if (declared_[i].line == declaration.line && declared_[i].file == declaration.file)
      return arrays_[i].get();
  SharedDeclaration d = declaration;
  d.view = views_.id_of(d.file, d.line);
  views_.describe(d);
  declared_.push_back(d);
  arrays_.push_back(lay_out(d));
  return arrays_.back().get();
}

std::unique_ptr<SharedArray> Machine::lay_out(const SharedDeclaration& d) {
  auto array = std::make_unique<SharedArray>();
  array->id = d.view;
  array->bytes = d.rows * d.cols * d.element_bytes;
  array->cell_bytes = std::min(d.element_bytes, 4u);
  const bool dynamic = d.dynamic_byte >= 0;
  const bool fits = dynamic ? d.dynamic_byte + std::int64_t(array->bytes) <= dynamic_bytes_
                            : shared_used_ + array->bytes <= std::uint64_t(kMaxSharedBytes);
  if (!fits) {
    complain(d, {"shared array {0} of {1} bytes does not fit into the block's shared memory",
                 {d.name, n(std::int64_t(array->bytes))}});
    array->bytes = 0;  // every access is out of bounds
  }
  array->dynamic_byte = d.dynamic_byte;
  // Arrays of whole cells may lie over each other: one account says who touched the bytes last. Narrower
  // elements keep their own.
  const auto count = std::size_t((array->bytes + array->cell_bytes - 1) / array->cell_bytes);
  if (dynamic && array->cell_bytes == 4 && d.dynamic_byte % 4 == 0 && array->bytes > 0) {
    array->cells = std::span(dynamic_cells_).subspan(std::size_t(d.dynamic_byte) / 4, count);
  } else {
    array->own_cells.resize(count);
    array->cells = array->own_cells;
  }
  for (const auto& other : arrays_)
    if (dynamic && other->dynamic_byte >= 0 && !(array->own_cells.empty() && other->own_cells.empty()) &&
        other->dynamic_byte < d.dynamic_byte + std::int64_t(array->bytes) &&
        d.dynamic_byte < other->dynamic_byte + std::int64_t(other->bytes))
      complain(d, {"shared array {0} overlaps another one in dynamic shared memory", {d.name}});
  if (dynamic && d.dynamic_byte % std::min<std::int64_t>(d.element_bytes, 16) != 0)
    complain(d, {"shared array {0} starts at byte {1}, where elements of {2} bytes cannot start",
                 {d.name, n(d.dynamic_byte), n(d.element_bytes)}});
  array->data = shared_.get() + (dynamic ? std::uint64_t(d.dynamic_byte) : shared_used_);
  if (!dynamic) {
    if (fits) std::memset(array->data, 0xff, array->bytes);
    shared_used_ += (array->bytes + 127) / 128 * 128;
  }
  return array;
}

// By the block that declares it first, not by machines that adopt it.
void Machine::complain(const SharedDeclaration& d, Message what) {
  if (current) find("launch", current->linear, d.line, 0, std::move(what));
}

}  // namespace lockstep::simt
