#include "trace_events.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

double micros(std::int64_t ns) { return double(ns) / 1000; }

std::string name_at(const std::vector<std::string>& names, std::size_t index, const char* otherwise) {
  return index < names.size() && !names[index].empty() ? names[index] : otherwise;
}

// Where the spans of a timeline stand: [lane][span] -> thread.
struct Threads {
  std::map<std::string, int> pids;  // by group
  struct Thread {
    int pid = 0, tid = 0;
    std::string name;
  };
  std::vector<Thread> all;
  std::vector<std::vector<std::size_t>> of_span;  // index into all
};

// The first thread whose open spans all hold this one.
std::size_t first_fit(std::vector<std::vector<std::int64_t>>& open, const TimelineSpan& span) {
  for (std::size_t i = 0; i < open.size(); ++i) {
    auto& ends = open[i];  // the innermost last
    while (!ends.empty() && ends.back() <= span.start_ns) ends.pop_back();
    if (!ends.empty() && ends.back() < span.end_ns) continue;
    ends.push_back(span.end_ns);
    return i;
  }
  open.push_back({span.end_ns});
  return open.size() - 1;
}

Threads threads_of(const Timeline& t) {
  Threads threads;
  for (const TimelineLane& lane : t.lanes) {
    const int pid = threads.pids.try_emplace(lane.group, int(threads.pids.size()) + 1).first->second;
    std::vector<std::vector<std::int64_t>> open;
    std::vector<std::size_t> of_span;
    const std::size_t first = threads.all.size();
    for (const TimelineSpan& span : lane.spans) of_span.push_back(first + first_fit(open, span));
    for (std::size_t i = 0; i < std::max<std::size_t>(1, open.size()); ++i)
      threads.all.push_back({pid, int(threads.all.size()) + 1, name_at(t.names, lane.name, "lane")});
    threads.of_span.push_back(std::move(of_span));
  }
  return threads;
}

void add_metadata(const Threads& threads, Json& events) {
  for (const auto& [group, pid] : threads.pids)
    events.push_back({{"ph", "M"},
                      {"name", "process_name"},
                      {"pid", pid},
                      {"args", {{"name", group.empty() ? "timeline" : group}}}});
  for (const auto& [group, pid] : threads.pids)
    events.push_back(
        {{"ph", "M"}, {"name", "process_sort_index"}, {"pid", pid}, {"args", {{"sort_index", pid}}}});
  for (const auto& thread : threads.all) {
    events.push_back({{"ph", "M"},
                      {"name", "thread_name"},
                      {"pid", thread.pid},
                      {"tid", thread.tid},
                      {"args", {{"name", thread.name}}}});
    events.push_back({{"ph", "M"},
                      {"name", "thread_sort_index"},
                      {"pid", thread.pid},
                      {"tid", thread.tid},
                      {"args", {{"sort_index", thread.tid}}}});
  }
}

Json event(const Timeline& t, const TimelineSpan& span, const Threads::Thread& thread) {
  const bool mark = span.length_ns() <= 0;
  Json json{{"ph", mark ? "i" : "X"},
            {"name", name_at(t.names, span.name, "span")},
            {"cat", name_at(t.kinds, span.kind, "span")},
            {"ts", micros(span.start_ns)}};
  if (mark)
    json["s"] = "t";  // of its thread
  else
    json["dur"] = micros(span.length_ns());
  json["pid"] = thread.pid, json["tid"] = thread.tid;
  json["args"] = {{"id", span.id}};
  return json;
}

// A flow starts inside its first span, as late as the second one allows.
void add_flow(const Timeline& t, const Threads& threads, std::size_t edge, Json& events) {
  const auto from = t.find(t.edges[edge].from), to = t.find(t.edges[edge].to);
  if (!from || !to) return;
  const TimelineSpan &a = t.at(*from), &b = t.at(*to);
  const std::int64_t last = std::max(a.start_ns, a.end_ns - 1);  // at its end another span may begin
  const std::int64_t start = std::clamp(b.start_ns, a.start_ns, last);
  const auto& out = threads.all[threads.of_span[from->lane][from->span]];
  const auto& in = threads.all[threads.of_span[to->lane][to->span]];
  const std::string name = name_at(t.edge_kinds, t.edges[edge].kind, "edge");
  events.push_back({{"ph", "s"},
                    {"name", name},
                    {"cat", name},
                    {"id", edge + 1},
                    {"ts", micros(start)},
                    {"pid", out.pid},
                    {"tid", out.tid}});
  events.push_back({{"ph", "f"},
                    {"bp", "e"},
                    {"name", name},
                    {"cat", name},
                    {"id", edge + 1},
                    {"ts", micros(b.start_ns)},
                    {"pid", in.pid},
                    {"tid", in.tid}});
}

}  // namespace

Json trace_events(const Timeline& t) {
  const Threads threads = threads_of(t);
  Json events = Json::array();
  add_metadata(threads, events);
  for (std::size_t l = 0; l < t.lanes.size(); ++l)
    for (std::size_t s = 0; s < t.lanes[l].spans.size(); ++s)
      events.push_back(event(t, t.lanes[l].spans[s], threads.all[threads.of_span[l][s]]));
  for (std::size_t e = 0; e < t.edges.size(); ++e) add_flow(t, threads, e, events);
  return events;
}

std::string trace_file(const Timeline& t, const std::string& about) {
  Json file = about.empty() ? Json::object() : Json::parse(about, nullptr, false);
  if (!file.is_object()) file = Json::object();
  file["displayTimeUnit"] = "ns";
  file["traceEvents"] = trace_events(t);
  return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep
