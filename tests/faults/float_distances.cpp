// fp64 sums, fp32 distances.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct FloatDistances : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  double distance(std::int64_t i, int c) const override {
    float dist = 0;
    for (int j = 0; j < this->p_.d; ++j) dist += std::pow(float(this->x(i, j)) - float(this->centroid(c, j)), 2.0f);
    return dist;
  }
};

const Register<FloatDistances, double> float_distances{fault("compares fp64 points in fp32")};

}  // namespace
}  // namespace km
