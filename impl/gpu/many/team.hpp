// One host thread a card, from prepare to the end. The caller is the first one's thread.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace km::many {

constexpr int most_cards = 8;  // of a process

class Team {
 public:
  /// start: called first on every new thread, with its rank.
  Team(int size, std::function<void(int)> start) : Team(size) {
    for (int rank = 1; rank < size; ++rank)
      threads_.emplace_back([this, rank, start] {
        failures_[std::size_t(rank)] = failure_of([&] { start(rank); });
        serve(rank);
      });
  }
  ~Team() {
    work_ = nullptr;
    call();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return int(failures_.size()); }

  /// Calls work(rank) on all threads at once. Returns when all have returned; throws what the lowest rank threw.
  void each(const std::function<void(int)>& work) {
    work_ = &work;
    left_ = size() - 1;
    call();
    failures_[0] = failure_of([&] { work(0); });
    wait_while(left_, [](int left) { return left > 0; });
    std::exception_ptr first;
    for (auto& failure : failures_)
      if (const auto failed = std::exchange(failure, nullptr); failed && !first) first = failed;
    if (first) std::rethrow_exception(first);
  }

 private:
  explicit Team(int size) : failures_(std::size_t(size)) {}  // a thread that cannot start ends those before it

  /// Threads look for work so long before they sleep: waking one takes as long as an iteration.
  static constexpr std::chrono::milliseconds watchful{2};

  template <class Work>
  static std::exception_ptr failure_of(Work work) {
    try {
      work();
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }

  template <class Value, class Waits>
  static Value wait_while(const std::atomic<Value>& value, Waits waits) {
    const auto start = std::chrono::steady_clock::now();
    Value seen = value;
    while (waits(seen)) {
      if (std::chrono::steady_clock::now() - start > watchful) value.wait(seen);
      else std::this_thread::yield();
      seen = value;
    }
    return seen;
  }

  void call() {
    ++calls_;
    calls_.notify_all();
  }

  void serve(int rank) {
    for (unsigned answered = 0;;) {
      answered = wait_while(calls_, [&](unsigned calls) { return calls == answered; });
      if (!work_) return;
      auto& failure = failures_[std::size_t(rank)];
      if (!failure) failure = failure_of([&] { (*work_)(rank); });  // it may have failed to start
      --left_;
      left_.notify_all();
    }
  }

  const std::function<void(int)>* work_ = nullptr;
  std::vector<std::exception_ptr> failures_;
  std::atomic<unsigned> calls_{0};
  std::atomic<int> left_{0};
  std::vector<std::jthread> threads_;  // the last member: threads use the others, and end first
};

}  // namespace km::many
