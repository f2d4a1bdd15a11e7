// Host side of impl/gpu/hamerly/neighbours.cu: layout, sizes, run.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "impl/gpu/hamerly/neighbours_run.cuh"
#include "impl/gpu/lloyd/register_tiles.cuh"
#include "impl/gpu/registration.hpp"
#include "impl/gpu/whole_run.cuh"

namespace km::neighbours {

constexpr int wanted_cells = 1024;  // of the sums, copied so that blocks contend less

/// Calls f with the number of dimensions that a kernel is compiled for, at least d.
template <class T, class F>
void with_kernel_width(int d, F&& f) {
  if constexpr (sizeof(T) == 4) with_width<1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 40, most_dimensions<T>>(d, std::forward<F>(f));
  else with_width<1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, most_dimensions<T>>(d, std::forward<F>(f));
}

template <class T, int D>
int threads_of(const Config& config) {
  return std::min(config.integer("block") / 32 * 32, most_threads<T, D>);
}
/// The least shared memory of a block.
template <class T>
std::size_t least_bytes(const ProblemShape& p, const Config& config) {
  std::size_t bytes = 0;
  with_kernel_width<T>(p.d, [&](auto D) {
    constexpr int width = decltype(D)::value;
    bytes = Layout<T, width>{p.k, threads_of<T, width>(config) / 32, 1, 0, 0}.bytes();
  });
  return bytes;
}

inline std::string too_large(const ProblemShape& p, const Config& config, int value_bytes) {
  if (p.d > (value_bytes == 4 ? most_dimensions<float> : most_dimensions<double>))
    return "more than 48 dimensions, 32 in fp64: a point exceeds a thread's registers";
  if (p.n >= std::int64_t(1) << 30) return "2^30 points or more";
  if (p.k > 0x7FFF) return "more than 32,767 clusters: a label has 16 bits";
  const std::size_t bytes = value_bytes == 4 ? least_bytes<float>(p, config) : least_bytes<double>(p, config);
  return bytes > register_tiles::shared_limit() ? "centroids, their sums and their distances exceed a block's shared memory" : "";
}

inline std::vector<Parameter> parameters() {
  return {tunable("block", 512, {128, 256, 512, 768, 1024}, "threads of a block; above 512 with few dimensions alone"),
          tunable("grid", 132, {1, 33, 66, 132}, "blocks, at most one a multiprocessor", cuda::within_multiprocessors)};
}

/// Copies rows, n x d, to slices of 32 points by dimension; zeros beyond both.
template <class T>
__global__ void lay_out(const T* __restrict__ rows, std::int64_t n, int d, int width, std::int64_t size, T* out) {
  for (std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < size; at += std::int64_t(gridDim.x) * blockDim.x) {
    const std::int64_t i = at / (width * slice) * slice + at % slice;
    const int j = static_cast<int>(at / slice % width);
    out[at] = i < n && j < d ? rows[i * d + j] : T(0);
  }
}

template <class T>
class Neighbours : public cuda::OneGraph<T, Run<T>> {
 public:
  /// shift_scale: scales each shift that loosens a bound. Below 1 labels are not proven.
  Neighbours(const Problem<T>& problem, const Config& config, Trace& trace, float shift_scale = 1, cuda::DistinctRows<T>* distinct = nullptr)
      : Base(problem, problem.n, distinct), stamps_(std::int64_t(problem.max_iters) + 1) {
    cuda::Stream& stream = host_.stream;
    const cuda::Buffer<T> rows = distinct ? std::move(distinct->points) : cuda::upload_rows(problem, trace, stream);
    const cuda::Phase phase(trace, "layout", stream);
    run_.shift_scale = shift_scale;
    units_ = moved_sums::Units<T>(moved_sums::greatest_of_columns(rows.data(), problem.n, problem.d, stream), this->points_with_copies(), stream);
    run_.fixed_point = units_;
    with_kernel_width<T>(problem.d, [&](auto D) { prepare<decltype(D)::value>(rows.data(), config); });
    this->limit(problem.max_iters);
    stream.synchronize();  // rows are freed on return
  }

 private:
  using Base = cuda::OneGraph<T, Run<T>>;
  using Base::host_, Base::run_, Base::grid_, Base::threads_, Base::bytes_;

  void enqueue_run() override {
    cuda::clear(host_.stream, control_);
    this->enqueue(kernel_);
  }

