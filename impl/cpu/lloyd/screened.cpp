// Exact labels at the speed of a matrix product. Idea, bound and cost: screened.hpp.
#include "impl/cpu/lloyd/screened.hpp"
#include "impl/cpu/costs.hpp"

namespace km {
namespace {

const Register<Screened> registration{{
    .summary = "matrix product in bfloat16 or fp32, the best two of each point, exact where a proven margin leaves it open; sums in the same pass",
    .parameters = {threads_parameter(), instructions_parameter()},
    .unsupported = lacks_instructions,
    .summation_depth = [](const ProblemShape&, const Config&) -> std::int64_t { return 1; },
    .cost = lloyd_cost,
}};

}  // namespace
}  // namespace km
