#include "marks.hpp"

#include <algorithm>
#include <bit>

#include "portable.hpp"

namespace lockstep {

const std::vector<ShownValues::Entry>& ShownValues::history(std::uint16_t name, std::uint32_t index) const {
  static const std::vector<Entry> none;
  const auto known = values_.find(std::uint64_t(name) << 32 | index);
  return known == values_.end() ? none : known->second;
}

const ShownValues::Entry* ShownValues::entry(std::uint16_t name, std::uint32_t index, int step) const {
  const auto& all = history(name, index);
  const auto after = std::upper_bound(all.begin(), all.end(), step,
                                      [](int s, const Entry& entry) { return s < entry.step; });
  return after == all.begin() ? nullptr : &*(after - 1);
}

std::optional<float> ShownValues::at(std::uint16_t name, std::uint32_t index, int step) const {
  const Entry* found = entry(name, index, step);
  return found ? std::optional(found->value) : std::nullopt;
}

ShownValues::ShownValues(std::vector<Shown> all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Shown& a, const Shown& b) { return a.entry.step < b.entry.step; });
  for (const Shown& shown : all) {
    auto& entries = values_[std::uint64_t(shown.name) << 32 | shown.index];
    if (entries.empty() || entries.back().step != shown.entry.step)
      entries.push_back(shown.entry);
    else
      entries.back() = shown.entry;
  }
}

namespace {

// Where each thread of a launch passes its marks.
class Marks {
 public:
  explicit Marks(const BlockTrace& trace) {
    const std::size_t threads = trace.begin.empty() ? 0 : trace.begin.size() - 1;
    positions_.resize(threads);
    for (std::size_t t = 0; t < threads; ++t) {
      for (auto e = trace.begin[t]; e < trace.begin[t + 1]; ++e)
        if (trace.events[e].kind == Kind::mark) positions_[t].push_back(std::uint32_t(e - trace.begin[t]));
      if (positions_[t].size() > positions_[longest_].size()) longest_ = t;
    }
  }
  // Marks passed before this position: 0 is in front of the first one.
  std::size_t ordinal(std::uint32_t thread, std::uint32_t position) const {
    if (thread >= positions_.size()) return 0;
    const auto& marks = positions_[thread];
    return std::size_t(std::upper_bound(marks.begin(), marks.end(), position) - marks.begin());
  }
  std::size_t count() const { return positions_.empty() ? 0 : positions_[longest_].size(); }
  const Access& mark(const BlockTrace& trace, std::size_t ordinal) const {
    return trace.events[trace.begin[longest_] + positions_[longest_][ordinal - 1]];
  }

 private:
  std::vector<std::vector<std::uint32_t>> positions_;
  std::size_t longest_ = 0;
};

struct Bucket {
  std::vector<std::uint32_t> parts;  // of the fine axis
  std::vector<std::uint16_t> lines;
};

void add_step(StepAxis& axis, int launch, const Access* mark, Bucket& bucket, const StepAxis& fine) {
  Step step;
  step.launch = launch;
  StepGroup group;
  group.role = Role::marked;
  if (mark) {
    group.mark = mark->view, group.mark_index = mark->offset;
    step.instruction.file = mark->file, step.instruction.line = mark->line;
    if (bucket.parts.empty() && bucket.lines.empty()) bucket.lines.push_back(mark->line);
  }
  if (!bucket.parts.empty()) {
    step.instruction = fine.steps[bucket.parts.front()].instruction;
    step.interval = fine.steps[bucket.parts.front()].interval;
  }
  step.first_part = std::uint32_t(axis.parts.size()), step.part_count = std::uint32_t(bucket.parts.size());
  for (std::uint32_t p : bucket.parts) {
    axis.parts.push_back(fine.steps[p]);
    bucket.lines.push_back(fine.steps[p].instruction.line);
  }
  std::sort(bucket.lines.begin(), bucket.lines.end());
  bucket.lines.erase(std::unique(bucket.lines.begin(), bucket.lines.end()), bucket.lines.end());
  group.lines = std::move(bucket.lines);
  const WarpInstruction& i = step.instruction;
  axis.phases.push_back(
      {int(axis.steps.size()), 1, step.interval, false, i.kind, i.view, i.line, group.role, group.mark});
  axis.steps.push_back(std::move(step));
  axis.groups.push_back(std::move(group));
}

}  // namespace

