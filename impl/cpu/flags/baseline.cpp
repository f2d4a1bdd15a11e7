// cpu/lloyd/two_step without he2021's -march=native (Section 3.2): the vectors that every x86-64 has.
// Flags: -march=x86-64
#include "impl/cpu/lloyd/two_step.hpp"

namespace km {
namespace {

const Register<TwoStep> registration{two_step_description("two_step for any x86-64, not for this machine's CPU")};

}  // namespace
}  // namespace km
