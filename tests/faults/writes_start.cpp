// Takes the memory of the initial centroids for its own.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct WritesStart : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { std::ranges::copy(this->out_.centroids, const_cast<T*>(this->p_.initial_centroids.data())); }
};

const Register<WritesStart> writes_start{fault("writes its centroids over the start")};

}  // namespace
}  // namespace km
