// d x k where k x d is meant: of the same size, and where k = d of the same shape.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct Transposed : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    const auto rows = this->out_.centroids;
    for (int c = 0; c < this->p_.k; ++c)
      for (int j = 0; j < this->p_.d; ++j) this->out_.centroids[std::size_t(j) * this->p_.k + c] = rows[std::size_t(c) * this->p_.d + j];
  }
};

const Register<Transposed> transposed{fault("hands back the centroids transposed")};

}  // namespace
}  // namespace km
