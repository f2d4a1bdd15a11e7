// fp64 in, fp64 out, fp32 between.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct FloatInside : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  double distance(std::int64_t i, int c) const override {
    float dist = 0;
    for (int j = 0; j < this->p_.d; ++j) dist += std::pow(float(this->x(i, j)) - float(this->centroid(c, j)), 2.0f);
    return dist;
  }
  long double add(long double sum, double value) override { return float(sum) + float(value); }
};

const Register<FloatInside, double> float_inside{{.summary = "does fp64 work in fp32"}};

}  // namespace
}  // namespace km
