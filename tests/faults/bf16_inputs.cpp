// 8 significant bits go into the products.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct Bf16Inputs : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  double distance(std::int64_t i, int c) const override {
    double dist = 0;
    for (int j = 0; j < this->p_.d; ++j) dist += std::pow(rounded(this->x(i, j), 8) - rounded(this->centroid(c, j), 8), 2);
    return dist;
  }
};

const Register<Bf16Inputs> bf16_inputs{fault("rounds its inputs to bfloat16")};

}  // namespace
}  // namespace km
