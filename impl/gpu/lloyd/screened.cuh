// Lloyd's at half-precision speed with fp64's labels. Tensor cores score every centroid for every point in fp16. A proven margin decides all but a
// few percent of the points, with 16 dimensions or more and ordinary ranges. For the others the same scores name the few centroids within the
// margin. These are compared by differences, in fp64 where fp32 is in doubt (screen_settle). Points with too many candidates are scored again with
// both operands in two halves, three products, and then compared with all centroids by differences. If one product leaves many points open (clusters
// that overlap, many dimensions), later iterations take three products at once, with a smaller margin. If most points stay open even
// then (heavy tails), later iterations take differences.
// Sums are exact and updated by moved points only (moved_sums). The kernel of the means also halves the next centroids (screen_centroids).
// Cost of an iteration: 2 n K k' fp16 flops (K, k': d, k rounded up to 16, 128). Points are read once in fp16, moved points twice as given. Nine
// kernels, no decision on the host; a run without a tolerance is one graph. Memory per point: as given, 4 K bytes of halves, 60 bytes of lists (76
// with many clusters).
#pragma once

#include "impl/cost_terms.hpp"
#include "impl/gpu/lloyd/screen_card.cuh"

namespace km::screen {

template <class T>
class Screened {
 public:
  /// margin_scale: see Card::make.
  Screened(const Problem<T>& problem, const Config& config, Trace& trace, const Unit& unit, float margin_scale = 1)
      : lloyd_(problem, trace), card_(Card<T>::make(problem, config, unit, margin_scale, trace, lloyd_.stream())) {
    const cuda::Phase phase(trace, "layout", lloyd_.stream());
    const Origin origin =
        choose_origin(card_->sums_of_columns(), problem.n, [this](std::span<const double> centre) { return card_->furthest_from(centre); });
    card_->finish_layout(card_->lay_out(origin.scale, card_->greatest_of_columns(), problem.n));
    if (problem.tolerance < 0)  // else images of the centroids alternate from iteration to iteration
      lloyd_.record([this] { card_->begin(); }, {"", [this] {
                                                   assign();
                                                   update();
                                                 }});
  }

  void reset() { lloyd_.reset(); }

  int iterate(Trace& trace) {
    if (lloyd_.shape().tolerance < 0 && !trace.active()) return lloyd_.run(trace);
    card_->begin();
    return lloyd_.run(trace, {{"assign", [this] { assign(); }}, {"update", [&] {
                                                                   update();
                                                                   card_->report(trace);
                                                                 }}});
  }

  Solution<T> download() { return lloyd_.download(); }
  void limit(int iters) { lloyd_.limit(iters); }

 private:
  void assign() { card_->assign(lloyd_.assigned(), lloyd_.labels(), lloyd_.changed()); }
  void update() {
    card_->sum(lloyd_.labels());
    card_->average(card_->totals(), lloyd_.assigned(), lloyd_.next());
  }

  cuda::Lloyd<T> lloyd_;
  std::unique_ptr<Card<T>> card_;
};

/// Description of the one that multiplies by an instruction. has: whether cards of this compute capability have it, else `missing`.
inline Description description(std::string_view summary, bool (*has)(int major), std::string missing) {
  return {.summary = summary,
          .device = Device::gpu,
          .parameters = parameters(),
          .unsupported =
              [has, missing = std::move(missing)](const ProblemShape& p, const Config&, int value_bytes) {
                return has(cuda::attribute_or(cudaDevAttrComputeCapabilityMajor, 9)) ? too_large(p, value_bytes) : missing;
              },
          .fixed_point = true,
          .cost = cost::products};
}

}  // namespace km::screen
