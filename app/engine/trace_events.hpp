// A timeline as trace events of the format that chrome://tracing and Perfetto read (JSON object format: other
// members beside "traceEvents" are allowed there).
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/model/timeline.hpp"

namespace lockstep {

// The value of "traceEvents". A group is a process, a lane is a thread; spans of a lane that overlap without
// nesting go to further threads of the same name, since complete events of one thread must nest. Spans are
// complete events ("X", ts and dur in µs), spans without length are instant events ("i"), an edge whose spans
// exist is a flow ("s" in its first span, "f" at the beginning of its second one).
nlohmann::ordered_json trace_events(const Timeline& timeline);

// {"traceEvents": [...], "displayTimeUnit": "ns"}, with the members of `about` (a JSON object, or "") before
// them. Text that is not UTF-8 is repaired.
std::string trace_file(const Timeline& timeline, const std::string& about = "");

}  // namespace lockstep
