// The GPU's faults. scripts/gpu_test and the tests of their originals run them.
#include "bench/device/cuda.cuh"
#include "impl/gpu/lloyd/screened.cuh"
#include "impl/gpu/lloyd/single_pass_transposed.cuh"
#include "impl/gpu/triangle/host_driven.cuh"
#include "impl/gpu/yinyang/compacted.cuh"
#include "impl/gpu/yinyang/yinyang.cuh"
#include "tests/faults/broken.hpp"

namespace km {
namespace {

// Centroids that are nearer are never tried.
struct KM_PLANTED(cutoff_at_its_own_distance,
                  fault_on_gpu("tries no centroid that is further from a point's own than the point is", triangle::too_large))
    : triangle::HostDriven<T> {
  cutoff_at_its_own_distance(const Problem<T>& problem, const Config&, Trace& trace)
      : triangle::HostDriven<T>(problem, trace, {30, 256}, {.reinforced = true}, triangle::kernels<T, false, true>(problem.d, problem.k),
                                triangle::Cutoff<T>(1, 0)) {}
};

// A filter leaves out centroids that have come nearer.
struct KM_PLANTED(drift_on_the_gpu, fault_on_gpu("moves its bounds by nine tenths of the centroids' drifts", yinyang::too_many_points))
    : yinyang::Yinyang<T, yinyang::WholeGroup, yinyang::ByPoint> {
  drift_on_the_gpu(const Problem<T>& problem, const Config&, Trace& trace)
      : yinyang::Yinyang<T, yinyang::WholeGroup, yinyang::ByPoint>(problem, trace, yinyang::how_many_groups(problem.k, 0), false, T(0.9)) {}
};

// Points are left alone that have another centroid nearer.
struct KM_PLANTED(nine_tenths_of_the_shift,
                  fault_on_gpu("lets bounds pay nine tenths of what centroids move", compacted::too_large, compacted::parameters()))
    : compacted::Compacted<T> {
  nine_tenths_of_the_shift(const Problem<T>& problem, const Config& config, Trace& trace) : compacted::Compacted<T>(problem, config, trace, 0.9f) {}
};

// Takes the ranking of fp16 products for right where they cannot tell.
struct KM_PLANTED(screen_of_nine_tenths, fault_on_gpu(
                                             "decides labels by nine tenths of the margin of fp16 products",
                                             [](const ProblemShape& p) { return screen::too_large(p, sizeof(double)); }, screen::parameters()))
    : screen::Screened<T> {
  screen_of_nine_tenths(const Problem<T>& problem, const Config& config, Trace& trace)
      : screen::Screened<T>(problem, config, trace, screen::mma, 0.9f) {}
};

// The fault of lutz2018's own fused kernel: from 128 dimensions on with the paper's launch, a tile of points does not fit local memory. For the sums
// it is read again from global memory, and from the wrong place: here without the tile's first point. Labels are right.
template <class T>
struct PointsOfTheFirstTile : lutz::PointsReadAgain<T> {
  const T* const first_tile;
  __device__ PointsOfTheFirstTile(T* tile_memory, const T* points, std::int64_t n, std::int64_t first, int pitch)
      : lutz::PointsReadAgain<T>(tile_memory, points, n, first, pitch), first_tile(points) {}
  __device__ T at(int j, int q) const { return first_tile[j * this->n + q]; }
};
struct KM_PLANTED(sums_past_local_memory, lutz::fused_description("sums the first tile's points for every tile that local memory cannot keep"))
    : lutz::SinglePass<T, PointsOfTheFirstTile> {
  using lutz::SinglePass<T, PointsOfTheFirstTile>::SinglePass;
};

// The GPU's context is lost, and with it all else that the process wanted of the GPU.
__global__ void write_outside(int* values) { values[std::int64_t(1) << 40] = 1; }
struct KM_PLANTED(illegal_address, (Description{.summary = "writes outside its memory", .device = Device::gpu})) {
  illegal_address(const Problem<T>& problem, const Config&, Trace&) : p_(problem), values_(1) {}
  void reset() {}
  int iterate(Trace&) {
    write_outside<<<1, 1, 0, stream_>>>(values_.data());
    cuda::check_launch();
    stream_.synchronize();  // throws
    return p_.max_iters;
  }
  Solution<T> download() { return Solution<T>::poisoned(p_); }

  Problem<T> p_;
  cuda::Stream stream_;
  cuda::Buffer<int> values_;
};

// A wall clock that does not wait for the device misses 50 ms a run.
__global__ void spin(long long ns) {
  long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < ns);
}
struct KM_FAULT(unfinished_kernel, fault_on_gpu("returns before its kernel has finished")) {
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
  cuda::Stream stream_;
};

}  // namespace
}  // namespace km
