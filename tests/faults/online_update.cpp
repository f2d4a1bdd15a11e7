// MacQueen's: centroids move with every point they are given. The last iteration is Lloyd's.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct OnlineUpdate : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  std::int32_t label(std::int64_t i) override {
    const std::int32_t c = RightLloyd<T>::label(i);
    for (int j = 0; j < this->p_.d && !this->last(); ++j) {
      T& value = this->out_.assigned_centroids[std::size_t(c) * this->p_.d + j];
      value += T(0.05) * T(this->x(i, j) - double(value));
    }
    return c;
  }
};

const Register<OnlineUpdate> online_update{fault("moves centroids while it assigns")};

}  // namespace
}  // namespace km
