// Intel's extension of scikit-learn: the same KMeans().fit(), computed by oneDAL.
#include "impl/library/sklearn.hpp"

namespace km {
namespace {

template <class T>
struct Sklearnex : Fitted<T> {
  Sklearnex(const Problem<T>& problem, const Config& config, Trace& trace) : Fitted<T>(problem, config, trace, "sklearnex.cluster", "lloyd") {}
};

const Register<Sklearnex> registration{{
    .summary = "scikit-learn's KMeans by oneDAL, called as users do",
    .parameters = {threads_parameter()},
    .unsupported = [](const ProblemShape& p, const Config&, int) { return unfit(p, "sklearnex", "scikit-learn-intelex"); },
    .distance = Distance::expansion,
    .departs = "an empty cluster is moved to a far point",
}};

}  // namespace
}  // namespace km
