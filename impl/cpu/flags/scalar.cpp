// cpu/lloyd/two_step without he2021's autovectorization (Section 3.2).
// Flags: -fno-tree-vectorize -fno-tree-slp-vectorize
#include "impl/cpu/lloyd/two_step.hpp"

namespace km {
namespace {

const Register<TwoStep> registration{two_step_description("two_step without autovectorization")};

}  // namespace
}  // namespace km
