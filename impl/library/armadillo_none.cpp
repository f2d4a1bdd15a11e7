// A build that did not find Armadillo: it has the name library/armadillo, and the reason.
#include "bench/implementation.hpp"

namespace km {
namespace {

constexpr const char* reason = "this kmbench was built without Armadillo (Debian: libarmadillo-dev; then configure and build again)";

template <class T>
std::unique_ptr<AnySolver<T>> refuse(const Problem<T>&, const Config&, Trace&) {
  throw std::runtime_error(reason);
}

const bool registered = [] {
  register_implementation({.name = "library/armadillo",
                           .description = {.summary = "Armadillo's arma::kmeans: not in this build",
                                           .parameters = {{.name = "threads", .fallback = 0, .range = {0, 1, 3, 16, 256}, .tunable = true}},
                                           .unsupported = [](const ProblemShape&, const Config&, int) -> std::string { return reason; }},
                           .fp32 = refuse<float>,
                           .fp64 = refuse<double>});
  return true;
}();

}  // namespace
}  // namespace km
