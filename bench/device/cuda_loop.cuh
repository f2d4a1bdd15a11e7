// Iterations that the device repeats by itself: recorded once, launched once, and stopped where a kernel says so. The host neither launches
// nor waits in between. A loop of unknown length is a conditional node, which CUDA has since 12.4.
#pragma once

#include <functional>

#include "bench/device/cuda.cuh"

namespace km::cuda {

/// What is looked at, and moved, after each iteration.
struct Turn {
  const unsigned long long* changed;  // labels changed so far, in all iterations
  double stop_at;                     // as many in one iteration are few enough
  int max_iters;
  const void* next;  // becomes assigned, where another iteration follows: bytes, a multiple of 4
  void* assigned;
  std::int64_t bytes;
  unsigned long long* progress;  // labels changed before this iteration, iterations made; zero when a run begins
  int* iters;                    // page-locked memory of the host: iterations made, at the end
};

/// Whether this driver knows conditional nodes, and the program was built to use them.
bool can_loop();

/// `iteration` enqueues one on the stream; repeated until the turn ends it.
Graph loop(cudaStream_t stream, const std::function<void()>& iteration, const Turn& turn);

}  // namespace km::cuda
