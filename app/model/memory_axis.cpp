#include "memory_axis.hpp"

#include <algorithm>

namespace lockstep {
namespace {

Step make_step(int launch, const WarpInstruction& instruction) {
  Step step;
  step.launch = launch;
  step.interval = instruction.interval;
  step.barrier = instruction.kind == Kind::barrier;
  step.instruction = instruction;
  if (step.barrier) return step;
  if (is_unit_access(instruction.kind) && instruction.view >= kFirstSharedView) return step;  // no wavefronts
  if (instruction.kind == Kind::load_cluster)
    step.sectors = global_sectors(instruction.lanes, instruction.offset, instruction.width);
  else if (instruction.view >= kFirstSharedView)
    step.wavefronts =
        shared_wavefronts(instruction.lanes, instruction.offset, instruction.width, !reads(instruction.kind));
  else
    step.sectors = requested_sectors(instruction);
  return step;
}

// A barrier of the block is one step, placed after all accesses of its interval.
void append_interval(std::vector<Step>& steps, int launch, std::vector<WarpInstruction>::const_iterator begin,
                     std::vector<WarpInstruction>::const_iterator end) {
  const WarpInstruction* barrier = nullptr;
  for (auto i = begin; i != end; ++i) {
    if (moves_data(i->kind)) steps.push_back(make_step(launch, *i));
    if (i->kind == Kind::barrier && !barrier) barrier = &*i;
  }
  if (barrier) steps.push_back(make_step(launch, *barrier));
}

// What the modelled caches said of each global access, in its order.
void add_cache_sectors(std::vector<Step>& steps, std::size_t first, const BlockTrace& trace) {
  std::size_t global = 0;
  for (std::size_t i = first; i < steps.size(); ++i) {
    Step& step = steps[i];
    if (step.barrier || step.instruction.view >= kFirstSharedView) continue;
    step.l2_sectors =
        global < trace.l2_sectors.size() ? trace.l2_sectors[global] : std::uint32_t(step.sectors);
    if (global < trace.hbm_sectors.size()) step.hbm_sectors = trace.hbm_sectors[global];
    ++global;
  }
}

bool same_phase(const Step& a, const Step& b) {
  const WarpInstruction &x = a.instruction, &y = b.instruction;
  return a.launch == b.launch && a.interval == b.interval && x.collective == y.collective &&
         x.file == y.file && x.line == y.line && x.view == y.view && x.width == y.width && x.kind == y.kind;
}

std::vector<Step> by_wavefront(const std::vector<Step>& steps) {
  std::vector<Step> played;
  for (const Step& step : steps) {
    played.push_back(step);
    if (step.wavefronts == 0) continue;
    played.back().wavefront = 0;
    for (int w = 1; w < step.wavefronts; ++w) {
      played.push_back(step);
      played.back().wavefront = w;
    }
  }
  return played;
}

const char* verb_of(Kind kind) {
  switch (kind) {
    case Kind::load:
    case Kind::load_l2:
    case Kind::load_cluster:
      return "read ";
    case Kind::atomic:
      return "update ";
    case Kind::copy_issue:
      return "copy from ";
    case Kind::copy_target:
      return "copy into ";
    case Kind::box_source:
      return "box from ";
    case Kind::box_target:
      return "box into ";
    case Kind::store_source:
      return "box out of ";
    case Kind::store_target:
      return "box to ";
    case Kind::product_a:
    case Kind::product_b:
      return "multiply ";
    default:
      return "write ";
  }
}

}  // namespace

std::vector<Step> memory_steps(const std::vector<Launch>& launches) {
  std::vector<Step> steps;
  for (int launch = 0; launch < int(launches.size()); ++launch) {
    const BlockTrace& trace = launches[std::size_t(launch)].trace;
    const auto all = block_instructions(trace);
    const std::size_t first = steps.size();
    for (auto begin = all.begin(); begin != all.end();) {
      auto end = std::find_if(begin, all.end(), [&](const auto& i) { return i.interval != begin->interval; });
      append_interval(steps, launch, begin, end);
      begin = end;
    }
    add_cache_sectors(steps, first, trace);
  }
  return steps;
}

std::string access_words(const Launch& launch, const Step& step) {
  if (step.barrier) return "barrier";
  const ViewInfo* view = launch.view(step.instruction.view);
  return verb_of(step.instruction.kind) + (view ? view->name : "?");
}

MemoryAxis::MemoryAxis(const std::vector<Launch>& launches, PlayedBy played) {
  steps = memory_steps(launches);
  if (played == PlayedBy::wavefront) steps = by_wavefront(steps);
  std::string words;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    if (i == 0 || !same_phase(steps[i - 1], step)) {
      begin_phase();
      words = access_words(launches[std::size_t(step.launch)], step);
    }
    add_step(step.launch, words, {}, step.barrier ? -1 : int(step.instruction.warp));
  }
}

SourceLines MemoryAxis::lines(int step) const {
  const WarpInstruction& i = steps.at(std::size_t(step)).instruction;
  return {i.file, {i.line}};
}

}  // namespace lockstep
