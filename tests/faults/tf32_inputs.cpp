// What a tensor core does to fp32 unless told otherwise: 11 significant bits go into the products.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct Tf32Inputs : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  double distance(std::int64_t i, int c) const override {
    double dist = 0;
    for (int j = 0; j < this->p_.d; ++j) dist += std::pow(rounded(this->x(i, j), 11) - rounded(this->centroid(c, j), 11), 2);
    return dist;
  }
};

const Register<Tf32Inputs> tf32_inputs{fault("rounds its inputs to TF32")};

}  // namespace
}  // namespace km
