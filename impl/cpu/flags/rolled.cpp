// cpu/lloyd/two_step without he2021's -funroll-loops (Section 4).
// Flags: -fno-unroll-loops
#include "impl/cpu/lloyd/two_step.hpp"

namespace km {
namespace {

const Register<TwoStep> registration{two_step_description("two_step without -funroll-loops")};

}  // namespace
}  // namespace km
