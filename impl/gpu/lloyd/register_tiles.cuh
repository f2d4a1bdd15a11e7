// Host side of impl/gpu/lloyd/register_tiles.cu: layout, choice of a kernel, run.
#pragma once

#include <algorithm>
#include <bit>

#include "bench/device/cuda_host.cuh"
#include "impl/gpu/lloyd/register_tiles_run.cuh"
#include "impl/gpu/registration.hpp"

namespace km::register_tiles {

/// Points per lane, and threads whose registers suffice.
struct Launch {
  int points, threads;
};
template <class T>
constexpr Launch launch_of(int d, int group) {
  if (sizeof(T) == 8) return {d <= 4 ? 4 : 2, 512};
  if (group == 1) return d <= 4 ? Launch{8, d <= 2 ? 768 : 640} : Launch{4, d <= 6 ? 768 : d <= 9 ? 640 : 512};
  if (group == 4) return d <= 2 ? Launch{8, 512} : d <= 12 ? Launch{8, 384} : Launch{4, 512};
  return d <= 6 ? Launch{4, d <= 2 ? 1024 : 576} : d <= 12 ? Launch{8, 384} : Launch{4, 512};
}

/// A kernel and its compile-time parameters.
struct Kernel {
  const void* entry;
  int width, tile, step, threads;  // dimensions, points per tile, step of rows, most threads
  int label_bytes;
  std::size_t (*bytes)(int k, int rows, int warps, int copies);

