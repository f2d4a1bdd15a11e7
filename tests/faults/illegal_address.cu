// A kernel that writes far outside its buffer: the GPU's context is lost, and with it whatever else the process wanted of the GPU.
#include "bench/device/cuda.cuh"
#include "bench/implementation.hpp"

namespace km {
namespace {

__global__ void write_outside(int* values) { values[std::int64_t(1) << 40] = 1; }

template <class T>
class IllegalAddress {
 public:
  IllegalAddress(const Problem<T>& problem, const Config&, Trace&) : p_(problem), values_(1) {}

  void reset() {}

  int iterate(Trace&) {
    write_outside<<<1, 1, 0, stream_>>>(values_.data());
    cuda::check_launch();
    stream_.synchronize();  // throws
    return p_.max_iters;
  }

  Solution<T> download() { return Solution<T>::poisoned(p_); }

 private:
  Problem<T> p_;
  cuda::Stream stream_;
  cuda::Buffer<int> values_;
};

const Register<IllegalAddress> illegal_address{{.summary = "writes outside its memory", .device = Device::gpu}};

}  // namespace
}  // namespace km
