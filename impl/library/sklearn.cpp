// scikit-learn's KMeans, Lloyd's or Elkan's (ICML 2003), as its users call it: fit() on a NumPy array. fit() centres the data; Lloyd's then makes
// chunks of 256 points and one matrix product a chunk.
#include "impl/library/sklearn.hpp"

namespace km {
namespace {

template <class T>
class Sklearn : public Fitted<T> {
 public:
  Sklearn(const Problem<T>& problem, const Config& config, Trace& trace)
      : Fitted<T>(problem, config, trace, "sklearn.cluster", config.word("algorithm")) {}
};

const Register<Sklearn> registration{{
    .summary = "scikit-learn's KMeans, called as users do",
    .parameters = {{.name = "algorithm", .fallback = "lloyd", .range = {"lloyd", "elkan"}, .help = "of KMeans"},
                   {.name = "threads", .fallback = 0, .range = {0, 1, 2, 3, 7, 16, 64, 256}, .tunable = true, .help = "0: all hardware threads"}},
    .unsupported = [](const ProblemShape& p, const Config&, int) -> std::string {
      if (const auto why = unfit(p); !why.empty()) return why;
      return python_has("sklearn") ? "" : "scikit-learn is not installed for " + python();
    },
    .distance = Distance::expansion,
    .departs = "an empty cluster is moved to a far point",
}};

}  // namespace
}  // namespace km