  int rows(int k) const { return (k + step - 1) / step * step; }
};

/// Layout: of its shared memory.
template <class T, int D, int Group, class Label, class Layout, class Entry>
Kernel describe(Entry* entry) {
  constexpr auto launch = launch_of<T>(D, Group);
  constexpr int step = sizeof(T) == 8 ? 1 : Group == 1 ? 2 : Group;
  return {
      reinterpret_cast<const void*>(entry), D, 32 * launch.points, step, launch.threads, sizeof(Label), [](int k, int rows, int warps, int copies) {
        return Layout{k, rows, warps, copies}.bytes();
      }};
}

/// group: 1, 4 or 8 rows per key. fp64 has no keys.
template <class T>
Kernel kernel_for(int d, int k, int group);

constexpr int clusters_of_bytes = 256;  // more clusters need labels of 16 bits
constexpr int least_tiles = 8;          // per block, so that its warps have work

inline int group_of(int k, int asked) { return asked > 0 ? asked : k < 32 ? 1 : k <= clusters_of_bytes ? 4 : 8; }
inline int group_of(int k, const Config& config) { return group_of(k, config.integer("group")); }

/// Most dynamic shared memory of a block.
inline std::size_t shared_limit() { return static_cast<std::size_t>(cuda::most_shared_bytes()) - 1024; }  // the kernel's static part

/// Copies of the table that fit, a power of two.
inline int copies_that_fit(const Kernel& kernel, int k, int warps) {
  int copies = 32;
  while (copies > 1 && kernel.bytes(k, kernel.rows(k), warps, copies) > shared_limit()) copies /= 2;
  return copies;
}

inline int threads_of(int most, const Config& config) {
  const int asked = config.integer("threads");
  return asked > 0 ? std::min(asked, most) : most;
}

template <class T>
std::string too_large_for(const ProblemShape& p, const Config& config) {
  const Kernel kernel = kernel_for<T>(p.d, p.k, group_of(p.k, config));
  if (kernel.bytes(p.k, kernel.rows(p.k), threads_of(kernel.threads, config) / 32, 1) > shared_limit())
    return "centroids and sums of all clusters exceed a block's shared memory";
  return "";
}

inline std::string too_large(const ProblemShape& p, const Config& config, int value_bytes) {
  if (config.integer("threads") % 32 != 0) return "threads is not a multiple of 32";
  if (p.d > most_dimensions) return "more than 16 dimensions: points exceed a thread's registers";
  if (p.k > 0xFFFF) return "more than 65,535 clusters: a label has 16 bits";
  if (group_of(p.k, config) < 8 && p.k > clusters_of_bytes && value_bytes == 4)
    return "more than 256 clusters in groups of fewer than 8: a label has 8 bits";
  if (p.n / std::max<std::int64_t>(config.number("grid"), 1) >= std::int64_t(1) << 31) return "more than 2^31 points a block";
  return value_bytes == 4 ? too_large_for<float>(p, config) : too_large_for<double>(p, config);
}

inline std::vector<Parameter> parameters() {
  return {tunable("grid", 132, {1, 33, 66, 132}, "blocks, at most one per multiprocessor; fewer if a warp would have no point",
                  cuda::within_multiprocessors),
          tunable("group", 0, {0, 1, 4, 8}, "centroids that share a key, fp32; 0: by the number of clusters",
                  [](std::int64_t group, const ProblemShape& p, int bytes) -> std::int64_t { return bytes == 4 ? group_of(p.k, int(group)) : 0; }),
          tunable("threads", 0, {0, 128, 256, 384, 512, 640}, "threads of a block; 0: as many as have the registers, also the limit")};
}

/// Bits of a double that order as the values.
__device__ inline Bits ordered(double value) {
  const Bits bits = Bits(__double_as_longlong(value));
  return bits >> 63 ? ~bits : bits | Bits(1) << 63;
}
inline double from_ordered(Bits bits) { return std::bit_cast<double>(bits >> 63 ? bits & ~(Bits(1) << 63) : ~bits); }

/// rows: n x d. bounds: minimum and maximum of each dimension as ordered bits, initially all bits set and zero. The block size is a multiple of d.
template <class T>
__global__ void find_bounds(const T* __restrict__ rows, std::int64_t size, int d, Bits* bounds) {
  double least = cuda::infinity<double>, greatest = -cuda::infinity<double>;
  const std::int64_t first = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (std::int64_t at = first; at < size; at += std::int64_t(gridDim.x) * blockDim.x) {
    const double value = rows[at];
    least = min(least, value), greatest = max(greatest, value);
  }
  __shared__ Bits of_block[2 * most_dimensions];
  for (int at = threadIdx.x; at < 2 * d; at += blockDim.x) of_block[at] = at < d ? ~Bits(0) : Bits(0);
  __syncthreads();
  atomicMin(of_block + threadIdx.x % d, ordered(least));
  atomicMax(of_block + d + threadIdx.x % d, ordered(greatest));
  __syncthreads();
  for (int at = threadIdx.x; at < 2 * d; at += blockDim.x) {
    if (at < d) atomicMin(bounds + at, of_block[at]);
    else atomicMax(bounds + at, of_block[at]);
  }
}

/// Least and greatest value of each dimension, as ordered bits. Waits.
template <class T>
std::vector<Bits> bounds_of(const T* rows, std::int64_t size, int d, cudaStream_t stream) {
  const int block = 256 / d * d;
  std::vector<Bits> bounds(2 * std::size_t(d));
  std::fill_n(bounds.begin(), d, ~Bits(0));
  cuda::Buffer<Bits> on_device(2 * d);
  upload(on_device, std::span<const Bits>(bounds), stream);
  if (size > 0) {
    find_bounds<<<std::min(cuda::blocks(size, block), 2048u), unsigned(block), 0, stream>>>(rows, size, d, on_device.data());
    cuda::check_launch();
  }
  return cuda::fetched(on_device, stream);
}

template <class T>
struct Origin {
  T at[most_dimensions];
};

/// Chooses the origin from each dimension's range (find_bounds). greatest: |value| relative to it. The origin is the middle if all values are within a
/// factor of 2.9. They are then within a factor of 2 of it, so subtraction is exact (Sterbenz). Wider ranges cancel too little to need an origin.
/// fp64 uses differences.
template <class T>
void choose_origin(const Bits* bounds, int d, Origin<T>& origin, double (&greatest)[most_dimensions]) {
  for (int j = 0; j < d; ++j) {
    const double least = from_ordered(bounds[j]), most = from_ordered(bounds[d + j]);
    const double near = std::min(std::abs(least), std::abs(most)), far = std::max(std::abs(least), std::abs(most));
    if (sizeof(T) == 4 && least * most > 0 && far <= 2.9 * near) origin.at[j] = static_cast<T>((least + most) / 2);
    greatest[j] = std::max(std::abs(least - double(origin.at[j])), std::abs(most - double(origin.at[j])));
  }
}

/// Writes tiles of `tile` points by dimension, minus the origin; zeros beyond n and d.
template <class T>
__global__ void lay_out(const T* __restrict__ rows, std::int64_t n, int d, int width, int tile, std::int64_t tiles, const Origin<T> origin, T* out) {
  for (std::int64_t block = blockIdx.x; block < tiles; block += gridDim.x)
    for (int at = threadIdx.x; at < tile * width; at += blockDim.x) {
      const int j = at / tile;
      const std::int64_t i = block * tile + at % tile;
      out[block * tile * width + at] = i < n && j < d ? rows[i * d + j] - origin.at[j] : T(0);
    }
}

template <class T>
void enqueue_layout(const Kernel& kernel, const T* rows, std::int64_t n, int d, std::int64_t tiles, const Origin<T>& origin, T* out,
                    cudaStream_t stream) {
  if (tiles == 0) return;
  lay_out<<<static_cast<unsigned>(std::min<std::int64_t>(tiles, 1 << 16)), 256, 0, stream>>>(rows, n, d, kernel.width, kernel.tile, tiles, origin,
                                                                                             out);
  cuda::check_launch();
}

template <class T>
class RegisterTiles : public cuda::OneGraph<T, Run<T>> {
 public:
  RegisterTiles(const Problem<T>& problem, const Config& config, Trace& trace, float margin_scale = 1)
      : RegisterTiles(problem, config, trace, margin_scale, kernel_for<T>(problem.d, problem.k, group_of(problem.k, config))) {}

