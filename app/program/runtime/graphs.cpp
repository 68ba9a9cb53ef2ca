#include "graphs.hpp"

#include <algorithm>
#include <set>

#include "host_functions.hpp"

namespace lockstep::reader {
namespace {

enum : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kIllegalState = 401,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureUnmatched = 903,
  kCaptureUnjoined = 904,
  kCaptureImplicit = 906
};

// All that these nodes wait for, themselves included.
std::set<const GraphNode*> waited_for(const std::vector<const GraphNode*>& nodes) {
  std::set<const GraphNode*> found;
  std::vector<const GraphNode*> open = nodes;
  while (!open.empty()) {
    const GraphNode* node = open.back();
    open.pop_back();
    if (found.insert(node).second) open.insert(open.end(), node->after.begin(), node->after.end());
  }
  return found;
}

template <class T>
T* owned(const std::vector<std::unique_ptr<T>>& all, const void* wanted) {
  for (const auto& one : all)
    if (one.get() == wanted) return one.get();
  return nullptr;
}

template <class T>
bool drop_from(std::vector<std::unique_ptr<T>>& all, const void* wanted) {
  return std::erase_if(all, [&](const auto& one) { return one.get() == wanted; }) > 0;
}

}  // namespace

Graphs& graphs() {
  static auto* the = new Graphs;  // kernels' states in it belong to objects that are gone at the very end
  return *the;
}

std::vector<const GraphNode*> Graph::in_order() const {
  std::vector<const GraphNode*> order;
  std::set<const GraphNode*> done;
  for (bool found = true; found;) {
    found = false;
    for (const auto& node : nodes) {
      const auto is_done = [&](const GraphNode* other) { return done.contains(other); };
      if (is_done(node.get()) || !std::all_of(node->after.begin(), node->after.end(), is_done)) continue;
      order.push_back(node.get()), done.insert(node.get()), found = true;
    }
  }
  return order;
}

void GraphNode::keep(const LaunchCall& from) {
  std::shared_ptr<void> state = kept_state(from);
  kind = Kind::kernel, site = from.site, call = from;
  call.state = state.get(), call.kept = std::move(state);
  parameters.clear();
  for (const RawArgument& a : call.arguments) {
    if (a.offset < 0) return parameters.clear();
    parameters.push_back(static_cast<char*>(call.state) + a.offset);
  }
}

Graphs::Capture* Graphs::capture_of(const void* stream) const {
  for (const auto& capture : captures_)
    if (capture->last.contains(stream)) return capture.get();
  return nullptr;
}

// The default stream waits for all streams but those that are made not to be waited for.
int Graphs::not_while_capturing(const void* stream) {
  if (Capture* capture = capture_of(stream)) {
    capture->broken = true;
    return kCaptureUnsupported;
  }
  if (stream) return kSuccess;
  for (const auto& capture : captures_)
    if (!nonblocking_.contains(capture->origin)) {
      capture->broken = true;
      return kCaptureImplicit;
    }
  return kSuccess;
}

GraphNode& Graphs::append(Capture& capture, const void* stream, GraphNode::Kind kind, std::uint32_t site) {
  auto node = std::make_unique<GraphNode>();
  node->kind = kind, node->site = site;
  std::vector<const GraphNode*>& last = capture.last[stream];
  node->after = last, last = {node.get()};
  capture.graph->nodes.push_back(std::move(node));
  return *capture.graph->nodes.back();
}

int Graphs::in_order(const void* stream, GraphNode::Kind kind, std::uint32_t site, std::function<int()> run) {
  Capture* capture = capture_of(stream);
  if (!capture) {
    if (const int error = not_while_capturing(stream)) return runtime().fail(error);
    return run();
  }
  append(*capture, stream, kind, site).run = std::move(run);
  return kSuccess;
}

bool Graphs::take_launch(const LaunchCall& launched) {
  GraphNode* node = described;
  if (Capture* capture = capture_of(launched.stream); capture && !node)
    node = &append(*capture, launched.stream, GraphNode::Kind::kernel, launched.site);
  if (node) node->keep(launched);
  return node != nullptr;
}

