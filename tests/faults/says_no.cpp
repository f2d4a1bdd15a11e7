// Says no, with a reason.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
class SaysNo : public RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
};

const Register<SaysNo> says_no{{
    .summary = "supports nothing",
    .unsupported = [](const ProblemShape&, const Config&, int) -> std::string { return "nothing is supported"; },
}};

}  // namespace
}  // namespace km
