// What the cards beside the stage say of a graph: what making it costs, what a capture takes and refuses, and
// a profiler's records beside the stamps that the kernels leave themselves.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/model/run.hpp"

namespace lockstep {

struct TableRow {
  std::string label, value;
  bool dim = false;  // says more of the row above
};

// One thing that was tried in a capture.
struct CaptureRow {
  std::string what;
  std::string verdict;  // "yes", "error 900"
  std::string error;    // the runtime's name of it; "" where it works
  std::string detail;   // why, and the way out
  bool refused = false, known = false;
};

// The constants between the two sources, and why there is one source alone.
struct SourcesCard {
  std::string text, problem;  // problem: "" = none
  std::vector<TableRow> rows;
};

struct GraphCards {
  std::vector<TableRow> making;
  std::vector<CaptureRow> captures;
  std::optional<SourcesCard> sources;  // nothing where nobody asked for a profiler's records
};
GraphCards graph_cards(const Run& run);

}  // namespace lockstep
