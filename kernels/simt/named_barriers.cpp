// Named barriers (async_units.hpp, barriers.cuh): who has come, and what is wrong with it. PTX ISA,
// "barrier.cta".
#include <algorithm>
#include <utility>

#include "async_units.hpp"

namespace lockstep::simt {
namespace {

constexpr int kWarp = 32;
std::string n(std::int64_t x) { return std::to_string(x); }

}  // namespace

// nullptr: the thread cannot come to it, and that is said.
AsyncUnits::Named* AsyncUnits::named(int id, int threads, Where at) {
  begin();
  const std::int64_t me = current->linear, most = (std::int64_t(threads_) + kWarp - 1) / kWarp * kWarp;
  const auto say = [&](const char* kind, const char* words, std::vector<std::string> more,
                       std::int64_t other = -1, int other_line = 0) {
    std::vector<std::string> args{n(m_.block_), n(me), n(at.line)};
    args.insert(args.end(), more.begin(), more.end());
    m_.find(kind, me, at.line, at.file, {words, args}, other, other_line);
    return nullptr;
  };
  if (id < 0 || id >= kNamed)
    return say(
        "barrier_number",
        N_("block {0}, thread {1}, line {2}: there is no barrier {3}: a block has the barriers 0 to {4}"),
        {n(id), n(kNamed - 1)});
  if (threads < kWarp || threads % kWarp != 0)
    return say(
        "barrier_count",
        N_("block {0}, thread {1}, line {2}: barrier {3} for {4} threads: whole warps come to a barrier, so "
           "that their number is a multiple of 32"),
        {n(id), n(threads)});
  if (threads > most)
    return say(
        "barrier_count",
        N_("block {0}, thread {1}, line {2}: barrier {3} waits for {4} threads, and the block has {5}"),
        {n(id), n(threads), n(std::int64_t(threads_))});
  Named& b = named_[std::size_t(id)];
  if (b.come > 0 && b.threads != threads)
    return say(
        "barrier_count",
        N_("block {0}, thread {1}, line {2}: comes to barrier {3} as one of {4} threads, and thread {5} at "
           "line {6} as one of {7}"),
        {n(id), n(threads), n(b.thread), n(b.at.line), n(b.threads)}, b.thread, b.at.line);
  b.threads = threads, b.thread = current->linear, b.at = at;
  if (b.gathering.empty()) b.gathering.assign(width_, 0), b.came.assign(threads_, false);
  b.came[current->linear] = true;
  if (id == 0 && threads < int(threads_)) at_zero_.push_back({current->linear, at});
  return &b;
}

// Whether it is complete; then those who wait go on.
bool AsyncUnits::come_to(Named& b, int id) {
  release(b.gathering);
  if (++b.come < b.threads) return false;
  for (std::size_t t = 0; t < threads_; ++t)
    if (waiting_[t].what == Waiting::For::named && waiting_[t].named == id) {
      acquire(t, b.gathering);
      go_on(t);
    }
  ++phases_ended_;
  b.last = std::exchange(b.gathering, {}), b.come = 0;
  return true;
}

void AsyncUnits::sync_named(int id, int threads, Where at) {
  Named* const b = named(id, threads, at);
  if (!b) return;
  if (come_to(*b, id)) return acquire(current->linear, b->last);
  Waiting waiting;
  waiting.what = Waiting::For::named, waiting.named = id, waiting.at = at;
  leave(waiting);
}

void AsyncUnits::arrive_named(int id, int threads, Where at) {
  if (Named* const b = named(id, threads, at)) come_to(*b, id);
}

// All threads that have not ended stand at __syncthreads(), which is barrier 0, too: one that has come to it
// by its number may have let them go, or they it.
void AsyncUnits::check_zero() {
  const auto came = std::exchange(at_zero_, {});
  if (came.empty()) return;
  const auto only_there = [&](const Thread& t) {
    return t.state == Thread::State::at_barrier &&
           std::none_of(came.begin(), came.end(), [&](const auto& c) { return c.first == t.linear; });
  };
  const auto other = std::find_if(m_.threads_.begin(), m_.threads_.end(), only_there);
  if (other == m_.threads_.end()) return;
  const auto& [thread, at] = came.front();
  m_.find(
      "barrier_number", thread, at.line, at.file,
      {"block {0}, thread {1}, line {2}: comes to barrier 0, which is that of __syncthreads(), where thread "
       "{3} waits at line {4}: the two may be taken for one another",
       {n(m_.block_), n(thread), n(at.line), n(other->linear), n(other->waiting_line)}},
      other->linear, other->waiting_line);
}

// The warp of which only some lanes have come to it; -1: there is none.
int AsyncUnits::split_warp(const Named& b) const {
  for (std::size_t first = 0; first < threads_; first += kWarp) {
    int here = 0, missing = 0;
    for (std::size_t t = first; t < std::min(first + kWarp, threads_); ++t)
      b.came[t] ? ++here : missing += !m_.threads_[t].done();
    if (here > 0 && missing > 0) return int(first / kWarp);
  }
  return -1;
}

// It waits, and nobody can go on.
void AsyncUnits::say_stuck_at_named(const Thread& thread) {
  const auto waits = [&](const Thread& t) { return waiting_[t.linear].what == Waiting::For::named; };
  const auto at_split = std::find_if(m_.threads_.begin(), m_.threads_.end(), [&](const Thread& t) {
    return waits(t) && split_warp(named_[std::size_t(waiting_[t.linear].named)]) >= 0;
  });
  const Thread& me = at_split != m_.threads_.end() ? *at_split : thread;
  const Waiting& w = waiting_[me.linear];
  const Named& b = named_[std::size_t(w.named)];
  std::vector<std::string> args{n(m_.block_), n(me.linear),          n(w.at.line),
                                n(w.named),   n(b.threads - b.come), n(b.threads)};
  const auto say = [&](const char* words, std::vector<std::string> more, const Thread* other) {
    args.insert(args.end(), more.begin(), more.end());
    m_.find("deadlock", me.linear, w.at.line, w.at.file, {words, args}, other ? other->linear : -1,
            other ? other->waiting_line : 0);
  };
  if (at_split != m_.threads_.end())
    return say(N_("block {0}: nobody can go on. Thread {1} waits at line {2} for barrier {3}, to which {4} "
                  "of {5} threads "
                  "have not come; of warp {6} only a part has, and whole warps come to a barrier"),
               {n(split_warp(b))}, nullptr);
  const auto other = std::find_if(m_.threads_.begin(), m_.threads_.end(), [&](const Thread& t) {
    return !t.done() && !(waits(t) && waiting_[t.linear].named == w.named);
  });
  if (other == m_.threads_.end())
    return say(N_("block {0}: nobody can go on. Thread {1} waits at line {2} for barrier {3}, to which {4} "
                  "of {5} threads "
                  "have not come, and will not: all others have ended or wait there, too"),
               {}, nullptr);
  if (waits(*other))
    return say(N_("block {0}: nobody can go on. Thread {1} waits at line {2} for barrier {3}, to which {4} "
                  "of {5} threads "
                  "have not come; thread {6} waits at line {7} for barrier {8}"),
               {n(other->linear), n(other->waiting_line), n(waiting_[other->linear].named)}, &*other);
  say(N_("block {0}: nobody can go on. Thread {1} waits at line {2} for barrier {3}, to which {4} of {5} "
         "threads have not "
         "come; thread {6} waits at line {7}"),
      {n(other->linear), n(other->waiting_line)}, &*other);
}

void AsyncUnits::complain_of_named() {
  for (std::size_t id = 0; id < kNamed; ++id) {
    const Named& b = named_[id];
    if (b.come == 0) continue;
    m_.find(
        "barrier_left", b.thread, b.at.line, b.at.file,
        {"block {0}: ended when {1} of {2} threads had come to barrier {3}, thread {4} at line {5} the last: "
         "nobody waits for them",
         {n(m_.block_), n(b.come), n(b.threads), n(std::int64_t(id)), n(b.thread), n(b.at.line)}});
  }
}

}  // namespace lockstep::simt
