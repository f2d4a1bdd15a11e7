// The host side of Lloyd's on several cards of one process: a contiguous share of the rows on each, the loop, the outputs. What cards do to meet is
// the rung's (nccl.cu, peers.cu). The process may be one of several ranks, each with its rows and its cards.
// A run without a tolerance is one graph a card. With one, the host looks at the count of changed labels after every iteration; all cards have the
// same count, so all stop together. Between the first launch and the last wait nothing is allocated or freed, and all kernels are loaded before. Both
// may wait for a card that waits for this one.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bench/device/cuda_host.cuh"
#include "impl/gpu/many/on_each.hpp"
#include "impl/gpu/many/pass.cuh"

namespace km::many {

using KernelFor = Kernel (*)(int d, int k);
/// Description of a rung. missing: why there is not what it needs besides cards, or "". shards: whether ranks share the points.
Description description(std::string_view summary, KernelFor fp32, KernelFor fp64, std::string (*missing)(const Config&), bool shards = false);

/// One card's share of the run. Constructed, used and destroyed on the card's thread.
template <class T>
class Card {
 public:
  Card(const Problem<T>& problem, const Kernel& kernel, int cards, int rank)
      : problem_(problem), first_(first_row(problem.n, rank, cards)), size_(first_row(problem.n, rank + 1, cards) - first_), kernel_(kernel),
        tiles_((size_ + kernel_.tile - 1) / kernel_.tile), cells_(std::int64_t(problem.k) * problem.d), initial_(cells_),
        points_(tiles_ * kernel_.width * kernel_.tile), tile_labels_(tiles_ * kernel_.tile * kernel_.label_bytes), labels_(tiles_ * kernel_.tile),
        changes_(sums()), totals_(sums()), changed_(1), done_(1), changed_host_(1) {
    for (auto& centroids : centroids_) centroids = cuda::Buffer<T>(cells_);
    cuda::clear(stream_, changes_, done_, tile_labels_);
    upload_rows();
  }

  const cuda::Stream& stream() const { return stream_; }
  /// What the card sums in an iteration; zero before it.
  cuda::Buffer<Bits>& changes() { return changes_; }
  int sums() const { return sums_of<T>(problem_.k * kernel_.width, problem_.k); }
  /// Least and greatest value of each dimension of the share.
  const std::vector<Bits>& bounds() const { return bounds_; }

  /// Lays the points out relative to the origin, with units for all cards' points. greatest: |value| by dimension, minus the origin.
  void lay_out(const register_tiles::Origin<T>& origin, const double (&greatest)[register_tiles::most_dimensions]) {
    choose_launch();
    run_.limb_format = register_tiles::LimbFormat<T>(greatest, problem_.whole().n);
    std::copy_n(origin.at, register_tiles::most_dimensions, run_.origin);
    register_tiles::enqueue_layout(kernel_, rows_.data(), size_, problem_.d, tiles_, origin, points_.data(), stream_);
    stream_.synchronize();
    rows_ = {};
  }

  Turn<T> turn(int iter) {
    return {.fresh = iter == 1,
            .forward = iter % 2 == 1,
            .last = iter == problem_.max_iters,
            .assigned = assigned(iter),
            .next = next(iter),
            .changed = changed_.data(),
            .totals = totals_.data(),
            .done = done_.data()};
  }

  void enqueue_pass(int iter, const Meeting& meeting) {
    Turn<T> now = turn(iter);
    Meeting there = meeting;
    void* arguments[] = {&run_, &now, &there};
    cuda::check(cudaLaunchKernel(kernel_.entry, dim3(grid_), dim3(unsigned(kernel_.threads)), arguments, bytes_, stream_));
  }
  void enqueue_means(int iter) { many::enqueue_means(run_, turn(iter), kernel_.width, stream_); }
  /// Labels of a run that stopped early.
  void enqueue_labels() { many::enqueue_labels(run_, kernel_.label_bytes, stream_); }

  /// Waits, and returns the number of labels that this iteration changed on all cards.
  std::int64_t changed() {
    cuda::check(cudaMemcpyAsync(changed_host_.data(), changed_.data(), changed_.bytes(), cudaMemcpyDeviceToHost, stream_));
    stream_.synchronize();
    return static_cast<std::int64_t>(changed_host_[0]);
  }

