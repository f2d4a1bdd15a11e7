// gpu/lloyd/boxes over the distinct points, each with its number of copies (over_distinct.hpp): the GPU's cpu/lloyd/distinct_tree. That of cpu/lloyd/distinct
// is screened.
// Cost: prepare finds them on the device; a run spreads their labels at its end, 12 bytes a point.
#include "impl/gpu/over_distinct.hpp"

namespace km {
namespace {

constexpr const char* over = "gpu/lloyd/boxes";

template <class T>
struct Distinct : Wrapped<T> {
  Distinct(const Problem<T>& problem, const Config&, Trace& trace) : Wrapped<T>(boxes::over_distinct(problem, defaults_of(over), trace)) {}
};

const Register<Distinct> registration{of_distinct(over, "boxes over the distinct points, each with its number of copies")};

}  // namespace
}  // namespace km
