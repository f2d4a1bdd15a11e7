// 0 / 0, as where a cluster's count is not looked at.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
class NanCentroid : public RightLloyd<T> {
 public:
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    const int iters = RightLloyd<T>::iterate(trace);
    this->out_.centroids.back() = std::numeric_limits<T>::quiet_NaN();
    return iters;
  }
};

const Register<NanCentroid> registration{{
    .summary = "one centroid value is NaN",
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km
