// Lloyd's over the distinct points, each with its number of copies. Tables of codes and pictures repeat rows: 29% of kdd99_part's differ, 8% of
// kodak_pixels'. Equal points have equal labels, so screened (screened.hpp) labels one of each, and a moved one changes the sums by all its copies.
// Labels and, but for the last bit, means are those of Lloyd's over all points.
// Cost: prepare hashes all points and compares each with an equal one; an iteration is screened's over the distinct ones; at its end a run spreads
// their labels, n random reads and n writes. Memory: the distinct points again and 8 bytes a point; in prepare 16 to 24 bytes a point more.
#include "impl/cpu/lloyd/distinct_rows.hpp"
#include "impl/cpu/lloyd/screened.hpp"
#include "impl/cpu/yinyang/sums.hpp"

namespace km {
namespace {

template <class T>
class Distinct : DistinctRows<T>, public Screened<T> {
 public:
  Distinct(const Problem<T>& problem, const Config& config, Trace& trace)
      : DistinctRows<T>(problem, threads_of(config)), Screened<T>(this->among(problem), config, trace), shape_(problem), threads_(threads_of(config)),
        sums_(p_, this->threads(), this->copies), moves_(this->threads()) {}

  void reset() {
    Screened<T>::reset();
    this->all.poison(shape_);
  }

  int iterate(Trace& trace) {
    this->begin_run();
    this->start();
    for (out_.iters = 1;; ++out_.iters) {
      trace.begin_iteration();
      before_ = out_.labels;
      this->assign(trace, out_.iters > 1);  // screened sums, too, unused here: fewer if of moved points only
      const std::int64_t changed = update(trace);
      if (out_.iters == p_.max_iters || shape_.converged(changed)) break;
    }
    this->spread(out_, threads_);
    trace.count("distinct", double(p_.n) * out_.iters);  // counted once, so that the mean is the number
    return out_.iters;
  }

  Solution<T> download() { return this->all; }

 private:
  using Screened<T>::p_, Screened<T>::out_;

  /// Moves the means by the points that changed label. Returns their number with all copies.
  std::int64_t update(Trace& trace) {
    const auto phase = trace.phase("update");
    std::int64_t changed = 0;
#pragma omp parallel num_threads(this->threads()) reduction(+ : changed)
    {
      auto& mine = moves_[omp_get_thread_num()];
      mine.clear();
#pragma omp for schedule(static)
      for (std::int64_t i = 0; i < p_.n; ++i) {
        if (before_[i] == out_.labels[i]) continue;
        mine.push_back({i, before_[i], out_.labels[i]});
        changed += this->copies[i];
      }
    }
    sums_.update(moves_, out_.labels, out_.centroids, out_.iters == 1);
    return changed;
  }

  ProblemShape shape_;
  int threads_;  // for all points; threads() are fewer where few differ
  MovedSums<T> sums_;
  std::vector<std::vector<Move>> moves_;  // one list per thread
  Labels before_;                         // labels
};

const Register<Distinct> registration{{
    .summary = "screened over the distinct points, each with its number of copies; means from points that moved",
    .parameters = {threads_parameter(), instructions_parameter()},
    .unsupported =
        [](const ProblemShape& p, const Config& config, int bytes) {
          const std::string reason = too_many_rows(p);
          return reason.empty() ? lacks_instructions(p, config, bytes) : reason;
        },
    .summation_depth = [](const ProblemShape&, const Config&) -> std::int64_t { return 1; },
}};

}  // namespace
}  // namespace km
