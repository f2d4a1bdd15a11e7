// Iterations as a CUDA graph: captured once, launched once, stopped by a kernel. The host neither launches nor waits in between. A loop of unknown
// length is a conditional node (CUDA 12.4).
#pragma once

#include <functional>

#include "bench/device/cuda.cuh"

namespace km::cuda {

/// Convergence test and buffers of each iteration.
struct Turn {
  const unsigned long long* changed;  // labels changed in all iterations so far
  double stop_at;                     // stop at so few changes in an iteration
  int max_iters;
  const void* next;  // becomes assigned in the next iteration; bytes, a multiple of 4
  void* assigned;
  std::int64_t bytes;
  unsigned long long* progress;  // labels changed before this iteration, iterations made; zero at the start of a run
  int* iters;                    // page-locked host memory: iterations made, at the end
};

/// True if driver and build support conditional nodes.
bool can_loop();

/// `iteration` enqueues one iteration on the stream. The graph repeats it until `turn` stops it.
Graph loop(cudaStream_t stream, const std::function<void()>& iteration, const Turn& turn);

}  // namespace km::cuda
