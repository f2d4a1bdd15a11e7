// All iterations in one kernel; tiles of points pass through the registers of a warp. A tile is the points of 32 lanes by dimension, so that any
// number of dimensions is read in 16 bytes per lane. fp32 scores of d FMAs find each point's two best centroids, with an index in their lowest bits.
// From 32 clusters on, the minimum of a group of scores replaces single scores. A proven margin limits what they decide; fp64 decides the rest
// (register_tiles_scores.cuh). Labels have one byte between iterations. Moved points queue per warp until there are 32, so that all lanes add. Sums
// are exact (register_tiles_sums.cuh). Blocks meet once per iteration, as in resident.
// Cost of an iteration: points and labels read once, n (d s + 1) bytes; moved points read again. Per point and centroid: d + 4 instructions, 4 of
// them at half rate (in groups d + 1 or 2, and d + 3 per centroid of the best group). Through L2: 8 bytes per value of the sums and block. One grid
// barrier. The first iteration adds all points. Per run: a layout in prepare, labels of 4 bytes written once, one launch.
// Limit: 16 dimensions; k d values that fit shared memory three times. Faster: resident if points fit the chip, screened from some 16 dimensions on.
#include "impl/cost_terms.hpp"
#include "impl/gpu/lloyd/register_tiles.cuh"

namespace km {
namespace register_tiles {

template <class T, int D, int Group, int Rows = 0>
Kernel make_kernel() {
  constexpr auto launch = launch_of<T>(D, Group);
  using Label = std::conditional_t<(sizeof(T) == 4 && Group < 8), std::uint8_t, std::uint16_t>;
  return describe<T, D, Group, Label, SharedLayout<T, D, Group>>(iterate_all<T, D, launch.points, Group, Rows, Label, launch.threads>);
}

/// Few rows, fully unrolled: no loop counter.
template <class T, int D>
Kernel of_rows(int k) {
  Kernel kernel = make_kernel<T, D, 1>();
  if constexpr (D >= 3 && D <= 6)
    with_dimension<8, 10, 12, 14, 16>(kernel.rows(k), [&](auto rows) { kernel = make_kernel<T, D, 1, decltype(rows)::value>(); });
  return kernel;
}

template <class T>
Kernel kernel_for(int d, int k, int group) {
  Kernel kernel{};
  with_width<1, 2, 3, 4, 5, 6, 7, 8, 10, 12, most_dimensions>(d, [&](auto D) {
    if constexpr (sizeof(T) == 8) kernel = make_kernel<T, decltype(D)::value, 1>();
    else if (group == 1) kernel = of_rows<T, decltype(D)::value>(k);
    else if (group == 4) kernel = make_kernel<T, decltype(D)::value, 4>();
    else kernel = make_kernel<T, decltype(D)::value, 8>();
  });
  return kernel;
}
template Kernel kernel_for<float>(int, int, int);
template Kernel kernel_for<double>(int, int, int);

}  // namespace register_tiles

namespace {

template <class T>
struct RegisterTiles : register_tiles::RegisterTiles<T> {
  using register_tiles::RegisterTiles<T>::RegisterTiles;
};

const Register<RegisterTiles> registration{{
    .summary = "all iterations in one kernel, tiles of points through registers, labels proven by a margin",
    .device = Device::gpu,
    .parameters = register_tiles::parameters(),
    .unsupported = register_tiles::too_large,
    .fixed_point = true,
    .cost = cost::moved,
}};

}  // namespace
}  // namespace km
