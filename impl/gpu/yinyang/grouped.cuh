// Centroids by group, d x pitch, for 16-byte loads of neighbours. A group starts at a multiple of four positions; padding is infinite, never nearest.
#pragma once

#include <numeric>

#include "bench/device/cuda_lloyd.cuh"
#include "impl/gpu/yinyang/grouping.cuh"

namespace km::yinyang {

constexpr int together = 4;         // group sizes are multiples of it
constexpr int nobody = 0x7FFFFFFF;  // centroid of an empty position

/// Positions begin to end - 1; the first `size` hold centroids in ascending order.
struct Stretch {
  int begin, end, size;
};

template <class T>
struct GroupedView {
  T* transposed;             // d x pitch
  const int* centroid_at;    // pitch
  const int* position_of;    // k
  const int* group_of;       // k
  const Stretch* stretches;  // groups
  T* drift;                  // k: upper bound of each centroid's movement
  T* group_drift;            // groups: maximum per group
  int pitch, groups;
};

/// Writes all of transposed from centroids (k x d).
template <class T>
__global__ void transpose_grouped(const T* __restrict__ centroids, int d, GroupedView<T> to) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= std::int64_t(to.pitch) * d) return;
  const int c = to.centroid_at[at % to.pitch], j = static_cast<int>(at / to.pitch);
  to.transposed[at] = c == nobody ? cuda::infinity<T> : centroids[std::int64_t(c) * d + j];
}

template <class T>
class Grouped {
 public:
  Grouped(int d, int k, int groups)
      : d_(d), k_(k), groups_(groups), pitch_((k + groups * (together - 1) + together - 1) / together * together),
        transposed_(std::int64_t(d) * pitch_), centroid_at_(pitch_), position_of_(k), group_of_(k), stretches_(groups), drift_(k),
        group_drift_(groups) {}

  int groups() const { return groups_; }
  GroupedView<T> view() {
    return {transposed_.data(),
            centroid_at_.data(),
            position_of_.data(),
            group_of_.data(),
            stretches_.data(),
            drift_.data(),
            group_drift_.data(),
            pitch_,
            groups_};
  }

  /// group: per centroid.
  void arrange(std::span<const int> group, cudaStream_t stream) {
    std::vector<int> centroid_at(pitch_, nobody), position_of(k_);
    std::vector<Stretch> stretches(groups_, Stretch{});
    for (const int g : group) ++stretches[g].size;
    int position = 0;
    for (Stretch& stretch : stretches) {
      stretch.begin = stretch.end = position;
      position += (stretch.size + together - 1) / together * together;
    }
    for (int c = 0; c < k_; ++c) centroid_at[position_of[c] = stretches[group[c]].end++] = c;
    for (Stretch& stretch : stretches) stretch.end = (stretch.end + together - 1) / together * together;
    cuda::upload(centroid_at_, std::span<const int>(centroid_at), stream);
    cuda::upload(position_of_, std::span<const int>(position_of), stream);
    cuda::upload(group_of_, group, stream);
    cuda::upload(stretches_, std::span<const Stretch>(stretches), stream);
  }

  void enqueue_turn(const T* centroids, cudaStream_t stream) {
    transpose_grouped<<<cuda::blocks(transposed_.size(), 256), 256, 0, stream>>>(centroids, d_, view());
    cuda::check_launch();
  }

 private:
  int d_, k_, groups_, pitch_;
  cuda::Buffer<T> transposed_;
  cuda::Buffer<int> centroid_at_, position_of_, group_of_;
  cuda::Buffer<Stretch> stretches_;
  cuda::Buffer<T> drift_, group_drift_;
};

}  // namespace km::yinyang
