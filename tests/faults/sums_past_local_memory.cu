// The fault of lutz2018's own fused kernel: where a tile of points does not fit local memory, from 128 dimensions on with the paper's
// launch, it is read again from global memory for the sums, and from the wrong place: here without the tile's first point. Labels are right.
#include "impl/gpu/lloyd/single_pass_transposed.cuh"

namespace km {
namespace {

template <class T>
struct PointsOfTheFirstTile : lutz::PointsReadAgain<T> {
  const T* const first_tile;
  __device__ PointsOfTheFirstTile(T* room, const T* points, std::int64_t n, std::int64_t first, int pitch)
      : lutz::PointsReadAgain<T>(room, points, n, first, pitch), first_tile(points) {}
  __device__ T at(int j, int q) const { return first_tile[j * this->n + q]; }
};

template <class T>
struct SumsPastLocalMemory : lutz::SinglePass<T, PointsOfTheFirstTile> {
  using lutz::SinglePass<T, PointsOfTheFirstTile>::SinglePass;
};

const Register<SumsPastLocalMemory> sums_past_local_memory{
    lutz::fused_description("sums the first tile's points for every tile that local memory cannot keep")};

}  // namespace
}  // namespace km