StepAxis marked_steps(const StepAxis& fine, const std::vector<Launch>& launches) {
  StepAxis axis;
  std::vector<ShownValues::Shown> shown;
  std::size_t next = 0;  // of the fine steps, which stand launch by launch
  for (int launch = 0; launch < int(launches.size()); ++launch) {
    const BlockTrace& trace = launches[std::size_t(launch)].trace;
    const Marks marks(trace);
    std::vector<Bucket> buckets(marks.count() + 1);
    for (; next < fine.steps.size() && fine.steps[next].launch == launch; ++next) {
      const WarpInstruction& i = fine.steps[next].instruction;
      const auto thread = i.warp * kWarpSize + std::uint32_t(std::countr_zero(i.lanes));
      buckets[marks.ordinal(thread, i.position)].parts.push_back(std::uint32_t(next));
    }
    // What stands before the first mark is a step where there is something.
    struct Value {
      std::size_t ordinal, thread;
      const Access* event;
    };
    std::vector<Value> values;
    for (std::size_t t = 0; t + 1 < trace.begin.size(); ++t) {
      std::size_t ordinal = 0;
      for (auto e = trace.begin[t]; e < trace.begin[t + 1]; ++e) {
        const Access& event = trace.events[e];
        if (event.kind == Kind::mark) ++ordinal;
        if (event.kind == Kind::value && event.offset != kNotShown) values.push_back({ordinal, t, &event});
      }
    }
    std::vector<bool> any_value(buckets.size(), false);
    for (const auto& [ordinal, thread, event] : values) {
      any_value[ordinal] = true;
      auto& lines = buckets[ordinal].lines;
      if (std::find(lines.begin(), lines.end(), event->line) == lines.end()) lines.push_back(event->line);
    }
    std::vector<int> step_of(buckets.size(), -1);
    for (std::size_t k = 0; k < buckets.size(); ++k) {
      if (k == 0 && buckets[k].parts.empty() && !any_value[k]) continue;
      step_of[k] = int(axis.steps.size());
      add_step(axis, launch, k ? &marks.mark(trace, k) : nullptr, buckets[k], fine);
    }
    for (const auto& [ordinal, thread, event] : values)
      shown.push_back({event->view,
                       event->offset,
                       {step_of[ordinal], bit_cast<float>(event->mask), std::uint16_t(thread)}});
  }
  axis.shown = std::make_shared<ShownValues>(std::move(shown));
  return axis;
}

int find_marked(const StepAxis& axis, std::uint16_t name, std::uint32_t index, int from) {
  for (int s = std::max(0, from); s < int(axis.groups.size()); ++s)
    if (axis.groups[std::size_t(s)].mark == name && axis.groups[std::size_t(s)].mark_index == index) return s;
  return -1;
}

int aligned_mark(const StepAxis& from, int step, const StepAxis& to) {
  if (to.groups.empty() || step < 0 || step >= int(from.groups.size())) return -1;
  const StepGroup& here = from.groups[std::size_t(step)];
  const auto same = [&](const StepGroup& g) {
    return g.mark == here.mark && g.mark_index == here.mark_index;
  };
  auto occurrence = std::count_if(from.groups.begin(), from.groups.begin() + step, same);
  for (int s = 0; s < int(to.groups.size()); ++s)
    if (same(to.groups[std::size_t(s)]) && occurrence-- == 0) return s;
  const std::int64_t last = std::int64_t(to.groups.size()) - 1,
                     of = std::max<std::int64_t>(1, std::int64_t(from.groups.size()) - 1);
  return int((step * last + of / 2) / of);
}

}  // namespace lockstep
