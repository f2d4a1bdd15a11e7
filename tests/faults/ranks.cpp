// cpu/ranks/two_step with a fault on rank 1 alone, or on the last (exits), or on two (swaps_labels).
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>

#include "bench/contract/implementation.hpp"

namespace km {
namespace {

/// Meets as the ranks' own group, but adds other numbers.
class FaultyGroup final : public Group {
 public:
  FaultyGroup(Group& right, std::string fault) : right_(right), fault_(std::move(fault)) {}
  int rank() const override { return right_.rank(); }
  int size() const override { return right_.size(); }
  int processors() const override { return right_.processors(); }
  int local_size() const override { return right_.local_size(); }
  int local_rank() const override { return right_.local_rank(); }
  void max(std::span<std::int64_t> numbers) override { right_.max(numbers); }
  std::vector<std::byte> gather(std::span<const std::byte> mine) override { return right_.gather(mine); }

  void sum(std::span<std::int64_t> numbers) override {
    std::vector<std::int64_t> mine(numbers.begin(), numbers.end());
    if (fault_ == "counts_twice") std::ranges::transform(numbers, numbers.begin(), [](std::int64_t one) { return 2 * one; });
    if (fault_ == "sums_before" && before_.size() == mine.size()) std::ranges::copy(before_, numbers.begin());
    right_.sum(numbers);
    if (fault_ == "skips_a_sum" && ++sums_ % 3 == 0) std::ranges::copy(mine, numbers.begin());
    before_ = std::move(mine);
  }

 private:
  Group& right_;
  std::string fault_;
  int sums_ = 0;
  std::vector<std::int64_t> before_;
};

template <class T>
class Ranks {
 public:
  Ranks(const Problem<T>& p, const Config& config, Trace& trace) : asked_(config.word("fault")) {
    Problem<T> mine = p;
    all_ = p.group;
    std::vector<T> border;  // the last row of the rank before
    if (all_ && asked_ == "reads_a_neighbours_row") {
      const auto last = p.points.last(std::size_t(p.n > 0 ? p.d : 0));
      const auto lasts = gathered<T>(all_, {last.begin(), last.end()});
      border.assign(lasts.begin(), lasts.begin() + std::min<std::ptrdiff_t>(p.d, std::ssize(lasts)));
    }
    if (all_ && all_->rank() == (asked_ == "exits" ? all_->size() - 1 : 1)) {
      fault_ = asked_;
      group_ = std::make_unique<FaultyGroup>(*p.group, fault_);
      mine.group = group_.get();
      points_.assign(p.points.begin(), p.points.end());
      if (p.n > 0) std::ranges::copy(border, points_.begin());
      if (fault_ == "reads_a_row_twice" && p.n > 1) std::copy_n(points_.begin() + p.d, p.d, points_.begin());
      dropped_ = fault_ == "drops_a_row" && p.n > 1;
      mine.n -= dropped_;
      mine.points = std::span<const T>(points_).first(std::size_t(mine.n * mine.d));
    }
    const auto prepare = find_implementation("cpu/ranks/two_step")->prepare<T>();
    const Config one_thread({{"threads", std::int64_t(1)}});
    right_ = prepare(mine, one_thread, trace);
    if (asked_ == "labels_before" && p.max_iters > 1) {
      mine.max_iters = p.max_iters - 1;
      before_ = prepare(mine, one_thread, trace);
    }
    if (fault_ == "prepare_throws") throw std::runtime_error("prepare gave up");
  }
  void reset() {
    if (fault_ == "reset_throws") throw std::runtime_error("reset gave up");
    right_->reset();
    if (before_) before_->reset();
  }
  int iterate(Trace& trace) {
    if (fault_ == "iterate_throws") throw std::runtime_error("iterate gave up");
    if (fault_ == "dies") std::raise(SIGKILL);
    if (fault_ == "exits") ::_exit(0);
    if (fault_ == "sleeps") std::this_thread::sleep_for(std::chrono::minutes(10));
    if (fault_ == "stops_alone") return 1;
    Trace untraced;
    if (before_) before_->iterate(untraced);
    return right_->iterate(trace) + (fault_ == "goes_on");
  }
  Solution<T> download() {
    if (fault_ == "download_throws") throw std::runtime_error("download gave up");
    Solution<T> s = right_->download();
    if (before_ && fault_ == "labels_before") s.labels = before_->download().labels;
    if (dropped_) s.labels.push_back(s.labels.back());
    ++downloads_;
    if (fault_ == "ends_apart" || (fault_ == "ends_apart_later" && downloads_ > 2)) s.centroids[0] = std::nextafter(s.centroids[0], T(1e9));
    if (fault_ == "wrong_label" && !s.labels.empty()) s.labels[0] = 1 - std::min(1, s.labels[0]);
    if (fault_ == "turns_labels") std::ranges::reverse(s.labels);
    if (all_ && all_->size() > 2 && asked_ == "swaps_labels") swap_with_neighbour(s.labels);
    return s;
  }

 private:
  /// Ranks 1 and 2 take each other's labels, as many as both have.
  void swap_with_neighbour(Labels& labels) {
    std::vector<Labels> shards;
    for (const int of : {1, 2}) shards.push_back(gathered(all_, all_->rank() == of ? labels : Labels{}));
    const Labels& others = shards[all_->rank() == 1 ? 1 : 0];
    if (all_->rank() == 1 || all_->rank() == 2) std::copy_n(others.begin(), std::min(others.size(), labels.size()), labels.begin());
  }

  std::string asked_, fault_;
  Group* all_ = nullptr;
  bool dropped_ = false;
  int downloads_ = 0;
  std::unique_ptr<Group> group_;
  std::vector<T> points_;
  std::unique_ptr<AnySolver<T>> right_, before_;
};

const std::vector<Value> faults = {"none",
                                   "prepare_throws",
                                   "reset_throws",
                                   "iterate_throws",
                                   "download_throws",
                                   "dies",
                                   "exits",
                                   "sleeps",
                                   "stops_alone",
                                   "goes_on",
                                   "ends_apart",
                                   "wrong_label",
                                   "drops_a_row",
                                   "counts_twice",
                                   "skips_a_sum",
                                   "sums_before",
                                   "reads_a_row_twice",
                                   "turns_labels",
                                   "labels_before",
                                   "ends_apart_later",
                                   "swaps_labels",
                                   "reads_a_neighbours_row"};

const Register<Ranks> registration{{
    .summary = "rank 1 does not as the others do",
    .parameters = {{.name = "fault", .fallback = "none", .range = faults}},
    .fixed_point = true,
    .shards = true,
}};

}  // namespace
}  // namespace km
