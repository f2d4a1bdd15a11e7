// A point that equals the one before counts no second time.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct DuplicatesOnce : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  bool counted(std::int64_t i) override {
    for (int j = 0; j < this->p_.d; ++j)
      if (i == 0 || this->x(i, j) != this->x(i - 1, j)) return true;
    return false;
  }
};

const Register<DuplicatesOnce> duplicates_once{fault("counts equal points once")};

}  // namespace
}  // namespace km
