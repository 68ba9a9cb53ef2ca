#include "graph_functions.hpp"

#include <cstring>

#include "app/platform/program_objects.hpp"
#include "graphs.hpp"
#include "host_functions.hpp"
#include "host_turn.hpp"

using lockstep::reader::Graph;
using lockstep::reader::GraphNode;
using lockstep::reader::graphs;
using lockstep::reader::LaunchCall;
using lockstep::reader::RawArgument;
using lockstep::reader::RunnableGraph;
using lockstep::reader::runtime;
using lockstep::reader::tracer;
using lockstep::reader::value_text;

namespace {

enum : int { kSuccess = 0, kInvalidValue = 1, kInvalidFunction = 98, kUpdateFailed = 910 };

#define LOCKSTEP_HERE __builtin_return_address(0)

struct KnownKernel {
  std::string name;
  LockstepLaunchFromPointers launch = nullptr;
};
std::map<const void*, KnownKernel>& known_kernels() {
  static auto* all = new std::map<const void*, KnownKernel>;
  return *all;
}

int told(int error) { return error ? runtime().fail(error) : runtime().sticky ? runtime().error : kSuccess; }

// Calls the launcher of the kernel's own types. Not known: the program never turned it into a plain pointer.
int launch_known(const void* function, const LockstepPointerLaunch& how, void* stream, int cooperative) {
  const auto known = known_kernels().find(function);
  if (known == known_kernels().end()) return kInvalidFunction;
  if (!how.arguments && !how.extra) return kInvalidValue;
  LockstepLaunchInfo info{};
  info.line = how.line, info.file = how.file, info.name = known->second.name.c_str(), info.texts = "";
  std::memcpy(info.grid, how.grid, sizeof info.grid), std::memcpy(info.block, how.block, sizeof info.block);
  info.shared = how.shared, info.stream = stream, info.cooperative = cooperative;
  known->second.launch(&info, function, how.arguments);
  return kSuccess;
}

// The same kernel with other arguments, grid and block.
void change_kernel(GraphNode& node, const LockstepPointerLaunch& how) {
  LaunchCall call = node.call;
  const auto old = node.call.kept;  // what `how` points to may be this node's own
  node.keep(call);
  for (std::size_t i = 0; i < node.parameters.size(); ++i) {
    RawArgument& a = node.call.arguments[i];
    std::memmove(node.parameters[i], how.arguments[i], a.bytes);
    if (a.bytes <= sizeof a.bits) std::memcpy(&a.bits, how.arguments[i], a.bytes), a.value = value_text(a);
  }
  const auto extents = [](const unsigned(&e)[3]) { return lab::Extents{int(e[0]), int(e[1]), int(e[2])}; };
  node.call.grid = extents(how.grid), node.call.block = extents(how.block);
  node.call.shared = std::int64_t(how.shared);
}

// The node's kernel, with copies of the arguments as they are now.
int describe_kernel(GraphNode& node, const LockstepPointerLaunch& how) {
  if (how.function == node.call.function && !node.parameters.empty() && how.arguments)
    return change_kernel(node, how), kSuccess;
  graphs().described = &node;
  const int error = launch_known(how.function, how, nullptr, 0);
  graphs().described = nullptr;
  return error;
}

void describe_other(GraphNode& node, const LockstepGraphWork& work) {
  const auto* bytes = static_cast<const unsigned char*>(work.parameters);
  node.kind = GraphNode::Kind(work.kind);
  if (work.run)
    node.run = [run = work.run, kept = std::vector<unsigned char>(bytes, bytes + work.bytes)]() mutable {
      return run(kept.data());
    };
}

int add_node(GraphNode** to, void* graph, GraphNode* const* after, unsigned long count, void* here,
             const std::function<int(GraphNode&)>& fill) {
  Graph* g = graphs().find(graph);
  if (!g || !to || (count && !after)) return told(kInvalidValue);
  auto node = std::make_unique<GraphNode>();
  node->site = tracer().site(here);
  for (unsigned long i = 0; i < count; ++i) node->after.push_back(after[i]);
  if (const int error = fill(*node)) return told(error);
  *to = node.get();
  g->nodes.push_back(std::move(node));
  return told(kSuccess);
}

GraphNode* step_of(void* exec, const GraphNode* node) {
  if (RunnableGraph* runnable = graphs().runnable(exec))
    for (auto& step : runnable->steps)
      if (step.made_of == node) return &step.node;
  return nullptr;
}

// The node itself where `exec` is null.
GraphNode* changed_node(void* exec, GraphNode* node) {
  if (exec) return step_of(exec, node);
  return graphs().owns(node) ? node : nullptr;
}

}  // namespace

using lockstep::reader::HostTurn;

