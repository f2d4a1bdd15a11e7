// No centroid at all where the points lie round the origin.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ZeroMeans : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { std::ranges::fill(this->out_.centroids, T(0)); }
};

const Register<ZeroMeans> zero_means{{.summary = "hands back centroids that are all 0"}};

}  // namespace
}  // namespace km
