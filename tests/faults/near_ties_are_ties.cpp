// A tolerance where none is meant.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct NearTiesAreTies : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  bool nearer(double dist, double best) override { return dist < best * (1 - 1e-4); }
};

const Register<NearTiesAreTies> near_ties_are_ties{fault("takes distances within 0.01% for equal")};

}  // namespace
}  // namespace km