extern "C" {

const char* lockstep_kernel_name(const void* function) {
  const HostTurn turn;
  static auto* names = new std::map<const void*, std::string>;
  std::string& name = (*names)[function];
  if (name.empty()) name = lockstep::reader::kernel_name(function);
  return name.c_str();
}

void lockstep_kernel_known(const void* function, const char* name, LockstepLaunchFromPointers launch) {
  const HostTurn turn;
  known_kernels()[function] = {name, launch};
}

int lockstep_launch_known(const void* function, const LockstepPointerLaunch* how, void* stream,
                          int cooperative) {
  const HostTurn turn;
  if (const int error = launch_known(function, *how, stream, cooperative)) return told(error);
  return runtime().error;
}

int lockstep_cudaStreamBeginCapture(void* stream, int mode) {
  const HostTurn turn;
  return told(graphs().begin_capture(stream, mode));
}
int lockstep_cudaStreamEndCapture(void* stream, Graph** graph) {
  const HostTurn turn;
  return told(graph ? graphs().end_capture(stream, graph) : kInvalidValue);
}
int lockstep_cudaStreamIsCapturing(void* stream, int* status) {
  const HostTurn turn;
  return *status = graphs().capture_status(stream), told(kSuccess);
}

int lockstep_cudaGraphCreate(Graph** graph, unsigned) {
  const HostTurn turn;
  return *graph = graphs().make(), told(kSuccess);
}
int lockstep_cudaGraphDestroy(void* graph) {
  const HostTurn turn;
  return told(graphs().drop(graph));
}
int lockstep_cudaGraphExecDestroy(void* exec) {
  const HostTurn turn;
  return told(graphs().drop_runnable(exec));
}
int lockstep_cudaGraphClone(Graph** to, void* from) {
  const HostTurn turn;
  const Graph* original = graphs().find(from);
  if (!original) return told(kInvalidValue);
  Graph* made = graphs().make();
  std::map<const GraphNode*, GraphNode*> copies;
  for (const auto& node : original->nodes) {
    made->nodes.push_back(std::make_unique<GraphNode>(*node));
    copies[node.get()] = made->nodes.back().get();
  }
  for (const auto& node : made->nodes)
    for (const GraphNode*& other : node->after) other = copies[other];
  return *to = made, told(kSuccess);
}

int lockstep_cudaGraphInstantiateWithFlags(RunnableGraph** exec, void* graph, unsigned long long) {
  const HostTurn turn;
  const Graph* found = graphs().find(graph);
  return told(found && exec ? graphs().instantiate(*found, exec) : kInvalidValue);
}
int lockstep_cudaGraphLaunch(void* exec, void* stream) {
  const HostTurn turn;
  RunnableGraph* found = graphs().runnable(exec);
  return told(found ? graphs().launch(*found, stream, tracer().site(LOCKSTEP_HERE)) : kInvalidValue);
}
int lockstep_cudaGraphUpload(void* exec, void*) {
  const HostTurn turn;
  return told(graphs().runnable(exec) ? kSuccess : kInvalidValue);
}

// Possible where the other graph has the same nodes in the same order.
int lockstep_graph_exec_update(void* exec, void* graph) {
  const HostTurn turn;
  RunnableGraph* runnable = graphs().runnable(exec);
  const Graph* other = graphs().find(graph);
  if (!runnable || !other) return told(kInvalidValue);
  const auto order = other->in_order();
  if (order.size() != runnable->steps.size()) return told(kUpdateFailed);
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i]->kind != runnable->steps[i].node.kind) return told(kUpdateFailed);
  for (std::size_t i = 0; i < order.size(); ++i) runnable->steps[i].node = *order[i];
  return told(kSuccess);
}

