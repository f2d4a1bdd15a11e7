// Intel's extension of scikit-learn: the same KMeans().fit(), computed by oneDAL.
#include "impl/library/sklearn.hpp"

namespace km {
namespace {

template <class T>
class Sklearnex : public Fitted<T> {
 public:
  Sklearnex(const Problem<T>& problem, const Config& config, Trace& trace) : Fitted<T>(problem, config, trace, "sklearnex.cluster", "lloyd") {}
};

const Register<Sklearnex> registration{{
    .summary = "scikit-learn's KMeans by oneDAL, called as users do",
    .parameters = {threads_parameter()},
    .unsupported = [](const ProblemShape& p, const Config&, int) -> std::string {
      if (const auto why = unfit(p); !why.empty()) return why;
      return python_has("sklearnex") ? "" : "scikit-learn-intelex is not installed for " + python();
    },
    .distance = Distance::expansion,
    .departs = "an empty cluster is moved to a far point",
}};

}  // namespace
}  // namespace km
