#include "marks.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "portable.hpp"

namespace lockstep {

std::optional<std::size_t> ShownValues::Named::place(std::uint32_t index) const {
  if (indices.empty()) {
    const bool known = index >= first && index - first < begin.size() - 1;
    return known ? std::optional<std::size_t>(index - first) : std::nullopt;
  }
  const auto found = std::lower_bound(indices.begin(), indices.end(), index);
  if (found == indices.end() || *found != index) return {};
  return std::size_t(found - indices.begin());
}

std::span<const ShownValues::Entry> ShownValues::history(std::uint16_t name, std::uint32_t index) const {
  const auto known = std::lower_bound(names_.begin(), names_.end(), name,
                                      [](const Named& one, std::uint16_t n) { return one.name < n; });
  if (known == names_.end() || known->name != name) return {};
  const auto at = known->place(index);
  if (!at) return {};
  return std::span(entries_).subspan(known->begin[*at], known->begin[*at + 1] - known->begin[*at]);
}

const ShownValues::Entry* ShownValues::entry(std::uint16_t name, std::uint32_t index, int step) const {
  const auto all = history(name, index);
  const auto after = std::upper_bound(all.begin(), all.end(), step,
                                      [](int s, const Entry& entry) { return s < entry.step; });
  return after == all.begin() ? nullptr : &*(after - 1);
}

std::optional<float> ShownValues::at(std::uint16_t name, std::uint32_t index, int step) const {
  const Entry* found = entry(name, index, step);
  return found ? std::optional(found->value) : std::nullopt;
}

// By place, each place's in the order in which they came: counted, and not compared.
ShownValues::ShownValues(std::vector<Shown> all) {
  std::map<std::uint16_t, std::vector<std::uint32_t>> indices_of;
  for (const Shown& shown : all) indices_of[shown.name].push_back(shown.index);
  std::map<std::uint16_t, std::size_t> id;
  for (auto& [name, indices] : indices_of) {
    id[name] = names_.size();
    Named& named = names_.emplace_back();
    named.name = name;
    const auto [least, most] = std::minmax_element(indices.begin(), indices.end());
    named.first = *least;
    std::uint64_t places = std::uint64_t(*most) - *least + 1;
    if (places > 8 * indices.size()) {
      named.indices = std::move(indices);
      std::sort(named.indices.begin(), named.indices.end());
      named.indices.erase(std::unique(named.indices.begin(), named.indices.end()), named.indices.end());
      places = named.indices.size();
    }
    named.begin.assign(std::size_t(places) + 1, 0);
  }
  for (const Shown& shown : all) {
    Named& named = names_[id[shown.name]];
    ++named.begin[*named.place(shown.index)];
  }
  std::uint32_t before = 0;
  for (Named& named : names_)
    for (std::uint32_t& begin : named.begin) before += std::exchange(begin, before);
  entries_.resize(all.size());
  for (const Shown& shown : all) {
    Named& named = names_[id[shown.name]];
    entries_[named.begin[*named.place(shown.index)]++] = shown.entry;
  }
  // Where each begins is now where the next one does. In a step the last one counts.
  const auto earlier = [](const Entry& a, const Entry& b) { return a.step < b.step; };
  std::uint32_t from = 0, to = 0;
  for (Named& named : names_)
    for (std::uint32_t& begin : named.begin) {
      const std::uint32_t end = std::exchange(begin, to);
      const auto first = entries_.begin() + from, last = entries_.begin() + end;
      if (!std::is_sorted(first, last, earlier)) std::stable_sort(first, last, earlier);
      for (; from < end; ++from)
        if (from + 1 == end || entries_[from].step != entries_[from + 1].step)
          entries_[to++] = entries_[from];
    }
  entries_.resize(to);
}

namespace {

// Where each thread of a launch passes its marks, and the order of all of them. Threads that do something
// else than the others have marks of their own; these stand in front of the first one with a larger index.
class Marks {
 public:
  explicit Marks(const BlockTrace& trace) {
    const std::size_t threads = trace.begin.empty() ? 0 : trace.begin.size() - 1;
    positions_.resize(threads), place_.resize(threads);
    std::vector<Sequence> own(threads);
    std::size_t longest = 0;
    for (std::size_t t = 0; t < threads; ++t) {
      for (auto e = trace.begin[t]; e < trace.begin[t + 1]; ++e)
        if (const Access& a = trace.events[e]; a.kind == Kind::mark) {
          positions_[t].push_back(std::uint32_t(e - trace.begin[t]));
          own[t].push_back({&a, t});
        }
      if (own[t].size() > own[longest].size()) longest = t;
    }
    if (threads == 0) return;
    order_ = own[longest];
    for (const Sequence& sequence : own)
      if (!places_in_order(sequence)) order_ = merged(order_, sequence);
    for (std::size_t t = 0; t < threads; ++t) place_[t] = *places_in_order(own[t]);
  }
  // Marks passed before this position, by the place of the last one in the order of all: 0 is in front of the
  // first one.
  std::size_t ordinal(std::uint32_t thread, std::uint32_t position) const {
    if (thread >= positions_.size()) return 0;
    const auto& marks = positions_[thread];
    return place(thread, std::size_t(std::upper_bound(marks.begin(), marks.end(), position) - marks.begin()));
  }
  std::size_t place(std::size_t thread, std::size_t passed) const {
    return passed == 0 ? 0 : place_[thread][passed - 1] + 1;
  }
  std::size_t count() const { return order_.size(); }
  const Access& mark(std::size_t ordinal) const { return *order_[ordinal - 1].event; }

