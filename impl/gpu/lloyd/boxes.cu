// Few dimensions: points are sorted into tiles that lie in small boxes, those of a kd-tree's leaves. Where one centroid is the nearest to a whole box, it
// takes the tile without a look at its points: the filtering algorithm (Kanungo, Mount, Netanyahu, Piatko, Silverman and Wu, IEEE TPAMI 24, 2002) on two
// levels, groups of tiles and tiles, so that all run at once. Else the points of the tile meet the centroids that its box did not drop. fp64 decides
// throughout. A tile's sums are known, so one that changes owner moves as a whole. Sums are integers, and only what moved is added.
// All iterations are one kernel. Boxes stay in shared memory if they fit; blocks meet once an iteration, and each makes all centroids itself.
// Cost of an iteration: 10 d operations of fp64 a box and centroid; the points of tiles on boundaries read once, 3 d operations of fp64 a candidate; 2 d
// additions to L2 a moved point or tile. About (n / b)^(1 - 1/d) k^(1/d) tiles of b points lie there. Per run: the owner of each point's tile read
// at a random place. Prepare sorts.
// Memory: the points again, 6 bytes a point, and a box and a sum a tile; 24 bytes a point in prepare.
// Limit: 8 dimensions; centroids, sums and the warps' candidates in a block's shared memory: k up to about 2,300 in one dimension, 980 in eight. On a
// card whose fp64 is much slower than its fp32 others are faster.
#include <algorithm>
#include <bit>

#include "bench/device/cuda_host.cuh"
#include "impl/cost_terms.hpp"
#include "impl/gpu/lloyd/boxes_order.cuh"
#include "impl/gpu/lloyd/boxes_run.cuh"
#include "impl/gpu/over_distinct.hpp"
#include "impl/gpu/registration.hpp"