  void reset() {
    upload(initial_, problem_.initial_centroids, stream_);
    cuda::fill(labels_.data(), labels_.size(), no_label - 1, stream_);
    cuda::poison(stream_, centroids_[0], centroids_[1]);
    stream_.synchronize();
  }

  const T* assigned(int iter) const { return iter == 1 ? initial_.data() : centroids_[iter % 2].data(); }
  T* next(int iter) { return centroids_[(iter + 1) % 2].data(); }

  /// Fills the card's share of the labels.
  void download_labels(Solution<T>& out) {
    if (size_ == 0) return;
    cuda::download(out.labels.data() + first_, labels_.data(), std::size_t(size_) * sizeof(std::int32_t), stream_);
  }
  void download_centroids(const T* assigned, const T* next, Solution<T>& out) {
    cuda::download(out.assigned_centroids.data(), assigned, initial_.bytes(), stream_);
    cuda::download(out.centroids.data(), next, initial_.bytes(), stream_);
  }

  std::optional<cuda::Graph> graph;  // the whole run
  Run<T>& run() { return run_; }
  const T* initial() const { return initial_.data(); }
  unsigned grid() const { return grid_; }
  int cells() const { return problem_.k * kernel_.width; }
  /// Launches a kernel that takes Run, Meeting and the count of arrived blocks, and whose blocks wait for each other.
  void launch_together(const Meeting& meeting) {
    Meeting there = meeting;
    unsigned* done = done_.data();
    cuda::launch_together(kernel_.entry, grid_, kernel_.threads, bytes_, stream_, run_, there, done);
  }

 private:
  void upload_rows() {
    const int d = problem_.d;
    const std::int64_t size = size_ * d;
    rows_ = cuda::Buffer<T>(size);
    if (size > 0) upload(rows_, problem_.points.subspan(std::size_t(first_) * d, std::size_t(size)), stream_);
    bounds_ = register_tiles::bounds_of(rows_.data(), size, d, stream_);
  }

  void choose_launch() {
    const int k = problem_.k, rows = kernel_.rows(k), warps = kernel_.threads / 32;
    const std::int64_t wanted = (tiles_ + register_tiles::least_tiles - 1) / register_tiles::least_tiles;
    grid_ = static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, cuda::multiprocessors()));
    const int copies = register_tiles::copies_that_fit(kernel_, k, warps);
    bytes_ = kernel_.bytes(k, rows, warps, copies);
    load_kernels(kernel_, bytes_);
    run_.points = points_.data(), run_.labels = tile_labels_.data(), run_.labels_out = labels_.data();
    run_.n = size_, run_.tiles = tiles_, run_.d = problem_.d, run_.k = k, run_.rows = rows;
    run_.copies = copies, run_.additions = register_tiles::most_additions / warps - kernel_.tile / copies;  // one more tile may be in flight
    run_.margin_scale = 1;
    run_.changes = changes_.data();
  }

  Problem<T> problem_;         // views
  std::int64_t first_, size_;  // its rows
  Kernel kernel_;
  std::int64_t tiles_, cells_;
  cuda::Stream stream_;
  cuda::Buffer<T> rows_, initial_, points_, centroids_[2];
  cuda::Buffer<std::uint8_t> tile_labels_;
  cuda::Buffer<std::int32_t> labels_;
  cuda::Buffer<Bits> changes_, totals_, changed_;
  cuda::Buffer<unsigned> done_;
  cuda::PinnedBuffer<Bits> changed_host_;
  std::vector<Bits> bounds_;
  Run<T> run_{};
  unsigned grid_ = 1;
  std::size_t bytes_ = 0;
};

/// All cards of a run.
template <class T>
class Cards : public OnEach<Card<T>> {
 public:
  using OnEach<Card<T>>::size, OnEach<Card<T>>::card, OnEach<Card<T>>::each;

  Cards(const Problem<T>& problem, const Kernel& kernel, const Config& config, Trace& trace)
      : OnEach<Card<T>>(config, problem.group), problem_(problem) {
    {
      const auto phase = trace.phase("transfer");
      this->make([&](int rank) { return std::make_unique<Card<T>>(problem_, kernel, size(), rank); });
    }
    const auto phase = trace.phase("layout");
    const auto [origin, greatest] = frame();
    each([&, &greatest = greatest, &origin = origin](int rank) { card(rank).lay_out(origin, greatest.at); });
  }