 private:
  struct Mark {
    const Access* event;
    std::size_t thread;
    bool same(const Mark& other) const {
      return event->view == other.event->view && event->offset == other.event->offset;
    }
  };
  using Sequence = std::vector<Mark>;

  // Where each of them stands in the order of all, in which they come one behind the other; nothing where
  // they do not.
  std::optional<std::vector<std::size_t>> places_in_order(const Sequence& sequence) const {
    std::vector<std::size_t> places;
    std::size_t next = 0;
    for (const Mark& mark : sequence) {
      while (next < order_.size() && !order_[next].same(mark)) ++next;
      if (next == order_.size()) return {};
      places.push_back(next++);
    }
    return places;
  }
  static Sequence merged(const Sequence& a, const Sequence& b) {
    Sequence all;
    for (std::size_t i = 0, k = 0; i < a.size() || k < b.size();) {
      if (i < a.size() && k < b.size() && a[i].same(b[k]))
        ++i, all.push_back(b[k++]);
      else if (k == b.size() || (i < a.size() && comes_first(a[i], b[k])))
        all.push_back(a[i++]);
      else
        all.push_back(b[k++]);
    }
    return all;
  }
  static bool comes_first(const Mark& a, const Mark& b) {
    return a.event->offset != b.event->offset ? a.event->offset < b.event->offset : a.thread < b.thread;
  }

