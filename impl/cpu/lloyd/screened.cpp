// Exact labels at the speed of a matrix product. Idea, bound and cost: screened.hpp.
#include "impl/cpu/lloyd/screened.hpp"
#include "impl/cpu/costs.hpp"

namespace km {
namespace {

const Register<Screened> registration{{
    .summary = "matrix product in fp32, the best two of each point, exact where a proven margin leaves it open; sums in the same pass",
    .parameters =
        {threads_parameter(),
         {.name = "instructions", .fallback = "best", .range = {"best", "amx", "avx512", "avx2", "portable"}, .help = "vectors, or AMX's tiles"}},
    .unsupported = [](const ProblemShape&, const Config& config, int) -> std::string {
      const std::string& set = config.word("instructions");
      return set == "best" || has(set) ? "" : "this CPU has no " + set;
    },
    .summation_depth = [](const ProblemShape&, const Config&) -> std::int64_t { return 1; },
    .cost = lloyd_cost,
}};

}  // namespace
}  // namespace km
