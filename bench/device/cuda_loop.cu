#include "bench/device/cuda_loop.cuh"

namespace km::cuda {
#if CUDART_VERSION >= 12040
namespace {

constexpr int threads = 256;

__global__ void end_turn(cudaGraphConditionalHandle goes_on, const Turn turn) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    const auto total = *turn.changed, changed = total - turn.progress[0];
    const int made = static_cast<int>(++turn.progress[1]);
    turn.progress[0] = total;
    last = made == turn.max_iters || static_cast<double>(changed) <= turn.stop_at;
    if (last) *turn.iters = made;
    cudaGraphSetConditional(goes_on, last ? 0 : 1);
  }
  __syncthreads();
  if (last) return;
  for (std::int64_t at = threadIdx.x; at < turn.bytes / 4; at += threads)
    static_cast<std::uint32_t*>(turn.assigned)[at] = static_cast<const std::uint32_t*>(turn.next)[at];
}

/// Adds a conditional node that repeats its body graph.
cudaGraph_t add_loop(cudaGraph_t graph, cudaGraphConditionalHandle goes_on) {
  cudaGraphNode_t node = nullptr;
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = goes_on;
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 1;
#if CUDART_VERSION >= 13000
  check(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
#else
  check(cudaGraphAddNode(&node, graph, nullptr, 0, &params));
#endif
  return params.conditional.phGraph_out[0];
}

}  // namespace

bool can_loop() {
  int driver = 0;
  return cudaDriverGetVersion(&driver) == cudaSuccess && driver >= 12040;
}

Graph loop(cudaStream_t stream, const std::function<void()>& iteration, const Turn& turn) {
  cudaGraph_t made = nullptr;
  check(cudaGraphCreate(&made, 0));
  const std::unique_ptr<CUgraph_st, decltype([](cudaGraph_t graph) { static_cast<void>(cudaGraphDestroy(graph)); })> graph(made);
  cudaGraphConditionalHandle goes_on{};
  check(cudaGraphConditionalHandleCreate(&goes_on, graph.get(), 1, cudaGraphCondAssignDefault));
  cudaGraph_t body = add_loop(graph.get(), goes_on);
  check(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal));
  try {
    iteration();
    end_turn<<<1, threads, 0, stream>>>(goes_on, turn);
    check_launch();
  } catch (...) {
    static_cast<void>(cudaStreamEndCapture(stream, &body));
    throw;
  }
  check(cudaStreamEndCapture(stream, &body));
  return Graph(graph.get());
}
#else
bool can_loop() { return false; }
Graph loop(cudaStream_t, const std::function<void()>&, const Turn&) { throw std::logic_error("built with a CUDA older than 12.4"); }
#endif

}  // namespace km::cuda
