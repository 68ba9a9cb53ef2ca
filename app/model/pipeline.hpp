// Several kernels that wait for one another, as a stream or a graph launches them. Plain data.
#pragma once
#include <string>
#include <vector>

namespace lockstep {

// One kernel of a pipeline. Kernels are in an order in which a single stream may run them.
struct PipelineNode {
  std::string name;        // "norm"
  int stream = 0;          // where a launch by streams puts it
  std::vector<int> after;  // the kernels that it waits for, all of them earlier
};

}  // namespace lockstep
