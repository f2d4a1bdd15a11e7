// Exact k-means that skips points whose labels cannot change. Each point has an upper bound of the distance to its own centroid and a lower bound of
// the distance to any other (Hamerly 2010). This is the global filter of Yinyang (Ding et al. 2015, taylor2021). While the upper bound is below the
// lower one, the label stays, and an iteration reads 12 bytes of the point. Points past their bounds are compacted into full warps: fp16 tensor-core
// scores with a proven margin, then differences (as in gpu/lloyd/screened). Both give new bounds.
// The lower bound shrinks by the largest centroid shift. To shrink it less, fast centroids (above one of 8 speed levels) are bounded by their
// distance to the point's own centroid instead. This follows Rysavy and Hamerly (2016), who skip centroids that are no neighbours. The best level
// counts. Equal centroids count as one for the bounds; otherwise points between them would be compared in every iteration. Where the levels save few
// points, as in many dimensions, only the first few and every 32nd iteration make them, to see whether they pay.
// Centroids change only by exact integer sums of moved points (moved_sums). A cluster at rest therefore does not move, not even by rounding, and
// loosens no bound.
// All iterations are one kernel. Slices of points are dealt to the blocks in turn. Blocks meet per iteration after the sums, the centroids, and, if it
// makes the levels, the distances between centroids. The kernel also tests convergence.
// Cost of an iteration: 12 bytes read per point, 8 written if bounds changed. Per point past its bounds: 2 k' K flops (k', K: k, d rounded up to 32)
// and 2 K bytes. Per moved point: d values and 2 d additions to L2. Two grid barriers; for the levels another and k² d operations by differences.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "bench/device/cuda_host.cuh"
#include "impl/gpu/registration.hpp"
#include "impl/gpu/yinyang/compacted_run.cuh"

