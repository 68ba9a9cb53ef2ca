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
    : call_(call), blocks_(std::size_t(blocks_of(call))), fibers_(&BlocksTogether::carry, this) {
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

void BlocksTogether::carry(void* self) {
  auto& me = *static_cast<BlocksTogether*>(self);
  Block& block = me.blocks_[me.current_];
  (void)block.machine->run(std::int64_t(me.current_));
  block.ended = true;
}

void BlocksTogether::run() {
  the_running = this;
  for (bool any = true; any;) {
    any = false;
    tracer().begin_round();
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      if (!blocks_[b].ended) go_on(b);
    for (const Block& block : blocks_) any = any || !block.ended;
    if (any) report_missing();
  }
  simt::machine = nullptr, simt::current = nullptr;
  the_running = nullptr;
}

void BlocksTogether::go_on(std::size_t b) {
  Block& block = blocks_[b];
  current_ = b;
  bring_back(block);
  if (block.fiber < 0) block.fiber = fibers_.take();
  fibers_.switch_to(block.fiber);
  put_away(block);
}

void BlocksTogether::bring_back(Block& block) {
  Tracer& t = tracer();
  for (std::size_t r = 0; r < block.shared.size(); ++r)
    std::memcpy(ranges_[r].at, block.shared[r].data(), block.shared[r].size());
  t.machine = block.traced ? block.machine.get() : nullptr;
  if (block.traced)
    t.bring_back(std::int64_t(current_), std::size_t(threads_of(call_)), block.put_away, *block.machine);
  if (block.thread) simt::machine = block.machine.get(), simt::current = block.thread;
}

void BlocksTogether::put_away(Block& block) {
  Tracer& t = tracer();
  if (block.traced) t.put_away(block.put_away);
  t.machine = nullptr;
  block.shared.resize(ranges_.size());
  for (std::size_t r = 0; r < ranges_.size() && !block.ended; ++r) {
    const auto* at = static_cast<const std::uint8_t*>(ranges_[r].at);
    block.shared[r].assign(at, at + ranges_[r].bytes);
  }
  block.thread = simt::current;
}

// The first thread of a block that goes on from the barrier hands over to the other blocks.
void BlocksTogether::wait(std::uint32_t site) {
  Block& block = blocks_[current_];
  const std::uint32_t mine = ++block.passed[simt::current->linear];
  if (block.rounds >= mine) return;
  block.rounds = mine, block.site = site;
  fibers_.switch_to(simt::Fibers::kMain);
}

void BlocksTogether::note_shared(void* at, std::uint64_t bytes) {
  const auto known = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& r) { return r.at == at; });
  if (known == ranges_.end()) ranges_.push_back({at, bytes});
}

// Some blocks wait for others that have ended.
void BlocksTogether::report_missing() {
  const auto ended = std::find_if(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.ended; });
  const auto waiting = std::find_if(blocks_.begin(), blocks_.end(), [](const Block& b) { return !b.ended; });
  if (ended == blocks_.end()) return;
  RawFinding f;
  f.kind = "divergent_barrier", f.text = "grid", f.site = waiting->site;
  f.launch = tracer().launch, f.block = waiting - blocks_.begin(), f.thread = 0;
  f.other_block = ended - blocks_.begin();
  tracer().findings.add(std::move(f));
}

}  // namespace lockstep::reader