namespace km {
namespace {

using namespace boxes;

constexpr std::size_t static_bytes = 1024;  // of the kernel's shared memory, at most
constexpr int wanted_cells = 1024;          // of the sums, copied so that blocks contend less
constexpr int usual_groups_a_warp = 4;      // so that a warp that is done early has more to do
constexpr int groups_a_block = 4;           // at least: blocks spread over the card before warps fill them
constexpr double long_search_ratio = 128;   // of all centroids to the clusters that a tile meets (results/h200/boxes_ab.txt)

/// Clusters that a tile meets where both are cubes: (1 + side of a tile / side of a cluster)^d.
double clusters_met(double n, double k, double d, double tile) { return std::min(k, std::pow(1 + std::pow(k * tile / std::max(n, tile), 1 / d), d)); }

/// The slot of a tile's box and sums. Block b has groups b, b + grid, and so on.
struct Slots {
  unsigned grid;
  int tiles_a_group, tiles_a_block;
  std::int64_t count() const { return std::int64_t(grid) * tiles_a_block; }
  __device__ std::int64_t operator()(std::int64_t tile) const {
    const std::int64_t group = tile / tiles_a_group;
    return group % grid * tiles_a_block + group / grid * tiles_a_group + tile % tiles_a_group;
  }
};

/// A warp copies a tile's points, n x D, to D x size, zeros beyond n, and finds its box. numbers: of each point's copies, or null; tile_numbers: the same in
/// the tiles' order.
template <class T, int D>
__global__ void lay_out(const T* __restrict__ rows, const std::int32_t* __restrict__ numbers, const std::int32_t* __restrict__ order, std::int64_t n,
                        int size, Slots slot, T* points, std::int32_t* tile_numbers, std::int32_t* places, T* box) {
  const std::int64_t tile = (std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32, first = tile * size;
  if (first >= n) return;
  T high[D], negative_low[D];
#pragma unroll
  for (int j = 0; j < D; ++j) high[j] = negative_low[j] = -cuda::infinity<T>;
  for (int i = threadIdx.x % 32; i < size; i += 32) {
    const std::int64_t from = first + i < n ? order[first + i] : -1;
    if (from >= 0) places[from] = static_cast<std::int32_t>(first + i);
    if (numbers) tile_numbers[first + i] = from >= 0 ? numbers[from] : 0;
#pragma unroll
    for (int j = 0; j < D; ++j) {
      const T value = from >= 0 ? rows[from * D + j] : T(0);
      points[first * D + j * size + i] = value;
      if (from >= 0) high[j] = max(high[j], value), negative_low[j] = max(negative_low[j], -value);
    }
  }
#pragma unroll
  for (int j = 0; j < D; ++j) {
    const T greatest = cuda::max_over_warp(high[j]), least = -cuda::max_over_warp(negative_low[j]);
    if (threadIdx.x % 32 == 0) box[slot(tile) * 2 * D + j] = least, box[slot(tile) * 2 * D + D + j] = greatest;
  }
}

/// A thread a group and dimension: the box of its tiles' boxes.
template <class T>
__global__ void box_groups(const T* __restrict__ boxes, std::int64_t tiles, int d, Slots slot, std::int64_t groups, T* group_boxes) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x, group = at / d;
  if (group >= groups) return;
  const int j = static_cast<int>(at % d);
  T least = cuda::infinity<T>, greatest = -cuda::infinity<T>;
  for (std::int64_t tile = group * slot.tiles_a_group; tile < min((group + 1) * slot.tiles_a_group, tiles); ++tile)
    least = min(least, boxes[slot(tile) * 2 * d + j]), greatest = max(greatest, boxes[slot(tile) * 2 * d + d + j]);
  group_boxes[group * 2 * d + j] = least, group_boxes[group * 2 * d + d + j] = greatest;
}

/// A thread a tile and dimension.
template <class T>
__global__ void sum_tiles(const T* __restrict__ points, const std::int32_t* __restrict__ numbers, std::int64_t n, std::int64_t tiles, int d, int size,
                          Slots slot, FixedPoint<T> q, Bits* sums) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x, tile = at / d;
  if (tile >= tiles) return;
  const int j = static_cast<int>(at % d), here = static_cast<int>(min(n - tile * size, std::int64_t(size)));
  long long coarse = 0, fine = 0, count = 0;
  for (int i = 0; i < here; ++i) {
    const int number = numbers ? numbers[tile * size + i] : 1;
    long long whole, rest;
    q.split(double(points[at * size + i]), j, whole, rest);
    coarse += whole * number, fine += rest * number, count += number;
  }
  Bits* const to = sums + slot(tile) * sums_of_tile(d);
  to[j] = Bits(coarse), to[d + j] = Bits(fine);
  if (j == 0) to[2 * d] = Bits(count);
}

template <class T>
class Boxes : public cuda::OneGraph<T, Run<T>> {
 public:
  Boxes(const Problem<T>& problem, const Config& config, Trace& trace, cuda::DistinctRows<T>* distinct = nullptr)
      : Base(problem, problem.n, distinct), stamps_(std::int64_t(problem.max_iters) + 1) {
    cuda::Stream& stream = host_.stream;
    const cuda::Buffer<T> rows = distinct ? std::move(distinct->points) : cuda::upload_rows(problem, trace, stream);
    const cuda::Phase phase(trace, "layout", stream);
    units_ = moved_sums::Units<T>(moved_sums::greatest_of_columns(rows.data(), problem.n, problem.d, stream), this->points_with_copies(), stream);
    run_.fixed_point = units_;
    with_width<1, 2, 3, 4, 5, 6, 7, most_dimensions>(problem.d, [&](auto D) { lay_out_points<decltype(D)::value>(rows.data(), config); });
    this->limit(problem.max_iters);
    stream.synchronize();  // rows are freed on return
  }

 private:
  using Base = cuda::OneGraph<T, Run<T>>;
  using Base::host_, Base::run_, Base::grid_, Base::threads_, Base::bytes_;

  void enqueue_run() override {
    cuda::clear(host_.stream, zeros_);
    this->enqueue(kernel_);
  }

