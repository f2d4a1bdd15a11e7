// All iterations in one kernel, with points cached where they are used. Each block has a share of the points. As many as fit stay with their labels
// in its multiprocessor's shared memory for the whole run. The rest is read once per iteration, from the L2 cache if it fits. Blocks meet once per
// iteration: each adds its moved points to the clusters' sums, waits, and computes all centroids itself. The kernel tests convergence: one launch and
// one wait per run. Threads keep changes of sums in registers if they are few, else the block in integers (resident_sums.cuh).
// Cost of an iteration: points beyond shared memory read once; 2 d + 7/2 instructions per point and centroid. Through L2: 12 bytes per value of the
// sums and block. One grid barrier. Per run: points read once, labels written once, one launch.
// Limit: 16 dimensions, 256 clusters, 1024 values in all centroids; no gain over registers if n d is far beyond the caches.
#include <algorithm>

#include "bench/device/cuda_host.cuh"
#include "impl/cost_terms.hpp"
#include "impl/gpu/lloyd/resident_run.cuh"
#include "impl/gpu/registration.hpp"

namespace km {
namespace {

using namespace resident;

constexpr int most_dimensions = 16, most_clusters = 256, most_cells = 1024;
constexpr int least_tiles = 16;    // per block, so that its warps have work
constexpr int table_cells = 2048;  // of a block's sums with copies

/// Copies rows, n x d, to tiles; zeros beyond both. most: raised to the greatest |value|.
template <class T, int D>
__global__ void lay_out(const T* __restrict__ rows, std::int64_t n, int d, std::int64_t tiles, T* out) {
  constexpr int size = tile_points<T>;
  for (std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < tiles * D * size; at += std::int64_t(gridDim.x) * blockDim.x) {
    const std::int64_t i = at / (D * size) * size + at % size;
    const int j = static_cast<int>(at / size % D);
    out[at] = i < n && j < d ? rows[i * d + j] : T(0);
  }
}

/// True if a thread's registers hold the sums of so many clusters beside its points.
constexpr bool fits(int clusters, int width) { return 2 * clusters * width + 4 * width <= 90; }

/// Number of clusters whose sums a thread keeps, or 0.
constexpr int own_clusters(int k, int width) {
  for (int clusters : {2, 4, 8, 16})
    if (k <= clusters && fits(clusters, width)) return clusters;
  return 0;
}
template <int D, class F>
void with_clusters(int clusters, F&& f) {
  with_dimension<2, 4, 8, 16>(clusters, [&](auto K) {
    if constexpr (fits(decltype(K)::value, D)) f(K);
  });
}

/// At most so many points have their sum in a thread's registers; then come a warp's 5 steps, 16 warps, and integers, which are exact. Tables are, too.
/// A warp has a tile more than its share at most, a tile is 4 points a lane, and a card has 8 multiprocessors at least.
std::int64_t points_of_a_thread(const ProblemShape& p, const Config& config) {
  return p.k <= 16 ? p.n / (own_threads * std::min<std::int64_t>(config.number("grid"), 8)) + 8 : 0;
}

template <class T>
class Resident : public cuda::OneLaunch<T, Run<T>> {
 public:
  Resident(const Problem<T>& problem, const Config& config, Trace& trace) : Base(problem, problem.n), ended_(problem.max_iters + 1) {
    with_width<1, 2, 3, 4, 5, 6, 7, 8, 12, most_dimensions>(problem.d, [&](auto D) { lay_out_points<decltype(D)::value>(config, trace); });
  }

 private:
  using Base = cuda::OneLaunch<T, Run<T>>;
  using Base::host_, Base::run_, Base::grid_, Base::threads_, Base::bytes_;

  void launch() override {
    cuda::clear(host_.stream, changes_);
    this->enqueue(kernel_);
  }

  template <int D>
  void lay_out_points(const Config& config, Trace& trace) {
    const Problem<T>& problem = host_.problem;
    const cudaStream_t stream = host_.stream;
    const cuda::Buffer<T> rows = cuda::upload_rows(problem, trace, stream);
    const cuda::Phase phase(trace, "layout", stream);
    const int k = problem.k;
    const std::int64_t tiles = (problem.n + tile_points<T> - 1) / tile_points<T>;
    points_ = cuda::Buffer<T>(tiles * D * tile_points<T>);
    tile_labels_ = cuda::Buffer<std::uint8_t>(tiles * tile_points<T>);
    changes_ = cuda::Buffer<Bits>(3 * (2 * k * D + k + 1));
    const unsigned blocks = std::min(cuda::blocks(points_.size(), 256), 4096u);
    lay_out<T, D><<<blocks, 256, 0, stream>>>(rows.data(), problem.n, problem.d, tiles, points_.data());
    cuda::check_launch();
    choose_kernel<D>(config, tiles, moved_sums::greatest_of_columns(rows.data(), problem.n, problem.d, stream));
  }

