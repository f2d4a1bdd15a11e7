// Lloyd's at half-precision speed with fp64's labels. Tensor cores score every centroid for every point in fp16. A proven margin decides all but a
// few percent of the points, with 16 dimensions or more and ordinary ranges. For the others the same scores name the few centroids within the
// margin. These are compared by differences, in fp64 where fp32 is in doubt (screen_settle). Points with too many candidates are scored again with
// both operands in two halves, three products. Points still open are compared with all centroids by differences. If most points get that far (heavy
// tails), later iterations start there.
// Sums are exact and updated by moved points only (moved_sums). The kernel of the means also halves the next centroids (screen_centroids).
// Cost of an iteration: 2 n K k' fp16 flops (K, k': d, k rounded up to 16, 128), points read once in fp16, moved points twice as given; eight
// kernels, no decision on the host. Memory per point: as given, 4 K bytes of halves, 60 bytes of lists (76 with many clusters).
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "impl/gpu/lloyd/screen_centroids.cuh"
#include "impl/gpu/lloyd/screen_settle.cuh"
#include "impl/gpu/registration.hpp"

namespace km::screen {

/// Unit: the matrix instruction; kernel_for returns its kernels.
template <class T, class Unit>
class Screened {
 public:
  /// margin_scale: scales the proven margin. Below 1 labels are not proven.
  Screened(const Problem<T>& problem, const Config& config, Trace& trace, float margin_scale = 1)
      : lloyd_(problem, trace), points_(cuda::upload_rows(problem, trace, lloyd_.stream())), sums_(problem, config.integer("grid")),
        one_(layout_for(problem, 1)), three_(layout_for(problem, 3)), k_padded_(up_to(problem.k, 32)), one_image_(one_.bytes()),
        three_image_(three_.bytes()), lengths_(2), transposed_(std::int64_t(problem.d) * k_padded_), left_(problem.n), open_points_(problem.n),
        open_counts_(problem.n), candidates_(problem.n * most_candidates), many_(problem.n), rest_(problem.n), least_(problem.n), progress_(2),
        lowest_(1 << Twins::bits), hashes_(problem.k), done_(1), margin_scale_(margin_scale) {
    const auto& strategy = config.word("begin");
    strategy_ = strategy == "differences" ? differences : strategy == "three products" ? three_products : one_product;
    const cudaStream_t stream = lloyd_.stream();
    prepare_screen(one_kernel_ = Unit::template kernel_for<1, Task::decide>(one_, one_threads_), one_, one_stages_);
    prepare_screen(collect_kernel_ = Unit::template kernel_for<1, Task::collect>(one_, one_threads_), one_, one_stages_);
    prepare_screen(three_kernel_ = Unit::template kernel_for<3, Task::decide>(three_, three_threads_), three_, three_stages_);
    compare_ = problem.d % cuda::Pack<T>::size == 0 ? compare_candidates<T, cuda::Pack<T>::size> : compare_candidates<T, 1>;
    across_ = 1;
    while (across_ < settle_warps && (across_ * 32 < k_padded_ || settle_bytes() > 48 * 1024)) across_ *= 2;
    cuda::allow_shared(settle<T>, std::max(settle_bytes(), 48 * 1024));

    const cuda::Phase phase(trace, "layout", stream);
    cuda::Buffer<T> initial(std::int64_t(problem.k) * problem.d);
    upload(initial, problem.initial_centroids, stream);
    frame_.emplace(problem, points_.data(), initial.data(), stream);
    sums_.set_extent(frame_->greatest());
    const std::int64_t tiles = cuda::blocks(problem.n, tile_rows);
    const int steps = one_.steps * one_.chunks;
    high_ = cuda::Buffer<uint4>(tiles * steps * 128);
    low_ = cuda::Buffer<uint4>(tiles * steps * 128);
    cuda::Buffer<float> longest(1);
    cuda::clear(stream, longest);
    halve_points<<<tiles, 128, 0, stream>>>(points_.data(), frame_->centre(), frame_->scale(), problem.n, problem.d, steps, high_.data(), low_.data(),
                                            left_.data(), longest.data());
    cuda::check_launch();
    cuda::download(&score_offset_, longest.data(), sizeof score_offset_, stream);
    score_offset_ *= 1.6f;  // bounds |x·c| + |c|²/2 for centroids among the points
    clear_image<<<256, 256, 0, stream>>>(one_, one_image_.data());
    cuda::check_launch();
    clear_image<<<256, 256, 0, stream>>>(three_, three_image_.data());
    cuda::check_launch();
    cuda::clear(stream, transposed_, done_);
    cuda::set_bytes(lowest_, 0x7F, stream);  // above every index
    lloyd_.stream().synchronize();
  }

  void reset() { lloyd_.reset(); }

  int iterate(Trace& trace) {
    iteration_ = 0;
    const Progress begin{strategy_, {0, 0, 0}, 0, 0};
    cuda::check(cudaMemcpyAsync(progress_.data(), &begin, sizeof begin, cudaMemcpyHostToDevice, lloyd_.stream()));
    cuda::clear(lloyd_.stream(), lengths_);
    sums_.clear(lloyd_.stream());
    return lloyd_.run(trace, {{"assign", [this] { launch_assign(); }}, {"update", [this, &trace] { launch_update(trace); }}});
  }

  Solution<T> download() { return lloyd_.download(); }

 private:
  int settle_bytes() const { return settle_warps / across_ * together * lloyd_.shape().d * int(sizeof(T)); }

