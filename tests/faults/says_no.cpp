// Says no, with a reason.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

const Register<RightLloyd> registration{{
    .summary = "supports nothing",
    .unsupported = [](const ProblemShape&, const Config&, int) -> std::string { return "nothing is supported"; },
}};

}  // namespace
}  // namespace km