  /// Chooses grid, kernel and units. greatest: |value| of columns.
  template <int D>
  void choose_kernel(const Config& config, std::int64_t tiles, const std::vector<double>& of_columns) {
    const Problem<T>& problem = host_.problem;
    const double greatest = std::ranges::max(of_columns);
    const int k = problem.k;
    const std::int64_t wanted = std::min<std::int64_t>(config.number("grid"), (tiles + least_tiles - 1) / least_tiles);
    grid_ = static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, cuda::multiprocessors()));
    const auto share = static_cast<int>((tiles + grid_ - 1) / grid_);
    const std::int64_t points_a_lane = (share + least_tiles - 1) / least_tiles * lane_points<T>;
    // A thread's own sums need units that neither overflow nor vanish.
    const bool ordinary = greatest == 0 || (greatest > 1e-20 && greatest * double(points_a_lane) < 1e30);
    const int own = ordinary ? own_clusters(k, D) : 0;
    SharedLayout<T, D> layout{k, 1, 0, own > 0};
    while (layout.copies < 32 && 2 * layout.copies * k * D <= table_cells) layout.copies *= 2;
    const std::int64_t free_bytes = cuda::most_shared_bytes() - 8192 - std::int64_t(layout.bytes());
    layout.cached = static_cast<int>(std::clamp<std::int64_t>(free_bytes / std::int64_t(layout.labelled_tile()), 0, share));
    bytes_ = layout.bytes();
    with_clusters<D>(own, [&](auto K) {
      kernel_ = iterate_all<T, D, decltype(K)::value>;
      threads_ = threads_of<T, D, decltype(K)::value>;
    });
    cuda::allow_shared(kernel_, bytes_);

    const std::int64_t additions = 2 * points_a_lane * least_tiles * (32 / layout.copies);  // per limb
    const int width = std::clamp(30 - std::ilogb(double(additions)), 1, 17);
    const int points_log = std::max(3, std::ilogb(double(points_a_lane)) + 1), top = greatest > 0 ? std::ilogb(greatest) + 1 : 0;
    run_.points = points_.data(), run_.labels = tile_labels_.data(), run_.tiles = tiles, run_.tiles_a_block = share, run_.cached = layout.cached;
    run_.copies = layout.copies, run_.width = width, run_.magic = own ? static_cast<T>(std::ldexp(1.5 * 0x1p23, top + points_log - 24)) : T(0);
    const int bits = own ? moved_sums::Units<T>::most_bits : std::min(moved_sums::Units<T>::most_bits, limbs * width - 1);
    units_ = moved_sums::Units<T>(of_columns, own ? grid_ : problem.n, host_.stream, bits, own ? double(own_threads) * double(points_a_lane) : 1);
    run_.fixed_point = units_;
    run_.changes = changes_.data(), run_.assigned = host_.assigned.data(), run_.next = host_.next.data();
    run_.labels_out = host_.labels.data(), run_.ended = ended_.data();
  }

  void report(Trace& trace) override {
    const auto ended = this->records(ended_);
    for (std::size_t iter = 1; iter < ended.size(); ++iter) {
      trace.begin_iteration();
      trace.add("fused", double(ended[iter] - ended[iter - 1]) * 1e-9);
      trace.count("tiles_held", run_.cached);
      trace.count("tiles", run_.tiles_a_block);
    }
  }

  moved_sums::Units<T> units_;
  cuda::Buffer<T> points_;
  cuda::Buffer<std::uint8_t> tile_labels_;
  cuda::Buffer<Bits> changes_;
  cuda::Buffer<unsigned long long> ended_;
  void (*kernel_)(Run<T>) = nullptr;
};

const Register<Resident> registration{{
    .summary = "all iterations in one kernel, points and labels kept in shared memory as far as they fit",
    .device = Device::gpu,
    .parameters = {tunable("grid", 132, {1, 33, 66, 132}, "blocks, at most one per multiprocessor; fewer if a warp would have no point",
                           cuda::within_multiprocessors)},
    .unsupported = [](const ProblemShape& p, const Config&, int) -> std::string {
      if (p.d > most_dimensions) return "more than 16 dimensions: a point exceeds a thread's registers";
      if (p.k > most_clusters) return "more than 256 clusters: a label has 8 bits";
      if (std::int64_t(p.k) * p.d > most_cells) return "more than 1024 values in all centroids, which every block keeps";
      return "";
    },
    .summation_depth = [](const ProblemShape& p, const Config& config) { return points_of_a_thread(p, config) + (p.k <= 16 ? 5 + 16 : 1); },
    .fixed_point = true,
    .kept_points = points_of_a_thread,
    .cost = cost::moved,
}};

}  // namespace
}  // namespace km