  static void prepare_screen(Kernel kernel, const ImageLayout& layout, int& stages) {
    cudaFuncAttributes own;
    cuda::check(cudaFuncGetAttributes(&own, kernel));
    const int bytes = cuda::attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - static_cast<int>(own.sharedSizeBytes);
    stages = std::min({most_stages, layout.tiles * layout.chunks, bytes / layout.piece_bytes()});
    cuda::allow_shared(kernel, stages * layout.piece_bytes());
  }

  Images<T> images(int slot) {
    return {one_, three_, one_image_.data(), three_image_.data(), lengths_.data() + slot, transposed_.data(), k_padded_, score_offset_};
  }

  void launch_average(bool sums) {
    const auto [n, d, k, max_iters, tolerance] = lloyd_.shape();
    const int slot = sums ? (iteration_ + 1) % 2 : 0;
    average<T><<<k, 128, 0, lloyd_.stream()>>>(sums ? sums_.sums() : nullptr, sums_.counts(), sums_.fixed_point(), lloyd_.assigned(),
                                               frame_->centre(), frame_->scale(), n, d, k, lloyd_.next(), images(slot),
                                               {lowest_.data(), hashes_.data(), done_.data()},
                                               {lengths_.data() + (slot ^ 1), progress_.data(), progress_.data() + 1, strategy_ == one_product});
    cuda::check_launch();
  }

  void launch_assign() {
    const auto [n, d, k, max_iters, tolerance] = lloyd_.shape();
    if (iteration_ == 0) launch_average(false);
    const Points points{high_.data(), low_.data(), left_.data(), n};
    const Open open{open_points_.data(), least_.data(), open_counts_.data(), candidates_.data()};
    Screen s{points,
             one_image_.data(),
             one_,
             one_stages_,
             lengths_.data() + iteration_ % 2,
             progress_.data(),
             open,
             many_.data(),
             rest_.data(),
             lloyd_.labels(),
             lloyd_.changed(),
             score_offset_,
             margin_scale_};
    one_kernel_<<<multiprocessors_, one_threads_, one_stages_ * one_.piece_bytes(), lloyd_.stream()>>>(s);
    cuda::check_launch();
    collect_kernel_<<<multiprocessors_, one_threads_, one_stages_ * one_.piece_bytes(), lloyd_.stream()>>>(s);
    cuda::check_launch();
    compare_<<<multiprocessors_ * 6, settle_block, 0, lloyd_.stream()>>>(points_.data(), lloyd_.assigned(), n, d, progress_.data(), open,
                                                                         many_.data(), lloyd_.labels(), lloyd_.changed());
    cuda::check_launch();
    s.image = three_image_.data(), s.layout = three_, s.stages = three_stages_;
    three_kernel_<<<multiprocessors_, three_threads_, three_stages_ * three_.piece_bytes(), lloyd_.stream()>>>(s);
    cuda::check_launch();
    const Settle<T> rest{points_.data(),  transposed_.data(), n, d, k, k_padded_, across_, progress_.data(), rest_.data(),
                         lloyd_.labels(), lloyd_.changed()};
    settle<T><<<multiprocessors_ * 4, settle_block, settle_bytes(), lloyd_.stream()>>>(rest);
    cuda::check_launch();
  }

  void launch_update(Trace& trace) {
    sums_.enqueue(points_.data(), lloyd_.labels(), lloyd_.stream());
    launch_average(true);
    ++iteration_;
    if (!trace.active()) return;
    Progress made;
    cuda::download(&made, progress_.data() + 1, sizeof made, lloyd_.stream());
    trace.count("open_after_one", double(made.open[0]) + made.known);
    trace.count("told_at_once", made.known);
    trace.count("many_candidates", made.open[1]);
    trace.count("open_after_three", made.open[2]);
    trace.count("in_doubt", made.in_doubt);
    trace.count("way", made.strategy);
  }

  cuda::Lloyd<T> lloyd_;
  cuda::Buffer<T> points_;
  moved_sums::Sums<T> sums_;
  ImageLayout one_, three_;
  int k_padded_, one_threads_ = 0, three_threads_ = 0, one_stages_ = 0, three_stages_ = 0, across_ = 1, iteration_ = 0;
  int multiprocessors_ = cuda::multiprocessors();
  Strategy strategy_;
  cuda::Buffer<std::uint8_t> one_image_, three_image_;
  cuda::Buffer<Lengths> lengths_;  // of this iteration's centroids and the next's
  cuda::Buffer<T> transposed_;
  cuda::Buffer<uint4> high_, low_;
  cuda::Buffer<std::uint32_t> left_;
  cuda::Buffer<int> open_points_, open_counts_, candidates_, many_, rest_;
  cuda::Buffer<float> least_;
  cuda::Buffer<Progress> progress_;  // this iteration's and the last one's
  cuda::Buffer<int> lowest_;
  cuda::Buffer<unsigned long long> hashes_;
  cuda::Buffer<unsigned> done_;
  float score_offset_ = 0, margin_scale_;
  std::optional<Frame> frame_;
  Kernel one_kernel_ = nullptr, collect_kernel_ = nullptr, three_kernel_ = nullptr;
  decltype(&compare_candidates<T, 1>) compare_ = nullptr;
};

inline std::string too_large(const ProblemShape& p) {
  if (p.d > 2048) return "more than 2048 dimensions";
  if (p.k > moved_sums::most_clusters) return "more than 12288 clusters";
  if (p.n >= std::int64_t(1) << 30) return "2^30 points or more: two entries a point exceed a list";
  return "";
}

inline std::vector<Parameter> parameters() {
  return {tunable("begin", "one product", {"one product", "three products", "differences"},
                  "first scores; later iterations use the others if too many points stay open"),
          tunable("grid", 264, {132, 264, 528}, "blocks of the update; they share the points")};
}

}  // namespace km::screen
