// State that an implementation must not change: threads that end meanwhile change nothing.
#include "bench/run/process_state.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stop_token>
#include <string>
#include <thread>

namespace {

TEST(ProcessState, ThreadsThatEndAreNoChange) {
  const km::ProcessState before;
  const auto start_threads = [](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::array<std::jthread, 8> short_lived{std::jthread([] {}), std::jthread([] {}), std::jthread([] {})};
  };
  const std::array<std::jthread, 2> starters{std::jthread(start_threads), std::jthread(start_threads)};
  std::string change;
  for (int look = 0; look < 10'000 && change.empty(); ++look) change = before.change();
  EXPECT_EQ(change, "");
}

}  // namespace