  /// enqueue(rank, iter, trace): an iteration of a card. Loads what it needs by a run, and captures a run as a graph.
  void record(std::function<void(int, int, Trace&)> enqueue) {
    enqueue_ = std::move(enqueue);
    reset();
    Trace untraced;
    each([&](int rank) {
      enqueue_(rank, 1, untraced);
      card(rank).enqueue_labels();
      card(rank).changed();
    });
    if (problem_.tolerance >= 0 || problem_.max_iters > most_recorded) return;
    each([&](int rank) {
      card(rank).graph.emplace(card(rank).stream(), [&] {
        for (int iter = 1; iter <= problem_.max_iters; ++iter) enqueue_(rank, iter, untraced);
      });
      card(rank).graph->upload(card(rank).stream());
      card(rank).stream().synchronize();
    });
  }

  void reset() {
    each([&](int rank) { card(rank).reset(); });
  }

  int iterate(Trace& trace) {
    if (card(0).graph && !trace.active()) {
      run_graphs();
      return iters_ = problem_.max_iters;
    }
    each([&](int rank) {
      Trace untraced;
      const int iters = step_by_step(rank, rank == 0 ? trace : untraced);
      card(rank).stream().synchronize();
      if (rank == 0) iters_ = iters;
    });
    return iters_;
  }

  /// Runs the cards' graphs from the caller's thread: the cards' own threads may sleep, and a launch waits for nothing.
  void run_graphs() {
    const cuda::KeepDevice kept;
    for (int rank = 0; rank < size(); ++rank) {
      this->select(rank);
      card(rank).graph->launch(card(rank).stream());
    }
    for (int rank = 0; rank < size(); ++rank) card(rank).stream().synchronize();
  }

  Solution<T> download() { return download(iters_, card(0).assigned(iters_), card(0).next(iters_)); }
  /// assigned, next: on the first card.
  Solution<T> download(int iters, const T* assigned, const T* next) {
    const auto cells = std::size_t(problem_.k) * std::size_t(problem_.d);
    Solution<T> out{Labels(std::size_t(problem_.n)), std::vector<T>(cells), std::vector<T>(cells), iters};
    each([&](int rank) { card(rank).download_labels(out); });
    card(0).download_centroids(assigned, next, out);
    return out;
  }

 private:
  static constexpr int most_recorded = 1024;

  struct Greatest {
    double at[register_tiles::most_dimensions] = {};
  };

  /// Widens the bounds to those of all ranks' points. As signed numbers, complements of the least values and the greatest values both grow.
  void meet(std::vector<Bits>& bounds) const {
    const std::size_t d = bounds.size() / 2;
    const auto turn = [&](auto& numbers) {
      for (std::size_t at = 0; at < 2 * d; ++at) numbers[at] ^= std::int64_t(at < d ? ~Bits(0) >> 1 : ~(~Bits(0) >> 1));
    };
    std::vector<std::int64_t> numbers(bounds.begin(), bounds.end());
    turn(numbers);
    problem_.group->max(numbers);
    turn(numbers);
    std::ranges::copy(numbers, bounds.begin());
  }

  /// The origin and the greatest |value| of all cards' points.
  std::pair<register_tiles::Origin<T>, Greatest> frame() {
    const int d = problem_.d;
    std::vector<Bits> bounds = card(0).bounds();
    for (int rank = 1; rank < size(); ++rank)
      for (int at = 0; at < 2 * d; ++at) {
        const Bits there = card(rank).bounds()[std::size_t(at)];
        bounds[std::size_t(at)] = at < d ? std::min(bounds[std::size_t(at)], there) : std::max(bounds[std::size_t(at)], there);
      }
    if (problem_.group) meet(bounds);
    register_tiles::Origin<T> origin{};
    Greatest greatest;
    register_tiles::choose_origin(bounds.data(), d, origin, greatest.at);
    return {origin, greatest};
  }

  int step_by_step(int rank, Trace& trace) {
    for (int iter = 1;; ++iter) {
      trace.begin_iteration();
      enqueue_(rank, iter, trace);
      trace.count("gpus", size());
      if (iter == problem_.max_iters) return iter;
      if (problem_.tolerance < 0 || !problem_.whole().converged(card(rank).changed())) continue;
      card(rank).enqueue_labels();
      return iter;
    }
  }

  Problem<T> problem_;  // views
  std::function<void(int, int, Trace&)> enqueue_;
  int iters_ = 0;
};

}  // namespace km::many