int Graphs::begin_capture(const void* stream, int) {
  if (!stream) return kCaptureUnsupported;
  if (capture_of(stream)) return kIllegalState;
  auto capture = std::make_unique<Capture>();
  capture->origin = stream, capture->last[stream];
  captures_.push_back(std::move(capture));
  return kSuccess;
}

int Graphs::end_capture(const void* stream, Graph** to) {
  *to = nullptr;
  Capture* capture = capture_of(stream);
  if (!capture) return kIllegalState;
  if (capture->origin != stream) return kCaptureUnmatched;
  int error = capture->broken ? kCaptureInvalidated : kSuccess;
  const auto joined = waited_for(capture->last[stream]);
  for (const auto& [other, last] : capture->last)
    for (const GraphNode* node : last)
      if (!error && !joined.contains(node)) error = kCaptureUnjoined;
  if (!error) {
    graphs_.push_back(std::move(capture->graph));
    *to = graphs_.back().get();
  }
  std::erase_if(events_, [&](const auto& event) { return event.second.first == capture; });
  drop_from(captures_, capture);
  return error;
}

int Graphs::capture_status(const void* stream) const {
  const Capture* capture = capture_of(stream);
  return !capture ? 0 : capture->broken ? 2 : 1;
}

void Graphs::record_event(const void* event, const void* stream) {
  events_.erase(event);
  if (Capture* capture = capture_of(stream)) events_[event] = {capture, capture->last[stream]};
}

void Graphs::wait_event(const void* stream, const void* event) {
  const auto recorded = events_.find(event);
  if (recorded == events_.end()) return;
  const auto& [capture, nodes] = recorded->second;
  std::vector<const GraphNode*>& last = capture->last[stream];
  for (const GraphNode* node : nodes)
    if (std::find(last.begin(), last.end(), node) == last.end()) last.push_back(node);
}

Graph* Graphs::make() {
  graphs_.push_back(std::make_unique<Graph>());
  return graphs_.back().get();
}
Graph* Graphs::find(const void* graph) { return owned(graphs_, graph); }
RunnableGraph* Graphs::runnable(const void* graph) { return owned(runnables_, graph); }
int Graphs::drop(const void* graph) { return drop_from(graphs_, graph) ? kSuccess : kInvalidValue; }
int Graphs::drop_runnable(const void* graph) {
  return drop_from(runnables_, graph) ? kSuccess : kInvalidValue;
}

bool Graphs::owns(const GraphNode* node) const {
  return std::any_of(graphs_.begin(), graphs_.end(),
                     [&](const auto& graph) { return owned(graph->nodes, node) != nullptr; });
}

bool Graphs::drop_node(const GraphNode* node) {
  for (const auto& graph : graphs_) {
    if (!drop_from(graph->nodes, node)) continue;
    for (const auto& other : graph->nodes) std::erase(other->after, node);
    return true;
  }
  return false;
}

int Graphs::instantiate(const Graph& graph, RunnableGraph** to) {
  const auto order = graph.in_order();
  if (order.size() != graph.nodes.size()) return kInvalidValue;
  auto made = std::make_unique<RunnableGraph>();
  for (const GraphNode* node : order) made->steps.push_back({node, *node});
  runnables_.push_back(std::move(made));
  *to = runnables_.back().get();
  return kSuccess;
}

int Graphs::run_steps(const RunnableGraph& graph) {
  for (const RunnableGraph::Step& step : graph.steps) {
    runtime().graph_site = step.node.site;
    int error = kSuccess;
    if (step.node.kind == GraphNode::Kind::kernel)
      runtime().launch(step.node.call), error = runtime().sticky ? runtime().error : kSuccess;
    else if (step.node.run)
      error = step.node.run();
    runtime().graph_site = 0;
    if (error) return error;
  }
  return kSuccess;
}

int Graphs::launch(RunnableGraph& graph, const void* stream, std::uint32_t site) {
  return in_order(stream, GraphNode::Kind::child, site, [this, &graph] {
    const int outer = runtime().graph_launch;
    if (!outer) runtime().graph_launch = ++runtime().graph_launches;
    const int error = run_steps(graph);
    runtime().graph_launch = outer;
    return error;
  });
}

}  // namespace lockstep::reader
