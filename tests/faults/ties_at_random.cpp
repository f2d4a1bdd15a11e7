// Ties go to whoever comes first, as with threads that race.
#include <random>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct TiesAtRandom : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  bool nearer(double dist, double best) override { return dist < best || (dist == best && random_() % 2 == 0); }

 private:
  std::minstd_rand random_;
};

const Register<TiesAtRandom> ties_at_random{fault("gives ties to anyone")};

}  // namespace
}  // namespace km
