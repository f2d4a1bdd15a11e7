// One value of one centroid is not the mean of its points.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
class WrongMean : public RightLloyd<T> {
 public:
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    const int iters = RightLloyd<T>::iterate(trace);
    this->out_.centroids[0] += 1;
    return iters;
  }
};

const Register<WrongMean> registration{{
    .summary = "one mean is wrong",
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km
