// benedetti2025's sequential baseline (Section 3.1): points and centroids as structures of arrays, indices j * n + i and j * k + c; one thread,
// plain sums. The transposition belongs to prepare.
#include "impl/cpu/solver.hpp"

namespace km {
namespace {

template <class T>
class NaiveSoa : public CpuSolver<T> {
 public:
  NaiveSoa(const Problem<T>& problem, const Config&, Trace& trace) : CpuSolver<T>(problem), columns_(problem.points.size()) {
    const auto phase = trace.phase("transpose");
    for (std::int64_t i = 0; i < p_.n; ++i)
      for (int j = 0; j < p_.d; ++j) columns_[j * p_.n + i] = p_.points[i * p_.d + j];
  }

  int iterate(Trace& trace) {
    centroids_.resize(p_.initial_centroids.size());
    for (int c = 0; c < p_.k; ++c)
      for (int j = 0; j < p_.d; ++j) centroids_[std::int64_t(j) * p_.k + c] = p_.initial_centroids[std::int64_t(c) * p_.d + j];
    return this->repeat(
        trace, [this] { return assign(); }, [this] { update(); });
  }

  Solution<T> download() {
    out_.assigned_centroids = rows(used_);
    out_.centroids = rows(centroids_);
    return out_;
  }

 private:
  std::int64_t assign() {
    used_ = centroids_;
    std::int64_t changed = 0;
    for (std::int64_t i = 0; i < p_.n; ++i) {
      std::int32_t best = 0;
      T best_dist = std::numeric_limits<T>::max();
      for (int c = 0; c < p_.k; ++c) {
        T dist = 0;
        for (int j = 0; j < p_.d; ++j) {
          const T diff = columns_[j * p_.n + i] - used_[std::int64_t(j) * p_.k + c];
          dist += diff * diff;
        }
        if (dist < best_dist) {  // strict: the lowest index wins a tie
          best_dist = dist;
          best = c;
        }
      }
      changed += out_.labels[i] != best;
      out_.labels[i] = best;
    }
    return changed;
  }

  void update() {
    std::vector<T> sums(centroids_.size());
    std::vector<std::int64_t> counts(p_.k);
    for (std::int64_t i = 0; i < p_.n; ++i) {
      const int c = out_.labels[i];
      ++counts[c];
      for (int j = 0; j < p_.d; ++j) sums[std::int64_t(j) * p_.k + c] += columns_[j * p_.n + i];
    }
    for (std::size_t cell = 0; cell < sums.size(); ++cell)
      if (const auto count = counts[cell % p_.k]; count > 0) centroids_[cell] = sums[cell] / static_cast<T>(count);
  }

  std::vector<T> rows(const std::vector<T>& columns) const {
    std::vector<T> out(columns.size());
    for (std::size_t c = 0; c < columns.size() / p_.d; ++c)
      for (int j = 0; j < p_.d; ++j) out[c * p_.d + j] = columns[std::size_t(j) * p_.k + c];
    return out;
  }

  using CpuSolver<T>::p_, CpuSolver<T>::out_;
  std::vector<T> columns_, used_, centroids_;  // d x n, d x k, d x k
};

const Register<NaiveSoa> registration{{
    .summary = "one thread, structure of arrays, plain sums: the sequential baseline of benedetti2025",
    .paper = "benedetti2025",
}};

}  // namespace
}  // namespace km