namespace km::compacted {

constexpr int least_products = 16;  // dimensions; below, fp16 leaves most points open
constexpr int least_company = 64;   // points per cluster, for which distances between centroids pay off
constexpr int wanted_cells = 2048;  // cells of the sums, copied so that blocks contend less
constexpr int most_differences = 48 * 1024;

/// Warps of a block for one of `jobs` that no other warp of the grid would take: a divisor of `warps`, at most `most`.
inline int warps_a_job(std::int64_t jobs, unsigned grid, int most) {
  int share = warps;
  while (share > 1 && (warps % share > 0 || share > most || jobs * share > std::int64_t(grid) * warps)) --share;
  return share;
}

/// Writes a row's fp16 halves, deep x 32, and for bounds the rounding residual and |x|². One warp per point.
template <class T>
__global__ void __launch_bounds__(256) halve_rows(const T* __restrict__ points, const double* __restrict__ centre, double scale, std::int64_t n,
                                                  int d, int deep, __half* halves, std::uint32_t* left, float* length2) {
  const int lane = threadIdx.x % 32;
  for (std::int64_t i = blockIdx.x * std::int64_t(8) + threadIdx.x / 32; i < n; i += gridDim.x * std::int64_t(8)) {
    double lost2 = 0, high2 = 0, all2 = 0;
    for (int j = lane; j < deep * 32; j += 32) {
      const double x = j < d ? (double(points[i * d + j]) - centre[j]) * scale : 0.0;
      const screen::Halves value(x);
      halves[i * deep * 32 + j] = value.high;
      const double high = __half2float(value.high);
      lost2 += value.left * value.left, high2 += high * high, all2 += x * x;
    }
    cuda::sum_over_warp(lost2, high2, all2);
    if (lane > 0) continue;
    left[i] = screen::pack_up(__double2float_ru(sqrt(lost2)) * 1.0001f, __double2float_ru(sqrt(high2)) * 1.0001f);
    length2[i] = static_cast<float>(all2);
  }
}

template <class T>
class Compacted : public cuda::OneLaunch<T, Run<T>> {
 public:
  /// shift_scale: scales each shift that loosens a bound. Below 1 labels are not proven.
  Compacted(const Problem<T>& problem, const Config& config, Trace& trace, float shift_scale = 1, cuda::DistinctRows<T>* distinct = nullptr)
      : Base(problem, problem.n, distinct), points_(distinct ? std::move(distinct->points) : cuda::upload_rows(problem, trace, host_.stream)),
        upper_(problem.n), lower_(problem.n), copies_(static_cast<int>(std::clamp<std::int64_t>(wanted_cells / host_.cells(), 1, 32))),
        coarse_(copies_ * host_.cells()), fine_(copies_ * host_.cells()), counts_(copies_ * std::int64_t(problem.k)),
        twins_(2 * std::int64_t(problem.k)), freed_(problem.k), shifts_(problem.k), tops_(2), lengths_(2),
        meetings_(3 * (std::int64_t(problem.max_iters) + 1)), tallies_(std::int64_t(problem.max_iters) + 1),
        ended_(std::int64_t(problem.max_iters) + 1) {
    const cudaStream_t stream = host_.stream;
    const cuda::Phase phase(trace, "layout", stream);
    const std::int64_t n = problem.n;
    const int d = problem.d, k = problem.k;
    upload(host_.initial, problem.initial_centroids, stream);
    frame_.emplace(problem, points_.data(), host_.initial.data(), stream);
    const bool products = config.word("begin") == "products" && d >= least_products;
    const int deep = screen::up_to(d, 32) / 32, k_padded = screen::up_to(k, 32);
    transposed_ = cuda::Buffer<T>(std::int64_t(std::max(d, few_padded(d))) * k_padded);
    image_ = cuda::Buffer<uint4>(std::int64_t(k_padded) * deep * 4);
    starts_ = cuda::Buffer<float>(k_padded);
    const std::int64_t jobs = std::int64_t(k) * (k_padded / 32);  // the kernel counts them in 32 bits
    if (std::int64_t(k) * least_company <= n && jobs < std::int64_t(1) << 31) reach_ = cuda::Buffer<float>(std::int64_t(k) * levels);
    cuda::clear(stream, transposed_, image_);
    const std::vector<float> none(k_padded, -cuda::infinity<float>);
    upload(starts_, std::span<const float>(none), stream);
    if (products) {
      halves_ = cuda::Buffer<uint4>(n * deep * 4), left_ = cuda::Buffer<std::uint32_t>(n), length2_ = cuda::Buffer<float>(n);
      halve_rows<<<std::min(cuda::blocks(n, 8), 4096u), 256, 0, stream>>>(points_.data(), frame_->centre(), frame_->scale(), n, d, deep,
                                                                          reinterpret_cast<__half*>(halves_.data()), left_.data(), length2_.data());
      cuda::check_launch();
    }
    grid_ = std::min({unsigned(cuda::multiprocessors()), static_cast<unsigned>(config.integer("grid")), cuda::blocks(n, warp_rows)});
    threads_ = block;
    run_.mean_warps = warps_a_job(k, grid_, screen::up_to(d, 32) / 32);
    run_.reach_warps = warps_a_job(jobs, grid_, std::max(d / 8, 1));
    const int set_bytes = together * d * int(sizeof(T)), sets = std::clamp(most_differences / set_bytes, 1, warps);
    bytes_ = (sizeof(SharedState<T>) + 15) / 16 * 16 + sets * set_bytes;
    cuda::allow_shared(kernel_, bytes_);
    run_.points = points_.data(), run_.halves = halves_.data(), run_.left = left_.data(), run_.length2 = length2_.data();
    run_.k_padded = k_padded, run_.deep = deep, run_.sets = sets, run_.products = products, run_.centre = frame_->centre(),
    run_.scale = frame_->scale();
    run_.shift_scale = shift_scale;
    units_ = moved_sums::Units<T>(moved_sums::greatest_of_columns(points_.data(), n, d, stream), this->points_with_copies(), stream);
    run_.fixed_point = units_;
    run_.numbers = this->numbers_.data();
    run_.centroids[0] = host_.assigned.data(), run_.centroids[1] = host_.next.data();
    run_.transposed = transposed_.data(), run_.image = image_.data(), run_.starts = starts_.data(), run_.shifts = shifts_.data();
    run_.reach_worth = products ? std::max<Bits>(96 * grid_, 10 * k) : std::max<Bits>(24 * grid_, k);
    run_.reach = reach_.data(), run_.twin = twins_.data(), run_.twin_before = twins_.data() + k, run_.freed = freed_.data();
    run_.tops = tops_.data(), run_.lengths = lengths_.data(), run_.copies = copies_, run_.coarse = coarse_.data(), run_.fine = fine_.data();
    run_.counts = counts_.data(), run_.labels = host_.labels.data(), run_.upper = upper_.data(), run_.lower = lower_.data();
    run_.meetings = meetings_.data(), run_.tallies = tallies_.data(), run_.ended = ended_.data();
    host_.stream.synchronize();
  }

