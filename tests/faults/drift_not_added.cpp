// cpu/yinyang/group itself, but centroids that moved leave its bounds as they were.
#include "impl/cpu/yinyang/filtered.hpp"
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct DriftNotAdded : Filtered<T, Filters::two> {
  DriftNotAdded(const Problem<T>& problem, const Config&, Trace&)
      : Filtered<T, Filters::two>(problem, Config({{"threads", std::int64_t(1)}, {"update", "exact"}}), 3, 1, 0) {}
};

const Register<DriftNotAdded> drift_not_added{fault("leaves bounds as they were when centroids move")};

}  // namespace
}  // namespace km
