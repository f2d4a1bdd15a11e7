// The last block of 256 points is worked on only where it is full.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct PartialBlockSkipped : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  std::int32_t label(std::int64_t i) override { return i < this->p_.n - this->p_.n % 256 ? RightLloyd<T>::label(i) : 0; }
};

const Register<PartialBlockSkipped> partial_block_skipped{fault("skips the last block of points unless it is full")};

}  // namespace
}  // namespace km
