// Ranks that are threads of one process, for tests.
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "bench/contract/group.hpp"

namespace km {

struct Meeting {
  explicit Meeting(int size) : size(size), here(size) {}
  const int size;
  std::barrier<> here;
  std::mutex one;
  std::vector<std::int64_t> numbers;
  std::vector<std::vector<std::byte>> bytes;
  std::atomic<std::size_t> sent = 0;  // bytes that ranks gave to others
};

class ThreadGroup : public Group {
 public:
  ThreadGroup(Meeting& all, int rank) : all_(all), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return all_.size; }
  int processors() const override { return 1 + rank_ % 3; }
  int local_size() const override { return all_.size; }
  int local_rank() const override { return rank_; }
  void sum(std::span<std::int64_t> mine) override { together(mine, 0, std::plus{}); }
  void max(std::span<std::int64_t> mine) override {
    together(mine, std::numeric_limits<std::int64_t>::min(), [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  }
  std::vector<std::byte> gather(std::span<const std::byte> mine) override {
    auto& all = all_.bytes;
    all_.sent += mine.size();
    if (rank_ == 0) all.assign(std::size_t(size()), {});
    barrier();
    all[std::size_t(rank_)].assign(mine.begin(), mine.end());
    barrier();
    std::vector<std::byte> joined;
    for (const auto& one : all) joined.insert(joined.end(), one.begin(), one.end());
    barrier();
    return joined;
  }

 private:
  void barrier() { all_.here.arrive_and_wait(); }
  template <class Join>
  void together(std::span<std::int64_t> mine, std::int64_t neutral, Join join) {
    auto& all = all_.numbers;
    all_.sent += mine.size_bytes();
    if (rank_ == 0) all.assign(mine.size(), neutral);
    barrier();
    {
      const std::lock_guard lock(all_.one);
      std::ranges::transform(all, mine, all.begin(), join);
    }
    barrier();
    std::ranges::copy(all, mine.begin());
    barrier();
  }
  Meeting& all_;
  int rank_;
};

/// Calls work(group) on so many ranks at once. Returns the bytes that they sent.
inline std::size_t on_threads(int size, const std::function<void(Group&)>& work) {
  Meeting meeting(size);
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size; ++rank)
      threads.emplace_back([&, rank] {
        ThreadGroup group(meeting, rank);
        work(group);
      });
  }
  return meeting.sent;
}

}  // namespace km