 private:
  using Base = cuda::OneGraph<T, Run<T>>;
  using Base::host_, Base::run_, Base::grid_, Base::threads_, Base::bytes_;

  RegisterTiles(const Problem<T>& problem, const Config& config, Trace& trace, float margin_scale, const Kernel& kernel)
      : Base(problem, (problem.n + kernel.tile - 1) / kernel.tile * kernel.tile), kernel_(kernel),
        tiles_((problem.n + kernel_.tile - 1) / kernel_.tile), points_(tiles_ * kernel_.width * kernel_.tile),
        tile_labels_(tiles_ * kernel_.tile * kernel_.label_bytes), turn_(1), records_(problem.max_iters + 1) {
    const int k = problem.k, width = kernel_.width, rows = kernel_.rows(k);
    const std::int64_t change_size = std::int64_t(words<T> + 1) * k * width + k + counters;
    const std::int64_t wanted = std::min(config.number("grid"), (tiles_ + least_tiles - 1) / least_tiles);
    grid_ = static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, cuda::multiprocessors()));
    threads_ = threads_of(kernel_.threads, config);
    const int warps = threads_ / 32, copies = copies_that_fit(kernel_, k, warps);
    bytes_ = kernel_.bytes(k, rows, warps, copies);
    cuda::allow_shared(kernel_.entry, std::int64_t(bytes_));

    changes_ = cuda::Buffer<Bits>(3 * change_size);
    rests_ = cuda::Buffer<Bits>(std::int64_t(grid_) * k * width);
    cuda::clear(host_.stream, changes_, turn_);
    // additions: one more tile may be in flight
    run_.points = points_.data(), run_.labels = tile_labels_.data(), run_.tiles = tiles_, run_.rows = rows, run_.copies = copies;
    run_.additions = most_additions / warps - kernel_.tile / copies, run_.margin_scale = margin_scale;
    run_.changes = changes_.data(), run_.turn = turn_.data(), run_.rests = rests_.data(), run_.records = records_.data();
    run_.assigned = host_.assigned.data(), run_.next = host_.next.data(), run_.labels_out = host_.labels.data();
    const cuda::Buffer<T> from = cuda::upload_rows(problem, trace, host_.stream);
    const cuda::Phase phase(trace, "layout", host_.stream);
    lay_out_points(from.data());
    this->limit(problem.max_iters);
  }

  void enqueue_run() override { this->enqueue(kernel_.entry); }

  /// Finds each dimension's range and origin, and writes the tiles.
  void lay_out_points(const T* rows) {
    const int d = host_.problem.d;
    const std::int64_t n = host_.problem.n;
    double greatest[most_dimensions] = {};
    Origin<T> origin{};
    choose_origin(bounds_of(rows, n * d, d, host_.stream).data(), d, origin, greatest);
    run_.limb_format = LimbFormat<T>(greatest, n);
    std::copy_n(origin.at, most_dimensions, run_.origin);
    enqueue_layout(kernel_, rows, n, d, tiles_, origin, points_.data(), host_.stream);
    host_.stream.synchronize();  // rows are freed on return
  }

  void report(Trace& trace) override {
    const auto ended = this->records(records_);
    for (std::size_t iter = 1; iter < ended.size(); ++iter) {
      trace.begin_iteration();
      trace.add("fused", double(ended[iter].nanoseconds - ended[iter - 1].nanoseconds) * 1e-9);
      trace.count("open", double(ended[iter].opened));
    }
  }

  Kernel kernel_;
  std::int64_t tiles_;
  cuda::Buffer<T> points_;
  cuda::Buffer<std::uint8_t> tile_labels_;
  cuda::Buffer<Bits> changes_, rests_;
  cuda::Buffer<int> turn_;
  cuda::Buffer<IterationRecord> records_;
};

}  // namespace km::register_tiles
