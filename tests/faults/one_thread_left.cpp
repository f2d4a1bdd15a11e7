// Whatever comes after has one thread.
#include <omp.h>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct OneThreadLeft : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { omp_set_num_threads(1); }
};

const Register<OneThreadLeft> one_thread_left{fault("sets the number of OpenMP threads to 1")};

}  // namespace
}  // namespace km
