// 1 / 0.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct InfiniteCentroid : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { this->out_.centroids.back() = std::numeric_limits<T>::infinity(); }
};

const Register<InfiniteCentroid> infinite_centroid{fault("one centroid value is infinite")};

}  // namespace
}  // namespace km
