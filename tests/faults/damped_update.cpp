// Short steps, and a whole one at the end.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct DampedUpdate : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void update() override {
    RightLloyd<T>::update();
    for (std::size_t cell = 0; cell < this->out_.centroids.size() && !this->last(); ++cell)
      this->out_.centroids[cell] = T(0.9) * this->out_.centroids[cell] + T(1 - 0.9) * this->out_.assigned_centroids[cell];
  }
};

const Register<DampedUpdate> damped_update{fault("goes 0.9 of the way to each mean, in the last iteration all of it")};

}  // namespace
}  // namespace km
