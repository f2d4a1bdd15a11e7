// he2021 on the CPU (two_step.hpp), with the paper's flags (Sections 3.2 and 4). Each file of impl/cpu/flags changes one of them.
#include "impl/cpu/lloyd/two_step.hpp"

#include "impl/cpu/costs.hpp"

namespace km {
namespace {

/// The only form with a cost: auto chooses among those that differ in more than flags.
Description description() {
  Description found = two_step_description("OpenMP assign with the change count inside; update summed per package, then over packages");
  found.cost = lloyd_cost;
  return found;
}

const Register<TwoStep> registration{description()};

}  // namespace
}  // namespace km
