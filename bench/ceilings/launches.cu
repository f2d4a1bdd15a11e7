// Measures the cost of a launch.
#include "bench/ceilings/ceilings.cuh"

namespace km::ceilings {
namespace {

__global__ void empty_kernel() {}

void enqueue_empty(cudaStream_t stream, int times) {
  for (int launch = 0; launch < times; ++launch) {
    empty_kernel<<<1, 1, 0, stream>>>();
    cuda::check_launch();
  }
}

}  // namespace

double launch_s(const cuda::Stream& stream) {
  constexpr int launches = 1000;
  return least_event_s(stream, [&] { enqueue_empty(stream, launches); }) / launches;
}

/// Wall-clock time on the host.
double launch_sync_s(const cuda::Stream& stream) {
  constexpr int launches = 100;
  return least([&] {
    const auto start = Clock::now();
    for (int launch = 0; launch < launches; ++launch) {
      enqueue_empty(stream, 1);
      stream.synchronize();
    }
    return seconds_since(start) / launches;
  });
}

/// Time per kernel of a graph that is a chain of kernels.
double graph_launch_s(const cuda::Stream& stream) {
  constexpr int kernels = 100, launches = 10;
  cuda::Graph graph(stream, [&] { enqueue_empty(stream, kernels); });
  return least_event_s(stream,
                       [&] {
                         for (int launch = 0; launch < launches; ++launch) graph.launch(stream);
                       }) /
         (kernels * launches);
}

}  // namespace km::ceilings