int lockstep_graph_add_kernel(GraphNode** node, void* graph, GraphNode* const* after, unsigned long count,
                              const LockstepPointerLaunch* how) {
  const HostTurn turn;
  return add_node(node, graph, after, count, LOCKSTEP_HERE,
                  [&](GraphNode& made) { return describe_kernel(made, *how); });
}
int lockstep_graph_add(GraphNode** node, void* graph, GraphNode* const* after, unsigned long count,
                       const LockstepGraphWork* work) {
  const HostTurn turn;
  return add_node(node, graph, after, count, LOCKSTEP_HERE, [&](GraphNode& made) {
    describe_other(made, *work);
    return kSuccess;
  });
}
int lockstep_graph_add_child(GraphNode** node, void* graph, GraphNode* const* after, unsigned long count,
                             void* child) {
  const HostTurn turn;
  const Graph* found = graphs().find(child);
  RunnableGraph* runnable = nullptr;
  if (!found) return told(kInvalidValue);
  if (const int error = graphs().instantiate(*found, &runnable)) return told(error);
  void* here = LOCKSTEP_HERE;
  return add_node(node, graph, after, count, here, [&](GraphNode& made) {
    made.kind = GraphNode::Kind::child;
    made.run = [runnable, here] { return graphs().launch(*runnable, nullptr, tracer().site(here)); };
    return kSuccess;
  });
}
int lockstep_graph_set_kernel(void* exec, GraphNode* node, const LockstepPointerLaunch* how) {
  const HostTurn turn;
  GraphNode* changed = changed_node(exec, node);
  if (!changed || changed->kind != GraphNode::Kind::kernel) return told(kInvalidValue);
  return told(describe_kernel(*changed, *how));
}
// The parameters are those of the node, which must not be changed in their place.
int lockstep_graph_get_kernel(GraphNode* node, LockstepPointerLaunch* to) {
  const HostTurn turn;
  if (!graphs().owns(node) || node->kind != GraphNode::Kind::kernel) return told(kInvalidValue);
  const auto& call = node->call;
  *to = {};
  to->function = call.function, to->shared = std::uint64_t(call.shared);
  const lab::Extents* const from[] = {&call.grid, &call.block};
  unsigned(*const extents[])[3] = {&to->grid, &to->block};
  for (int i = 0; i < 2; ++i) {
    (*extents[i])[0] = unsigned(from[i]->x), (*extents[i])[1] = unsigned(from[i]->y);
    (*extents[i])[2] = unsigned(from[i]->z);
  }
  to->arguments = node->parameters.empty() ? nullptr : node->parameters.data();
  return told(kSuccess);
}
int lockstep_graph_set(void* exec, GraphNode* node, const LockstepGraphWork* work) {
  const HostTurn turn;
  GraphNode* changed = changed_node(exec, node);
  if (!changed || changed->kind != GraphNode::Kind(work->kind)) return told(kInvalidValue);
  return describe_other(*changed, *work), told(kSuccess);
}

int lockstep_cudaGraphAddDependencies(void* graph, GraphNode* const* from, GraphNode* const* to,
                                      unsigned long count) {
  const HostTurn turn;
  if (!graphs().find(graph)) return told(kInvalidValue);
  for (unsigned long i = 0; i < count; ++i) {
    if (!graphs().owns(from[i]) || !graphs().owns(to[i])) return told(kInvalidValue);
    to[i]->after.push_back(from[i]);
  }
  return told(kSuccess);
}
int lockstep_cudaGraphRemoveDependencies(void* graph, GraphNode* const* from, GraphNode* const* to,
                                         unsigned long count) {
  const HostTurn turn;
  if (!graphs().find(graph)) return told(kInvalidValue);
  for (unsigned long i = 0; i < count; ++i) std::erase(to[i]->after, from[i]);
  return told(kSuccess);
}
int lockstep_cudaGraphDestroyNode(GraphNode* node) {
  const HostTurn turn;
  return told(graphs().drop_node(node) ? kSuccess : kInvalidValue);
}
int lockstep_cudaGraphNodeGetType(const GraphNode* node, int* type) {
  const HostTurn turn;
  if (!graphs().owns(node)) return told(kInvalidValue);
  return *type = int(node->kind), told(kSuccess);
}

// Where there is no room for them, their number alone.
int lockstep_cudaGraphGetNodes(void* graph, const GraphNode** nodes, unsigned long* count) {
  const HostTurn turn;
  const Graph* found = graphs().find(graph);
  if (!found || !count) return told(kInvalidValue);
  if (nodes)
    for (unsigned long i = 0; i < std::min<unsigned long>(*count, found->nodes.size()); ++i)
      nodes[i] = found->nodes[i].get();
  return *count = found->nodes.size(), told(kSuccess);
}
int lockstep_cudaGraphGetRootNodes(void* graph, const GraphNode** nodes, unsigned long* count) {
  const HostTurn turn;
  const Graph* found = graphs().find(graph);
  if (!found || !count) return told(kInvalidValue);
  unsigned long roots = 0;
  for (const auto& node : found->nodes)
    if (node->after.empty()) {
      if (nodes && roots < *count) nodes[roots] = node.get();
      ++roots;
    }
  return *count = roots, told(kSuccess);
}
int lockstep_cudaGraphGetEdges(void* graph, const GraphNode** from, const GraphNode** to,
                               unsigned long* count) {
  const HostTurn turn;
  const Graph* found = graphs().find(graph);
  if (!found || !count) return told(kInvalidValue);
  unsigned long edges = 0;
  for (const auto& node : found->nodes)
    for (const GraphNode* before : node->after) {
      if (from && to && edges < *count) from[edges] = before, to[edges] = node.get();
      ++edges;
    }
  return *count = edges, told(kSuccess);
}
int lockstep_cudaGraphNodeGetDependencies(const GraphNode* node, const GraphNode** after,
                                          unsigned long* count) {
  const HostTurn turn;
  if (!graphs().owns(node) || !count) return told(kInvalidValue);
  if (after)
    for (unsigned long i = 0; i < std::min<unsigned long>(*count, node->after.size()); ++i)
      after[i] = node->after[i];
  return *count = node->after.size(), told(kSuccess);
}
}
