// CUDA graphs: recorded from streams or put together node by node, launched again and again (CUDA Runtime API
// reference manual, "Graph Management").
#pragma once
#pragma clang system_header

struct lockstep_graph;
struct lockstep_graph_exec;
struct lockstep_graph_node;
typedef lockstep_graph* cudaGraph_t;
typedef lockstep_graph_exec* cudaGraphExec_t;
typedef lockstep_graph_node* cudaGraphNode_t;

enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated };
enum cudaGraphNodeType {
  cudaGraphNodeTypeKernel,
  cudaGraphNodeTypeMemcpy,
  cudaGraphNodeTypeMemset,
  cudaGraphNodeTypeHost,
  cudaGraphNodeTypeGraph,
  cudaGraphNodeTypeEmpty
};
enum cudaGraphExecUpdateResult { cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError, cudaGraphExecUpdateErrorTopologyChanged };
enum cudaGraphInstantiateFlags { cudaGraphInstantiateFlagAutoFreeOnLaunch = 1, cudaGraphInstantiateFlagUpload = 2 };
struct cudaGraphExecUpdateResultInfo {
  cudaGraphExecUpdateResult result;
  cudaGraphNode_t errorNode, errorFromNode;
};
struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim, blockDim;
  unsigned int sharedMemBytes;
  void **kernelParams, **extra;
};
struct cudaMemsetParams {
  void* dst;
  unsigned long pitch;
  unsigned int value, elementSize;
  unsigned long width, height;
};
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};

extern "C" {
cudaError_t lockstep_graph_add_kernel(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, unsigned long, const LockstepPointerLaunch*);
cudaError_t lockstep_graph_add(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, unsigned long, const LockstepGraphWork*);
cudaError_t lockstep_graph_add_child(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, unsigned long, cudaGraph_t child);
cudaError_t lockstep_graph_set_kernel(cudaGraphExec_t, cudaGraphNode_t, const LockstepPointerLaunch*);
cudaError_t lockstep_graph_get_kernel(cudaGraphNode_t, LockstepPointerLaunch*);
cudaError_t lockstep_graph_set(cudaGraphExec_t, cudaGraphNode_t, const LockstepGraphWork*);
cudaError_t lockstep_graph_exec_update(cudaGraphExec_t, cudaGraph_t);
cudaError_t lockstep_set_elements(void* to, unsigned long pitch, unsigned value, unsigned element_bytes, unsigned long width,
                                  unsigned long height);

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) LOCKSTEP_AS(cudaStreamBeginCapture);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) LOCKSTEP_AS(cudaStreamEndCapture);
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus*) LOCKSTEP_AS(cudaStreamIsCapturing);
cudaError_t cudaGraphCreate(cudaGraph_t*, unsigned flags) LOCKSTEP_AS(cudaGraphCreate);
cudaError_t cudaGraphDestroy(cudaGraph_t) LOCKSTEP_AS(cudaGraphDestroy);
cudaError_t cudaGraphClone(cudaGraph_t*, cudaGraph_t) LOCKSTEP_AS(cudaGraphClone);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t*, cudaGraph_t, unsigned long long flags) LOCKSTEP_AS(cudaGraphInstantiateWithFlags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) LOCKSTEP_AS(cudaGraphLaunch);
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) LOCKSTEP_AS(cudaGraphUpload);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) LOCKSTEP_AS(cudaGraphExecDestroy);
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from, const cudaGraphNode_t* to, unsigned long count) LOCKSTEP_AS(cudaGraphAddDependencies);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t, const cudaGraphNode_t* from, const cudaGraphNode_t* to, unsigned long count) LOCKSTEP_AS(cudaGraphRemoveDependencies);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t) LOCKSTEP_AS(cudaGraphDestroyNode);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t, cudaGraphNodeType*) LOCKSTEP_AS(cudaGraphNodeGetType);
cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t*, unsigned long*) LOCKSTEP_AS(cudaGraphGetNodes);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t, cudaGraphNode_t*, unsigned long*) LOCKSTEP_AS(cudaGraphGetRootNodes);
cudaError_t cudaGraphGetEdges(cudaGraph_t, cudaGraphNode_t* from, cudaGraphNode_t* to, unsigned long*) LOCKSTEP_AS(cudaGraphGetEdges);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t, cudaGraphNode_t*, unsigned long*) LOCKSTEP_AS(cudaGraphNodeGetDependencies);
}

inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags = 0) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t*, char*, unsigned long) {
  return cudaGraphInstantiateWithFlags(exec, graph, 0);
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
  const cudaError_t error = lockstep_graph_exec_update(exec, graph);
  if (info) *info = {error == cudaSuccess ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
  return error;
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* node,
                                       cudaGraphExecUpdateResult* result) {
  const cudaError_t error = lockstep_graph_exec_update(exec, graph);
  if (node) *node = nullptr;
  if (result) *result = error == cudaSuccess ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
  return error;
}

// --- what nodes do ---
struct lockstep_linear_copy {
  void* to;
  const void* from;
  unsigned long bytes;
  cudaMemcpyKind kind;
};
#define LOCKSTEP_GRAPH_WORK(type, kind_, call)                                                                       \
  inline LockstepGraphWork lockstep_graph_work(const type* p) {                                                      \
    return {kind_, [](void* kept) -> int { type& p = *static_cast<type*>(kept); return int(call); }, p, sizeof *p}; \
  }
LOCKSTEP_GRAPH_WORK(lockstep_linear_copy, cudaGraphNodeTypeMemcpy, cudaMemcpyAsync(p.to, p.from, p.bytes, p.kind, cudaStreamLegacy))
LOCKSTEP_GRAPH_WORK(cudaMemcpy3DParms, cudaGraphNodeTypeMemcpy, cudaMemcpy3D(&p))
LOCKSTEP_GRAPH_WORK(cudaMemsetParams, cudaGraphNodeTypeMemset,
                    lockstep_set_elements(p.dst, p.pitch, p.value, p.elementSize, p.width, p.height))
LOCKSTEP_GRAPH_WORK(cudaHostNodeParams, cudaGraphNodeTypeHost, (p.fn(p.userData), 0))
#undef LOCKSTEP_GRAPH_WORK
LOCKSTEP_INLINE LockstepPointerLaunch lockstep_node_launch(const cudaKernelNodeParams* p, int line, const char* file) {
  return {p->func, line, file, {p->gridDim.x, p->gridDim.y, p->gridDim.z}, {p->blockDim.x, p->blockDim.y, p->blockDim.z},
          p->sharedMemBytes, p->kernelParams, p->extra};
}

#define LOCKSTEP_AFTER cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, unsigned long count
LOCKSTEP_INLINE cudaError_t cudaGraphAddKernelNode(LOCKSTEP_AFTER, const cudaKernelNodeParams* p, LOCKSTEP_WHERE) {
  const LockstepPointerLaunch how = lockstep_node_launch(p, line, file);
  return lockstep_graph_add_kernel(node, graph, after, count, &how);
}
LOCKSTEP_INLINE cudaError_t cudaGraphAddMemcpyNode(LOCKSTEP_AFTER, const cudaMemcpy3DParms* p) {
  const LockstepGraphWork work = lockstep_graph_work(p);
  return lockstep_graph_add(node, graph, after, count, &work);
}
LOCKSTEP_INLINE cudaError_t cudaGraphAddMemcpyNode1D(LOCKSTEP_AFTER, void* to, const void* from, unsigned long bytes,
                                                     cudaMemcpyKind kind) {
  const lockstep_linear_copy copy{to, from, bytes, kind};
  const LockstepGraphWork work = lockstep_graph_work(&copy);
  return lockstep_graph_add(node, graph, after, count, &work);
}
LOCKSTEP_INLINE cudaError_t cudaGraphAddMemsetNode(LOCKSTEP_AFTER, const cudaMemsetParams* p) {
  const LockstepGraphWork work = lockstep_graph_work(p);
  return lockstep_graph_add(node, graph, after, count, &work);
}
LOCKSTEP_INLINE cudaError_t cudaGraphAddHostNode(LOCKSTEP_AFTER, const cudaHostNodeParams* p) {
  const LockstepGraphWork work = lockstep_graph_work(p);
  return lockstep_graph_add(node, graph, after, count, &work);
}
LOCKSTEP_INLINE cudaError_t cudaGraphAddEmptyNode(LOCKSTEP_AFTER) {
  const LockstepGraphWork work{cudaGraphNodeTypeEmpty, nullptr, nullptr, 0};
  return lockstep_graph_add(node, graph, after, count, &work);
}
LOCKSTEP_INLINE cudaError_t cudaGraphAddChildGraphNode(LOCKSTEP_AFTER, cudaGraph_t child) {
  return lockstep_graph_add_child(node, graph, after, count, child);
}
#undef LOCKSTEP_AFTER

// --- other parameters, of a graph's node or of what was made of it ---
LOCKSTEP_INLINE cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                             const cudaKernelNodeParams* p, LOCKSTEP_WHERE) {
  const LockstepPointerLaunch how = lockstep_node_launch(p, line, file);
  return lockstep_graph_set_kernel(exec, node, &how);
}
LOCKSTEP_INLINE cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p, LOCKSTEP_WHERE) {
  return cudaGraphExecKernelNodeSetParams(nullptr, node, p, line, file);
}
LOCKSTEP_INLINE cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* p) {
  LockstepPointerLaunch how{};
  const cudaError_t error = lockstep_graph_get_kernel(node, &how);
  if (error != cudaSuccess) return error;
  p->func = const_cast<void*>(how.function), p->sharedMemBytes = unsigned(how.shared);
  p->gridDim = dim3(how.grid[0], how.grid[1], how.grid[2]), p->blockDim = dim3(how.block[0], how.block[1], how.block[2]);
  p->kernelParams = how.arguments, p->extra = nullptr;
  return cudaSuccess;
}
template <class P>
LOCKSTEP_INLINE cudaError_t lockstep_graph_change(cudaGraphExec_t exec, cudaGraphNode_t node, const P* p) {
  const LockstepGraphWork work = lockstep_graph_work(p);
  return lockstep_graph_set(exec, node, &work);
}
LOCKSTEP_INLINE cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to, const void* from,
                                                               unsigned long bytes, cudaMemcpyKind kind) {
  const lockstep_linear_copy copy{to, from, bytes, kind};
  return lockstep_graph_change(exec, node, &copy);
}
LOCKSTEP_INLINE cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, unsigned long bytes,
                                                           cudaMemcpyKind kind) {
  return cudaGraphExecMemcpyNodeSetParams1D(nullptr, node, to, from, bytes, kind);
}
#define LOCKSTEP_GRAPH_SET(what, type)                                                                                  \
  LOCKSTEP_INLINE cudaError_t cudaGraphExec##what##NodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const type* p) { \
    return lockstep_graph_change(exec, node, p);                                                                         \
  }                                                                                                                      \
  LOCKSTEP_INLINE cudaError_t cudaGraph##what##NodeSetParams(cudaGraphNode_t node, const type* p) {                      \
    return lockstep_graph_change(nullptr, node, p);                                                                      \
  }
LOCKSTEP_GRAPH_SET(Memcpy, cudaMemcpy3DParms)
LOCKSTEP_GRAPH_SET(Memset, cudaMemsetParams)
LOCKSTEP_GRAPH_SET(Host, cudaHostNodeParams)
#undef LOCKSTEP_GRAPH_SET
