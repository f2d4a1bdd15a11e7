// The question whether it can run is itself an error.
#include <stdexcept>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ThrowsWhenAsked : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
};

const Register<ThrowsWhenAsked> throws_when_asked{{
    .summary = "throws where it should say why it cannot run",
    .unsupported = [](const ProblemShape&, const Config&, int) -> std::string { throw std::runtime_error("cannot say"); },
}};

}  // namespace
}  // namespace km
