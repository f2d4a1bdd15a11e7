// Returns from iterate while its kernel still runs: a wall clock that does not wait for the device misses 50 ms a run.
#include "bench/device/cuda.cuh"
#include "tests/faults/broken.hpp"

namespace km {
namespace {

__global__ void spin(long long ns) {
  long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < ns);
}

template <class T>
struct UnfinishedKernel : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    const int iters = RightLloyd<T>::iterate(trace);
    spin<<<1, 1, 0, stream_>>>(50'000'000);
    cuda::check_launch();
    return iters;
  }
  Solution<T> download() {
    stream_.synchronize();
    return this->out_;
  }

 private:
  cuda::Stream stream_;
};

const Register<UnfinishedKernel> unfinished_kernel{fault_on_gpu("returns before its kernel has finished")};

}  // namespace
}  // namespace km
