// he2021's own choice of a start on the GPU: each is a point, and choices differ. Skips without a GPU.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "bench/device/device.hpp"
#include "impl/gpu/lloyd/two_step.cuh"

namespace km {
namespace {

TEST(Starts, OfTheGpuArePoints) {
  if (!device::available()) GTEST_SKIP() << device::unavailable();
  constexpr int n = 5000, d = 3, k = 64;
  std::vector<double> columns(d * n), starts(k * d);
  for (int j = 0; j < d; ++j)
    for (int i = 0; i < n; ++i) columns[j * n + i] = d * i + j;
  cuda::Stream stream;
  cuda::Buffer<double> points(d * n), chosen(k * d);
  cuda::upload(points, std::span<const double>(columns), stream);
  two_step::choose_starts<<<1, 128, 0, stream>>>(points.data(), n, d, k, chosen.data());
  cuda::check_launch();
  cuda::download(starts.data(), chosen.data(), chosen.bytes(), stream);
  std::set<double> rows;
  for (int c = 0; c < k; ++c) {
    EXPECT_EQ(std::fmod(starts[d * c], d), 0);
    EXPECT_LT(starts[d * c], d * n);
    for (int j = 1; j < d; ++j) EXPECT_EQ(starts[d * c + j], starts[d * c] + j);
    rows.insert(starts[d * c]);
  }
  EXPECT_GT(rows.size(), 60);
}

}  // namespace
}  // namespace km
