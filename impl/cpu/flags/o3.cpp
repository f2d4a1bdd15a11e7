// cpu/lloyd/two_step without fast-math: he2021 names -O3 beside -Ofast as a flag that vectorizes (Section 3.3.2).
// Flags: -O3 -fno-fast-math
#include "impl/cpu/lloyd/two_step.hpp"

namespace km {
namespace {

const Register<TwoStep> registration{two_step_description("two_step with -O3 instead of -Ofast")};

}  // namespace
}  // namespace km
