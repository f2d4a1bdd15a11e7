// cpu/lloyd/tree over the distinct points, each with its number of copies: pictures have few colours.
// Cost: prepare finds the distinct points and builds the tree of these; a run spreads their labels at its end, n random reads and n writes.
#include "impl/cpu/lloyd/distinct_rows.hpp"
#include "impl/cpu/lloyd/tree.hpp"

namespace km {
namespace {

template <class T>
class DistinctTree : DistinctRows<T>, public Tree<T> {
 public:
  DistinctTree(const Problem<T>& problem, const Config& config, Trace& trace)
      : DistinctRows<T>(problem, threads_of(config)), Tree<T>(this->among(problem), config, trace, problem.n, DistinctRows<T>::copies),
        shape_(problem), threads_(threads_of(config)) {}

  void reset() {
    Tree<T>::reset();
    this->all.poison(shape_);
  }
  int iterate(Trace& trace) {
    const int iters = Tree<T>::iterate(trace);
    this->spread(this->out_, threads_);
    trace.count("distinct", double(this->copies.size()) * iters);  // counted once, so that the mean is the number
    return iters;
  }
  Solution<T> download() { return this->all; }

 private:
  ProblemShape shape_;
  int threads_;
};

const Register<DistinctTree> registration{{
    .summary = "tree over the distinct points, each with its number of copies",
    .parameters = tree_parameters(),
    .unsupported =
        [](const ProblemShape& p, const Config& config, int bytes) {
          const std::string reason = too_many_rows(p);
          return reason.empty() ? too_many_dimensions(p, config, bytes) : reason;
        },
    .summation_depth = [](const ProblemShape&, const Config&) -> std::int64_t { return 8; },
    .work = tree_work,
}};

}  // namespace
}  // namespace km
