// One value of one centroid is not the mean of its points.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct WrongMean : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { this->at(0, 0) += 1; }
};

const Register<WrongMean> wrong_mean{fault("one mean is wrong")};

}  // namespace
}  // namespace km
