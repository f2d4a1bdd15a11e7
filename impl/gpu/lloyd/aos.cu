// benedetti2025's array of structures, the counterpart of soa_constant: points and centroids as rows. Neighbouring threads read d values apart, so a
// warp's read of one dimension touches 32 d values; caches help only while rows are short. Everything else is soa_constant's.
#include "impl/gpu/lloyd/benedetti.cuh"

namespace km {
namespace {

struct Rows {
  static constexpr cuda::Layout layout = cuda::Layout::rows;
  template <class I>
  static __device__ I at(I i, int j, I, int d) {
    return i * d + j;
  }
};

template <class T>
using Aos = Benedetti<T, Rows, ConstantMemory, BlockPerValue>;

const Register<Aos> registration{block_per_value("array of structures: points as rows, else soa_constant", true)};

}  // namespace
}  // namespace km
