// Which kernels a rung launches, on which streams, and what each waits for: read by the launchers, the
// models, the tests and the picture.
#pragma once
#include <string>
#include <vector>

#include "app/model/pipeline.hpp"

namespace lockstep {

// One behind the other.
inline std::vector<PipelineNode> chain_nodes(int kernels) {
  std::vector<PipelineNode> nodes;
  for (int i = 0; i < kernels; ++i) {
    nodes.push_back({"step", 0, {}});
    if (i > 0) nodes.back().after = {i - 1};
  }
  return nodes;
}

// The first kernel forks, the middle ones are dealt to the branches in turn, the last one joins. A branch is
// a stream, the first of them that of the fork.
inline std::vector<PipelineNode> fork_join_nodes(int kernels, int branches) {
  std::vector<PipelineNode> nodes{{"fork", 0, {}}};
  std::vector<int> last(std::size_t(branches), 0);  // kernel of each branch
  for (int i = 1; i + 1 < kernels; ++i) {
    const int branch = (i - 1) % branches;
    nodes.push_back({"b", branch, {last[std::size_t(branch)]}});
    nodes.back().name += std::to_string(branch);
    last[std::size_t(branch)] = i;
  }
  if (kernels < 2) return nodes;
  nodes.push_back({"join", 0, {}});
  for (const int kernel : last)
    if (nodes.back().after.empty() || nodes.back().after.back() != kernel)
      nodes.back().after.push_back(kernel);
  return nodes;
}

// A layer of a transformer, one token per sequence.
inline std::vector<PipelineNode> decode_nodes() {
  return {{"norm", 0, {}},    {"qkv", 0, {0}},  {"rope", 0, {1}}, {"attn", 0, {2}},   {"proj", 0, {3}},
          {"norm 2", 0, {4}}, {"gate", 0, {5}}, {"up", 1, {5}},   {"down", 0, {6, 7}}};
}

}  // namespace lockstep
