// 0 / 0, as where a cluster's count is not looked at.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct NanCentroid : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { this->out_.centroids.back() = std::numeric_limits<T>::quiet_NaN(); }
};

const Register<NanCentroid> nan_centroid{fault("one centroid value is NaN")};

}  // namespace
}  // namespace km