  Solution<T> download() final {
    Solution<T> out = Base::download();
    if (out.iters % 2 == 0) std::swap(out.assigned_centroids, out.centroids);  // the kernel alternates between both sets
    return out;
  }

 private:
  using Base = cuda::OneLaunch<T, Run<T>>;
  using Base::host_, Base::run_, Base::grid_, Base::threads_, Base::bytes_;

  void launch() override {
    const cudaStream_t stream = host_.stream;
    cuda::clear(stream, coarse_, fine_, counts_, tops_, lengths_, meetings_, tallies_, freed_);
    cuda::set_bytes(twins_, 0x7F, stream);  // no_twin
    cuda::poison(stream, host_.labels);     // every point changes at first
    this->enqueue(kernel_);
  }

  void report(Trace& trace) override {
    const auto ended = this->records(ended_);
    const auto tallies = this->records(tallies_);
    const double k = host_.problem.k;
    for (std::size_t iter = 1; iter < ended.size(); ++iter) {
      const Tally& tally = tallies[iter];
      trace.begin_iteration();
      trace.add("fused", double(ended[iter] - ended[iter - 1]) * 1e-9);
      trace.count("changed", double(tally.changed));
      trace.count("past_global", double(tally.past_bound));
      trace.count("distances", double(tally.past_bound) * k + double(tally.reached) * k * k);
      trace.count("open", double(tally.open));
      trace.count("by_differences", double(tally.by_differences));
      trace.count("in_doubt", double(tally.in_doubt));
    }
  }

  moved_sums::Units<T> units_;
  cuda::Buffer<T> points_, transposed_;
  cuda::Buffer<uint4> halves_, image_;
  cuda::Buffer<std::uint32_t> left_;
  cuda::Buffer<float> length2_, starts_;
  cuda::Buffer<float> upper_, lower_;
  int copies_;
  cuda::Buffer<Bits> coarse_, fine_;
  cuda::Buffer<int> counts_, twins_, freed_;
  cuda::Buffer<float> shifts_, tops_, reach_;
  cuda::Buffer<screen::Lengths> lengths_;
  cuda::Buffer<Bits> meetings_;
  cuda::Buffer<Tally> tallies_;
  cuda::Buffer<Bits> ended_;
  std::optional<screen::Frame> frame_;
  // Take the kernel's address only here: identical template instances in two translation units are distinct device functions.
  void (*kernel_)(Run<T>) = iterate_all<T>;
};

inline std::vector<Parameter> parameters() {
  return {tunable("begin", "products", {"products", "differences"},
                  "how points past their bounds are compared with all centroids; products go on to differences where they decide too little"),
          tunable("grid", 132, {1, 66, 132}, "blocks, at most one a multiprocessor", cuda::within_multiprocessors)};
}

inline std::string too_large(const ProblemShape& p) {
  if (p.d > 1024) return "more than 1024 dimensions: eight points exceed a block's shared memory";
  if (p.n >= std::int64_t(1) << 30) return "2^30 points or more";
  return "";
}

}  // namespace km::compacted