  std::vector<std::vector<std::uint32_t>> positions_;
  std::vector<std::vector<std::size_t>> place_;  // of each thread's marks in order_
  Sequence order_;
};

std::string words_of(std::uint16_t mark, std::span<const char* const> names) {
  if (mark == 0) return "before";
  for (const char* name : names)
    if (name_id(name) == mark) return name;
  return "mark-" + std::to_string(mark);
}

// A show() of a thread, behind `ordinal` marks.
struct ShownEvent {
  std::size_t ordinal, thread;
  const Access* event;
};

std::vector<ShownEvent> shown_events(const BlockTrace& trace, const Marks& marks) {
  std::vector<ShownEvent> all;
  for (std::size_t t = 0; t + 1 < trace.begin.size(); ++t) {
    std::size_t passed = 0;
    for (auto e = trace.begin[t]; e < trace.begin[t + 1]; ++e) {
      const Access& event = trace.events[e];
      if (event.kind == Kind::mark) ++passed;
      if (event.kind == Kind::value && event.offset != kNotShown)
        all.push_back({marks.place(t, passed), t, &event});
    }
  }
  return all;
}

}  // namespace

// What becomes one step.
struct MarkedBucket {
  std::vector<std::uint32_t> parts;  // of the fine steps
  std::vector<std::uint16_t> lines;
};

void MarkedAxis::add(int launch, const Access* mark, MarkedBucket& bucket, const std::vector<Step>& fine,
                     std::span<const char* const> names) {
  Step step;
  step.launch = launch;
  MarkedStep named;
  if (mark) {
    named.mark = mark->view, named.index = mark->offset;
    named.file = mark->file, named.line = mark->line;
    step.instruction.file = mark->file, step.instruction.line = mark->line;
    if (bucket.parts.empty() && bucket.lines.empty()) bucket.lines.push_back(mark->line);
  }
  if (!bucket.parts.empty()) {
    step.instruction = fine[bucket.parts.front()].instruction;
    step.interval = fine[bucket.parts.front()].interval;
  }
  step.first_part = std::uint32_t(parts.size()), step.part_count = std::uint32_t(bucket.parts.size());
  for (std::uint32_t p : bucket.parts) {
    parts.push_back(fine[p]);
    bucket.lines.push_back(fine[p].instruction.line);
  }
  std::sort(bucket.lines.begin(), bucket.lines.end());
  bucket.lines.erase(std::unique(bucket.lines.begin(), bucket.lines.end()), bucket.lines.end());
  named.lines = std::move(bucket.lines);
  begin_phase();
  add_step(launch, words_of(named.mark, names), named.index);
  steps.push_back(std::move(step));
  marked.push_back(std::move(named));
}

MarkedAxis::MarkedAxis(const std::vector<Launch>& launches, std::span<const char* const> names) {
  coarse = true;
  const std::vector<Step> fine = memory_steps(launches);
  parts.reserve(fine.size());
  std::vector<ShownValues::Shown> all_shown;
  std::size_t next = 0;  // of the fine steps, which stand launch by launch
  for (int launch = 0; launch < int(launches.size()); ++launch) {
    const BlockTrace& trace = launches[std::size_t(launch)].trace;
    const Marks marks(trace);
    std::vector<MarkedBucket> buckets(marks.count() + 1);
    for (; next < fine.size() && fine[next].launch == launch; ++next) {
      const WarpInstruction& i = fine[next].instruction;
      const auto thread = i.warp * kWarpSize + std::uint32_t(std::countr_zero(i.lanes));
      buckets[marks.ordinal(thread, i.position)].parts.push_back(std::uint32_t(next));
    }
    const auto events = shown_events(trace, marks);
    std::vector<bool> any_value(buckets.size(), false);
    for (const auto& [ordinal, thread, event] : events) {
      any_value[ordinal] = true;
      auto& shown_lines = buckets[ordinal].lines;
      if (std::find(shown_lines.begin(), shown_lines.end(), event->line) == shown_lines.end())
        shown_lines.push_back(event->line);
    }
    // What stands before the first mark is a step where there is something.
    std::vector<int> step_of_bucket(buckets.size(), -1);
    for (std::size_t k = 0; k < buckets.size(); ++k) {
      if (k == 0 && buckets[k].parts.empty() && !any_value[k]) continue;
      step_of_bucket[k] = int(steps.size());
      add(launch, k ? &marks.mark(k) : nullptr, buckets[k], fine, names);
    }
    for (const auto& [ordinal, thread, event] : events)
      all_shown.push_back({event->view,
                           event->offset,
                           {step_of_bucket[ordinal], bit_cast<float>(event->mask), std::uint16_t(thread)}});
  }
  shown = ShownValues(std::move(all_shown));
}

SourceLines MarkedAxis::lines(int step) const {
  const MarkedStep& named = marked.at(std::size_t(step));
  return {named.file ? named.file : steps[std::size_t(step)].instruction.file, named.lines};
}

int find_marked(const MarkedAxis& axis, std::uint16_t name, std::uint32_t index, int from) {
  for (int s = std::max(0, from); s < int(axis.marked.size()); ++s)
    if (axis.marked[std::size_t(s)].mark == name && axis.marked[std::size_t(s)].index == index) return s;
  return -1;
}

}  // namespace lockstep
