// Labels: a vector of large outputs, whose memory is not zeroed first.
#include "bench/contract/problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace km {
namespace {

constexpr std::size_t in_huge_pages = (std::size_t{32} << 20) / sizeof(std::int32_t);

TEST(LargeLabels, BeginAtAPageOf2MiB) {
  for (const std::size_t size : {in_huge_pages, in_huge_pages + 12'345}) {
    Labels labels(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(labels.data()) % (2 << 20), 0u);
  }
}

TEST(LargeLabels, KeepTheirValuesWhereMemoryIsTakenAnew) {
  Labels labels(in_huge_pages - 3);  // from the heap, then pages of its own and back
  std::iota(labels.begin(), labels.end(), 0);
  labels.resize(2 * in_huge_pages);
  labels.back() = -7;
  const Labels copy = labels;
  EXPECT_EQ(copy.back(), -7);
  EXPECT_TRUE(std::ranges::equal(copy.begin(), copy.begin() + in_huge_pages - 3, labels.begin(), labels.begin() + in_huge_pages - 3));
  labels.resize(in_huge_pages - 3);
  labels.shrink_to_fit();
  for (std::size_t i = 0; i < labels.size(); ++i) ASSERT_EQ(labels[i], std::int32_t(i));
}

TEST(LargeLabels, AreWrittenWhereAValueIsGiven) {
  Labels labels(5, no_label);
  labels.assign(in_huge_pages + 1, 3);
  labels.insert(labels.end(), {4, 5});
  EXPECT_EQ(std::ranges::count(labels, 3), std::ptrdiff_t(in_huge_pages + 1));
  EXPECT_EQ(labels.size(), in_huge_pages + 3);
}

}  // namespace
}  // namespace km
