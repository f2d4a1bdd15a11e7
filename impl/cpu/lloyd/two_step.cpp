// he2021 on the CPU (two_step.hpp), with the paper's flags (Sections 3.2 and 4). Each file of impl/cpu/flags changes one of them.
#include "impl/cpu/lloyd/two_step.hpp"

namespace km {
namespace {

const Register<TwoStep> registration{
    two_step_description("OpenMP assign with the change count inside; update summed per package, then over packages")};

}  // namespace
}  // namespace km
