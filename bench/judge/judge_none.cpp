// Build without CUDA: the judge works on the host.
#include "bench/judge/errors.hpp"

namespace km {

void set_judge_budget(std::int64_t) {}

template <class T>
bool judge_on_device(const Problem<T>&, const Solution<T>&, const Arithmetic&, ClusterSums&, LabelCheck*) {
  return false;
}

template bool judge_on_device(const Problem<float>&, const Solution<float>&, const Arithmetic&, ClusterSums&, LabelCheck*);
template bool judge_on_device(const Problem<double>&, const Solution<double>&, const Arithmetic&, ClusterSums&, LabelCheck*);

}  // namespace km
