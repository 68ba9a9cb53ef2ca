#include "blocks_together.hpp"

#include <algorithm>
#include <cstring>

namespace lockstep::reader {
namespace {

BlocksTogether* the_running = nullptr;  // cooperative grids run on the thread that launches

std::int64_t threads_of(const LaunchCall& call) {
  return std::int64_t(call.block.x) * call.block.y * call.block.z;
}
std::int64_t blocks_of(const LaunchCall& call) {
  return std::int64_t(call.grid.x) * call.grid.y * call.grid.z;
}

}  // namespace

bool BlocksTogether::fits(const LaunchCall& call) {
  return blocks_of(call) * threads_of(call) <= kMostThreads;
}
BlocksTogether* BlocksTogether::running() { return the_running; }
void BlocksTogether::forget_running() { the_running = nullptr; }

BlocksTogether::BlocksTogether(const LaunchCall& call, const void* traced, std::int64_t traced_blocks)
    : Turns(std::size_t(blocks_of(call))), call_(call), blocks_(std::size_t(blocks_of(call))) {
  traced_kernel_ = [&call, traced] {
    call.invoke(traced, call.state);
    tracer().end_thread();
  };
  twin_kernel_ = [&call] { call.invoke(call.function, call.state); };
  if (call.shared > 0) note_shared(dynamic_shared(), std::uint64_t(call.shared));
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    block.traced = std::int64_t(b) < traced_blocks;
    block.machine = std::make_unique<simt::Machine>(machine_options(block.traced));
    block.machine->begin_launch(config_of(call), block.traced ? traced_kernel_ : twin_kernel_);
    block.passed.assign(std::size_t(threads_of(call)), 0);
  }
}

BlocksTogether::~BlocksTogether() { forget_running(); }

void BlocksTogether::run() {
  the_running = this;
  take();
  the_running = nullptr;
}

void BlocksTogether::body(std::size_t block) { (void)blocks_[block].machine->run(std::int64_t(block)); }

void BlocksTogether::begin_round(std::vector<std::size_t>&) { tracer().begin_round(); }

bool BlocksTogether::end_round(std::size_t left) {
  if (left > 0) report_missing();
  return true;
}

void BlocksTogether::begin_turn(std::size_t b) {
  Tracer& t = tracer();
  Block& block = blocks_[b];
  for (std::size_t r = 0; r < block.shared.size(); ++r)
    std::memcpy(ranges_[r].at, block.shared[r].data(), block.shared[r].size());
  t.machine = block.traced ? block.machine.get() : nullptr;
  if (block.traced)
    t.bring_back(std::int64_t(b), std::size_t(threads_of(call_)), block.put_away, *block.machine);
}

void BlocksTogether::end_turn(std::size_t b) {
  Tracer& t = tracer();
  Block& block = blocks_[b];
  if (block.traced) t.put_away(block.put_away);
  t.machine = nullptr;
  block.shared.resize(ranges_.size());
  for (std::size_t r = 0; r < ranges_.size() && !ended(b); ++r) {
    const auto* at = static_cast<const std::uint8_t*>(ranges_[r].at);
    block.shared[r].assign(at, at + ranges_[r].bytes);
  }
}

// The first thread of a block that goes on from the barrier hands over to the other blocks.
void BlocksTogether::wait(std::uint32_t site) {
  Block& block = blocks_[Turns::running()];
  const std::uint32_t mine = ++block.passed[simt::current->linear];
  if (block.rounds >= mine) return;
  block.rounds = mine, block.site = site;
  leave();
}

void BlocksTogether::note_shared(void* at, std::uint64_t bytes) {
  const auto known = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& r) { return r.at == at; });
  if (known == ranges_.end()) ranges_.push_back({at, bytes});
}

// Some blocks wait for others that have ended.
void BlocksTogether::report_missing() {
  std::size_t gone = blocks_.size(), waiting = blocks_.size();
  for (std::size_t b = blocks_.size(); b-- > 0;) (ended(b) ? gone : waiting) = b;
  if (gone == blocks_.size()) return;
  RawFinding f;
  f.kind = "divergent_barrier", f.text = "grid", f.site = blocks_[waiting].site;
  f.launch = tracer().launch, f.block = std::int64_t(waiting), f.thread = 0;
  f.other_block = std::int64_t(gone);
  tracer().findings.add(std::move(f));
}

}  // namespace lockstep::reader