  template <int D>
  void lay_out_points(const T* rows, const Config& config) {
    const cudaStream_t stream = host_.stream;
    const std::int64_t n = host_.problem.n, max_iters = host_.problem.max_iters;
    const int k = host_.problem.k;
    choose_sizes<D>(config);
    const int size = run_.size;
    const std::int64_t tiles = run_.tiles;
    const Slots slots{grid_, run_.tiles_a_group, run_.tiles_a_block};
    const int change_size = 2 * k * D + k;
    run_.change_copies = std::clamp(wanted_cells / (k * D), 1, 8);
    points_ = cuda::Buffer<T>(tiles * D * size), boxes_ = cuda::Buffer<T>(slots.count() * 2 * D), group_boxes_ = cuda::Buffer<T>(run_.groups * 2 * D);
    sums_ = cuda::Buffer<Bits>(slots.count() * sums_of_tile(D)), tile_labels_ = cuda::Buffer<std::uint16_t>(tiles * size);
    places_in_tiles_ = cuda::Buffer<std::int32_t>(n);
    zeros_ = cuda::Buffer<Bits>(max_iters + 1 + 3 * std::int64_t(run_.change_copies) * change_size);
    all_owners_ = cuda::Buffer<std::int16_t>(tiles + 8);  // read by 16 bytes
    if (!run_.held) owners_ = cuda::Buffer<std::int16_t>(slots.count());
    const std::int32_t* const numbers = this->numbers_.data();
    if (numbers) tile_numbers_ = cuda::Buffer<std::int32_t>(tiles * size);

    const cuda::Buffer<std::int32_t> order = order_of(rows, n, D, size, stream);
    lay_out<T, D><<<cuda::blocks(tiles * 32, 256), 256, 0, stream>>>(rows, numbers, order.data(), n, size, slots, points_.data(),
                                                                     tile_numbers_.data(), places_in_tiles_.data(), boxes_.data());
    cuda::check_launch();
    sum_tiles<<<cuda::blocks(tiles * D, 256), 256, 0, stream>>>(points_.data(), tile_numbers_.data(), n, tiles, D, size, slots, run_.fixed_point,
                                                                sums_.data());
    cuda::check_launch();
    box_groups<<<cuda::blocks(run_.groups * D, 256), 256, 0, stream>>>(boxes_.data(), tiles, D, slots, run_.groups, group_boxes_.data());
    cuda::check_launch();
    run_.points = points_.data(), run_.group_boxes = group_boxes_.data(), run_.numbers = tile_numbers_.data(), run_.boxes = boxes_.data(),
    run_.sums = sums_.data();
    run_.owners = owners_.data(), run_.all_owners = all_owners_.data(), run_.labels = tile_labels_.data();
    run_.meetings = zeros_.data(), run_.changes = zeros_.data() + max_iters + 1, run_.places = places_in_tiles_.data();
    run_.assigned = host_.assigned.data(), run_.next = host_.next.data(), run_.labels_out = host_.labels.data(), run_.stamps = stamps_.data();
    kernel_ = iterate_all<T, D>;
    cuda::allow_shared(kernel_, std::int64_t(bytes_));
    cuda::check(cudaStreamSynchronize(stream));  // the order is freed on return
  }

  /// A warp has several groups, or a tile at least, unless it takes long to find the candidates of a box among all centroids. A block holds its boxes if
  /// they fit.
  template <int D>
  void choose_sizes(const Config& config) {
    threads_ = threads_of(D, sizeof(T));
    const int warps = threads_ / 32;
    const std::int64_t n = host_.problem.n, most = std::min<std::int64_t>(config.number("grid"), cuda::multiprocessors());
    run_.size = static_cast<int>(std::bit_floor(std::uint64_t(config.number("bucket"))));
    const bool long_search = host_.problem.k > long_search_ratio * clusters_met(double(n), host_.problem.k, D, run_.size);
    if (n < most * warps * run_.size && !long_search) run_.size = 32;
    const std::int64_t tiles = run_.tiles = (n + run_.size - 1) / run_.size;
    const int groups_a_warp = long_search ? 1 : usual_groups_a_warp;
    run_.tiles_a_group = static_cast<int>(std::clamp<std::int64_t>(tiles / (groups_a_warp * most * warps), 1, config.number("group")));
    run_.groups = (tiles + run_.tiles_a_group - 1) / run_.tiles_a_group;
    grid_ = static_cast<unsigned>(std::clamp<std::int64_t>((run_.groups + groups_a_block - 1) / groups_a_block, 1, most));
    run_.tiles_a_block = static_cast<int>((run_.groups + grid_ - 1) / grid_ * run_.tiles_a_group);
    SharedLayout layout{host_.problem.k, D, warps, run_.tiles_a_block, sizeof(T)};
    run_.held = layout.bytes() + static_bytes <= std::size_t(cuda::most_shared_bytes());
    if (!run_.held) layout.tiles = 0;
    bytes_ = layout.bytes();
    run_.owner_bytes = host_.problem.k < 255 ? 1 : 2;
    const std::size_t bytes_of_owners = (run_.owner_bytes * tiles + 15) / 16 * 16;
    run_.owners_fit = bytes_of_owners + static_bytes <= std::size_t(cuda::most_shared_bytes());
    if (run_.owners_fit) bytes_ = std::max(bytes_, bytes_of_owners);
  }