  template <int D>
  void prepare(const T* rows, const Config& config) {
    const std::int64_t n = host_.problem.n;
    const int d = host_.problem.d, k = host_.problem.k, max_iters = host_.problem.max_iters;
    const std::int64_t slices = (n + slice - 1) / slice;
    grid_ = static_cast<unsigned>(std::clamp<std::int64_t>(std::min(config.number("grid"), slices), 1, cuda::multiprocessors()));
    threads_ = threads_of<T, D>(config);
    kernel_ = iterate_all<T, D, 512>;
    if constexpr (512 < most_threads<T, D>)
      if (threads_ > 512) kernel_ = threads_ > 768 ? iterate_all<T, D, 1024> : iterate_all<T, D, 768>;

    // Copies of the sums take the room of distances, and more if all bounds fit beside them. Bounds, which every iteration reads, go before points.
    const std::size_t limit = register_tiles::shared_limit();
    const auto share = static_cast<int>((slices + grid_ - 1) / grid_);
    Layout<T, D> layout{k, threads_ / 32, 1, share, 0};
    while (layout.table_copies < 8) {
      Layout<T, D> more = layout;
      more.table_copies *= 2;
      if (more.table_bytes() > more.apart_bytes() && more.bytes() > limit) break;
      layout = more;
    }
    layout.state_cached = 0;
    layout.state_cached = static_cast<int>(std::min<std::size_t>(share, (limit - layout.bytes()) / layout.state_bytes()));
    const std::size_t room = limit - layout.fixed_bytes() - layout.apart_bytes();
    layout.points_cached = static_cast<int>(std::min<std::size_t>(share, room / layout.slice_bytes()));
    bytes_ = layout.bytes();
    cuda::allow_shared(kernel_, std::int64_t(bytes_));

    points_ = cuda::Buffer<T>(slices * slice * D);
    bounds_ = cuda::Buffer<float2>(slices * slice);
    slice_labels_ = cuda::Buffer<std::uint16_t>(slices * slice);
    const int copies = std::clamp(wanted_cells / layout.cells(), 1, 8);
    const std::int64_t changes = 3 * (std::int64_t(copies) * (2 * layout.cells() + k) + 1), iterations = std::int64_t(max_iters) + 1;
    control_ = cuda::Buffer<Bits>(changes + iterations * (1 + tally_size));
    lay_out<<<std::min(cuda::blocks(points_.size(), 256), 4096u), 256, 0, host_.stream>>>(rows, n, d, D, points_.size(), points_.data());
    cuda::check_launch();

    run_.points = points_.data(), run_.bounds = bounds_.data(), run_.labels = slice_labels_.data(), run_.numbers = this->numbers_.data();
    run_.slices = static_cast<int>(slices);
    run_.state_cached = layout.state_cached, run_.points_cached = layout.points_cached;
    run_.table_copies = layout.table_copies, run_.copies = copies;
    run_.widening = Widening<T>(d), run_.finer = Widening<double>(d);
    run_.changes = control_.data(), run_.meetings = run_.changes + changes, run_.tallies = run_.meetings + iterations;
    run_.assigned = host_.assigned.data(), run_.next = host_.next.data(), run_.labels_out = host_.labels.data();
    run_.stamps = stamps_.data();
  }

  void report(Trace& trace) override {
    const auto stamps = this->records(stamps_);
    std::vector<Bits> tallies(stamps.size() * tally_size);
    cuda::download(tallies.data(), run_.tallies, tallies.size() * sizeof tallies[0], host_.stream);
    for (std::size_t iter = 1; iter < stamps.size(); ++iter) {
      const Bits* const tally = tallies.data() + iter * tally_size;
      trace.begin_iteration();
      cuda::add_phases(trace, stamps[iter - 1], stamps[iter]);
      trace.count("changed", double(tally[changed]));
      trace.count("past_bounds", double(tally[past]));
      trace.count("past_global", double(tally[tight]));
      const double of_points = iter == 1 ? double(host_.problem.n) * host_.problem.k : double(tally[evaluated] + tally[past] - tally[tight]);
      trace.count("distances", of_points + double(host_.problem.k) * host_.problem.k / 2);
      trace.count("in_doubt", double(tally[in_doubt]));
      trace.count("points_held", double(run_.points_cached));
      trace.count("bounds_held", double(run_.state_cached));
    }
  }

  moved_sums::Units<T> units_;
  cuda::Buffer<T> points_;
  cuda::Buffer<float2> bounds_;
  cuda::Buffer<std::uint16_t> slice_labels_;
  cuda::Buffer<Bits> control_;  // changes, meetings, tallies
  cuda::Buffer<cuda::Stamps> stamps_;
  // Take the kernel's address only here: identical template instances in two translation units are distinct device functions.
  void (*kernel_)(Run<T>) = nullptr;
};

}  // namespace km::neighbours
