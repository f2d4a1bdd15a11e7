// The papers' sequential baseline: one thread, points as rows, plain sums in the points' precision, whose rounding grows with the cluster (he2021,
// Section 3.3.1; benedetti2025, Section 3.3).
#include "impl/cpu/solver.hpp"

namespace km {
namespace {

template <class T>
class Naive : public CpuSolver<T> {
 public:
  Naive(const Problem<T>& problem, const Config&, Trace&) : CpuSolver<T>(problem) {}

  int iterate(Trace& trace) {
    return this->repeat(
        trace, [this] { return assign(); }, [this] { update(); });
  }

 private:
  std::int64_t assign() {
    const int d = p_.d, k = p_.k;
    out_.assigned_centroids = out_.centroids;
    const T* centroids = out_.assigned_centroids.data();
    std::int64_t changed = 0;
    for (std::int64_t i = 0; i < p_.n; ++i) {
      const T* x = p_.points.data() + i * d;
      std::int32_t best = 0;
      T best_dist = std::numeric_limits<T>::max();
      for (int c = 0; c < k; ++c) {
        const T* centroid = centroids + std::int64_t(c) * d;
        T dist = 0;
        for (int j = 0; j < d; ++j) {
          const T diff = x[j] - centroid[j];
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
    const int d = p_.d, k = p_.k;
    std::vector<T> sums(std::size_t(k) * d);
    std::vector<std::int64_t> counts(k);
    for (std::int64_t i = 0; i < p_.n; ++i) {
      const int c = out_.labels[i];
      ++counts[c];
      T* sum = sums.data() + std::int64_t(c) * d;
      for (int j = 0; j < d; ++j) sum[j] += p_.points[i * d + j];
    }
    for (std::size_t cell = 0; cell < sums.size(); ++cell)
      if (const auto count = counts[cell / d]; count > 0) out_.centroids[cell] = sums[cell] / static_cast<T>(count);
  }

  using CpuSolver<T>::p_, CpuSolver<T>::out_;
};

const Register<Naive> registration{{
    .summary = "one thread, points as rows, plain sums: the sequential baseline",
    .paper = "he2021",
}};

}  // namespace
}  // namespace km
