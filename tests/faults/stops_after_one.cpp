// Takes the first labels for old ones, though in the first iteration every point changes.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct StopsAfterOne : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  std::int64_t assign() override {
    RightLloyd<T>::assign();
    return 0;
  }
};

const Register<StopsAfterOne> stops_after_one{fault("stops after the first iteration")};

}  // namespace
}  // namespace km