  void report(Trace& trace) override {
    const auto stamps = this->records(stamps_);
    for (std::size_t iter = 1; iter < stamps.size(); ++iter) {
      trace.begin_iteration();
      cuda::add_phases(trace, stamps[iter - 1], stamps[iter]);
    }
  }

  moved_sums::Units<T> units_;
  cuda::Buffer<T> points_, boxes_, group_boxes_;
  cuda::Buffer<Bits> sums_, zeros_;  // the second: meetings, changes
  cuda::Buffer<std::int16_t> owners_, all_owners_;
  cuda::Buffer<std::uint16_t> tile_labels_;
  cuda::Buffer<std::int32_t> tile_numbers_, places_in_tiles_;
  cuda::Buffer<cuda::Stamps> stamps_;
  void (*kernel_)(Run<T>) = nullptr;
};

/// The run, iterations, boxes and centroids, points read, distances to candidates, sums of blocks, labels. A tile that meets one cluster reads no point.
std::vector<double> cost_of(const ProblemShape& p, const Config& config, int value_bytes) {
  const cost::Counts c(p, value_bytes);
  const double tile = double(config.number("bucket")), met = clusters_met(c.n, c.k, c.d, tile);
  const double open = std::min(1.0, met - 1);
  return {1,  c.iters, c.iters * c.n / tile * c.k * c.d, c.iters * open * c.n * c.d * c.bytes, c.iters * open * c.n * met * c.d, c.iters * c.k * c.d,
          c.n};
}

const Register<Boxes> registration{{
    .summary = "few dimensions: tiles of points in small boxes, which drop centroids that are farther than another from all of them",
    .device = Device::gpu,
    .parameters = {tunable("bucket", 64, {32, 64, 128, 256}, "points of a tile, at most: a power of two; 32 if a warp would have no tile"),
                   tunable("group", 8, {1, 4, 8, 16, 32}, "tiles of a group, at most; fewer if a warp would have few groups"),
                   tunable("grid", 132, {1, 33, 66, 132}, "blocks, at most one per multiprocessor; fewer if a warp would have no group",
                           cuda::within_multiprocessors)},
    .unsupported = [](const ProblemShape& p, const Config&, int value_bytes) -> std::string {
      if (p.d > most_dimensions) return "more than 8 dimensions: boxes exclude too little";
      if (p.n > std::numeric_limits<std::int32_t>::max()) return "2^31 points or more: a place has 32 bits";
      if (p.k > std::numeric_limits<std::int16_t>::max() ||
          SharedLayout{p.k, p.d, threads_of(p.d, value_bytes) / 32, 0, std::size_t(value_bytes)}.bytes() + static_bytes >
              std::size_t(cuda::most_shared_bytes()))
        return "so many centroids, with their sums and the warps' candidates, exceed a block's shared memory";
      return "";
    },
    .fixed_point = true,
    .cost = cost_of,
}};

}  // namespace

template <class T>
std::unique_ptr<AnySolver<T>> boxes::over_distinct(const Problem<T>& problem, const Config& config, Trace& trace) {
  cuda::DistinctRows<T> rows = cuda::distinct_rows(problem, trace);
  return std::make_unique<Boxes<T>>(rows.among(problem), config, trace, &rows);
}
template std::unique_ptr<AnySolver<float>> boxes::over_distinct(const Problem<float>&, const Config&, Trace&);
template std::unique_ptr<AnySolver<double>> boxes::over_distinct(const Problem<double>&, const Config&, Trace&);

}  // namespace km
