// Off by 0.01%, and no chain of additions declared: many points make a plain sum that rough.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ScaledMeans : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  double mean(long double sum, std::int64_t count) override { return 1.0001 * double(sum) / double(count); }
};

const Register<ScaledMeans> scaled_means{{.summary = "multiplies means by 1.0001"}};

}  // namespace
}  // namespace km
