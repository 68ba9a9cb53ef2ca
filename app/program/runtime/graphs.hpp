// CUDA graphs: what streams record while they capture and what programs put together node by node, kept and
// run again. Nodes run one after another, each after those that it waits for.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "runtime.hpp"

namespace lockstep::reader {

struct GraphNode {
  // As cudaGraphNodeType numbers them.
  enum class Kind { kernel = 0, copy = 1, set = 2, host = 3, child = 4, empty = 5 };
  Kind kind = Kind::empty;
  std::uint32_t site = 0;         // of the call that made it
  LaunchCall call;                // of a kernel
  std::vector<void*> parameters;  // where the kernel's stand in its state; empty where that is unknown
  std::function<int()> run;       // of all others but empty ones: the runtime's error code
  std::vector<const GraphNode*> after;
  // Takes the launch over, with a state of its own.
  void keep(const LaunchCall& from);
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
  // Each after those that it waits for, else as they were made. Fewer than there are: some wait in a ring.
  std::vector<const GraphNode*> in_order() const;
};

// What is launched: copies, so that the graph may change or go.
struct RunnableGraph {
  struct Step {
    const GraphNode* made_of;
    GraphNode node;
  };
  std::vector<Step> steps;
};

class Graphs {
 public:
  // Whether the stream records. An operation that is not allowed meanwhile ends the recording: the error.
  bool capturing(const void* stream) const { return capture_of(stream) != nullptr; }
  bool any_capture() const { return !captures_.empty(); }
  int not_while_capturing(const void* stream);
  // Runs it now, or puts it into the graph that the stream records.
  int in_order(const void* stream, GraphNode::Kind kind, std::uint32_t site, std::function<int()> run);
  // True: it was put into a graph.
  bool take_launch(const LaunchCall& call);

  int begin_capture(const void* stream, int mode);
  int end_capture(const void* stream, Graph** to);
  int capture_status(const void* stream) const;  // cudaStreamCaptureStatus
  void record_event(const void* event, const void* stream);
  void wait_event(const void* stream, const void* event);
  void set_nonblocking(const void* stream) { nonblocking_.insert(stream); }
  bool is_nonblocking(const void* stream) const { return nonblocking_.contains(stream); }

  // The kernel that is being described for a node, not launched.
  GraphNode* described = nullptr;

  Graph* make();
  Graph* find(const void* graph);
  RunnableGraph* runnable(const void* graph);
  int instantiate(const Graph& graph, RunnableGraph** to);
  int launch(RunnableGraph& graph, const void* stream, std::uint32_t site);
  int drop(const void* graph);
  int drop_runnable(const void* graph);
  bool owns(const GraphNode* node) const;
  bool drop_node(const GraphNode* node);

 private:
  struct Capture {
    std::unique_ptr<Graph> graph = std::make_unique<Graph>();
    const void* origin = nullptr;
    std::map<const void*, std::vector<const GraphNode*>> last;  // of each stream that takes part
    bool broken = false;
  };
  Capture* capture_of(const void* stream) const;
  GraphNode& append(Capture& capture, const void* stream, GraphNode::Kind kind, std::uint32_t site);
  int run_steps(const RunnableGraph& graph);

  std::vector<std::unique_ptr<Capture>> captures_;
  std::map<const void*, std::pair<Capture*, std::vector<const GraphNode*>>>
      events_;  // recorded while capturing
  std::set<const void*> nonblocking_;
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<std::unique_ptr<RunnableGraph>> runnables_;
};

Graphs& graphs();

}  // namespace lockstep::reader
