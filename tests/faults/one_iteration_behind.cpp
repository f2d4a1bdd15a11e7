// Assign and update overlap: assign works with the centroids before the last update, until the last iteration.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct OneIterationBehind : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  std::int64_t assign() override {
    const auto now = this->out_.centroids;
    if (this->iter_ > 1 && !this->last()) this->out_.centroids = before_;
    before_ = now;
    return RightLloyd<T>::assign();
  }

 private:
  std::vector<T> before_;
};

const Register<OneIterationBehind> one_iteration_behind{fault("assigns with centroids of the iteration before")};

}  // namespace
}  // namespace km
