// Bounds that pay nine tenths of what centroids move: points are left alone that have another centroid nearer.
#include "impl/gpu/hamerly/neighbours.cuh"
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct NeighboursStay : neighbours::Neighbours<T> {
  NeighboursStay(const Problem<T>& problem, const Config& config, Trace& trace) : neighbours::Neighbours<T>(problem, config, trace, 0.9f) {}
};

Description staying() {
  Description made = fault_on_gpu("lets bounds pay nine tenths of what neighbouring centroids move", {}, neighbours::parameters());
  made.unsupported = neighbours::too_large;
  return made;
}
const Register<NeighboursStay, float> neighbours_stay{staying()};

}  // namespace
}  // namespace km
