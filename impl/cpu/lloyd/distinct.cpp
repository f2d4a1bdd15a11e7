// Lloyd's over the distinct points, each with its number of copies. Tables of codes and pictures repeat rows: 29% of kdd99_part's differ, 8% of
// kodak_pixels'. Equal points have equal labels, so screened (screened.hpp) labels one of each, and a moved one changes the sums by all its copies.
// Labels and, but for the last bit, means are those of Lloyd's over all points.
// Cost: prepare hashes all points and compares each with an equal one; an iteration is screened's over the distinct ones; at its end a run spreads
// their labels, n random reads and n writes. Memory: the distinct points again and 8 bytes a point; in prepare 16 to 24 bytes a point more.
#include <string_view>

#include "bench/base/bytes_hash.hpp"
#include "impl/cpu/lloyd/screened.hpp"
#include "impl/cpu/yinyang/sums.hpp"

namespace km {
namespace {

/// The distinct rows of the points in order of their first ones, the number of copies of each, and the place of every point among them.
template <class T>
class DistinctRows {
 public:
  DistinctRows(const Problem<T>& p, int threads) : places(p.n) {
    find_firsts(p, threads);
    std::vector<std::int64_t> firsts;
    for (std::int64_t i = 0; i < p.n; ++i) {  // the first equal point comes earlier and has its place already
      if (places[i] == i) {
        places[i] = std::int32_t(firsts.size());
        firsts.push_back(i);
        copies.push_back(0);
      } else {
        places[i] = places[places[i]];
      }
      ++copies[places[i]];
    }
    rows.resize(firsts.size() * std::size_t(p.d));
#pragma omp parallel for num_threads(threads)
    for (std::size_t at = 0; at < firsts.size(); ++at) std::copy_n(&p.points[firsts[at] * p.d], p.d, &rows[at * p.d]);
  }

  /// The problem of these rows.
  Problem<T> among(Problem<T> p) const {
    p.n = std::ssize(copies);
    p.points = rows;
    return p;
  }

  std::vector<T> rows;
  std::vector<std::int32_t> copies, places;

 private:
  /// places[i] becomes the first point equal to i. Each thread has the points of its hashes, in a table with open addresses.
  void find_firsts(const Problem<T>& p, int threads) {
    const auto row = [&](std::int64_t i) { return std::string_view(reinterpret_cast<const char*>(&p.points[i * p.d]), p.d * sizeof(T)); };
    std::vector<std::uint64_t> hashes(p.n);
    Shortage shortage;
#pragma omp parallel num_threads(threads)
    {
      const std::uint64_t all = omp_get_num_threads(), own = omp_get_thread_num();
#pragma omp for schedule(static)
      for (std::int64_t i = 0; i < p.n; ++i) hashes[i] = hash_of_bytes(&p.points[i * p.d], p.d * sizeof(T));
      shortage.watch([&] {
        const std::int64_t count = std::ranges::count_if(hashes, [&](std::uint64_t hash) { return hash % all == own; });
        std::vector<std::int32_t> table(std::bit_ceil(2 * std::size_t(count) + 1), -1);
        for (std::int64_t i = 0; i < p.n; ++i) {
          if (hashes[i] % all != own) continue;
          std::size_t at = hashes[i] / all;
          const auto is_other = [&](std::int32_t first) { return first >= 0 && (hashes[first] != hashes[i] || row(first) != row(i)); };
          while (is_other(table[at % table.size()])) ++at;
          std::int32_t& first = table[at % table.size()];
          if (first < 0) first = std::int32_t(i);
          places[i] = first;
        }
      });
    }
    shortage.report();
  }
};

template <class T>
class Distinct : DistinctRows<T>, public Screened<T> {
 public:
  Distinct(const Problem<T>& problem, const Config& config, Trace& trace)
      : DistinctRows<T>(problem, threads_of(config)), Screened<T>(this->among(problem), config, trace), shape_(problem), threads_(threads_of(config)),
        sums_(p_, this->threads(), this->copies), moves_(this->threads()) {}

  void reset() {
    Screened<T>::reset();
    all_.poison(shape_);
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
    spread();
    trace.count("distinct", double(p_.n) * out_.iters);  // counted once, so that the mean is the number
    return out_.iters;
  }

  Solution<T> download() { return all_; }

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

  void spread() {
    all_.iters = out_.iters;
    all_.assigned_centroids = out_.assigned_centroids;
    all_.centroids = out_.centroids;
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::int64_t i = 0; i < shape_.n; ++i) all_.labels[i] = out_.labels[this->places[i]];
  }

  ProblemShape shape_;
  int threads_;  // for all points; threads() are fewer where few differ
  MovedSums<T> sums_;
  std::vector<std::vector<Move>> moves_;  // one list per thread
  Labels before_;                         // labels
  Solution<T> all_;
};

const Register<Distinct> registration{{
    .summary = "screened over the distinct points, each with its number of copies; means from points that moved",
    .parameters = {threads_parameter(), instructions_parameter()},
    .unsupported =
        [](const ProblemShape& p, const Config& config, int bytes) {
          return p.n > std::numeric_limits<std::int32_t>::max() ? "2^31 points or more" : lacks_instructions(p, config, bytes);
        },
    .summation_depth = [](const ProblemShape&, const Config&) -> std::int64_t { return 1; },
}};

}  // namespace
}  // namespace km
