// What screened.cu and screened_peers.cu share. Each card labels and sums its share of the points as gpu/lloyd/screened, gets the sums of all cards,
// and makes all means itself. The sums are 64-bit integers, whose units come from all points, and labels are proven: any number of cards gives the
// same bits. A run without a tolerance is one graph a card.
// Cost of an iteration on each of R cards: that of gpu/lloyd/screened for n / R points, and a meeting over k (16 d + 4) bytes. Limit: the update, the
// means and the meeting take as long for few points as for many.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "impl/gpu/lloyd/screen_card.cuh"
#include "impl/gpu/many/on_each.hpp"

namespace km::many {

/// One card's share of the run.
template <class T>
struct Share {
  /// problem: the card's points, of `total`.
  Share(const Problem<T>& problem, std::int64_t total, const Config& config, Trace& trace)
      : lloyd(problem, trace, cuda::Layout::rows, total), work(screen::Card<T>::make(problem, config, unit(), 1, trace, lloyd.stream())),
        sums(std::int64_t(problem.k) * problem.d), counts(problem.k), changed(1) {}

  static const screen::Unit& unit() { return cuda::attribute(cudaDevAttrComputeCapabilityMajor) == 9 ? screen::wgmma : screen::mma; }

  cuda::Lloyd<T> lloyd;
  std::unique_ptr<screen::Card<T>> work;
  cuda::Buffer<moved_sums::Sum> sums;  // of all cards' points
  cuda::Buffer<int> counts;
  cuda::Buffer<unsigned long long> changed;  // labels of this card
};

template <class T>
class ScreenedCards : public OnEach<Share<T>> {
 public:
  using OnEach<Share<T>>::size, OnEach<Share<T>>::card, OnEach<Share<T>>::each;

  ScreenedCards(const Problem<T>& problem, const Config& config, Trace& trace) : OnEach<Share<T>>(config, problem.group), problem_(problem) {
    {
      const auto phase = trace.phase("transfer");
      this->make([&](int rank) {
        Trace untraced;
        return std::make_unique<Share<T>>(share(rank), problem_.whole().n, config, untraced);
      });
    }
    const auto phase = trace.phase("layout");
    const screen::Origin origin =
        screen::choose_origin(of_columns(&screen::Card<T>::sums_of_columns, std::plus()), problem.whole().n, [this](std::span<const double> centre) {
          return greatest([&](screen::Card<T>& card) { return card.furthest_from(centre); });
        });
    const auto extents = of_columns(&screen::Card<T>::greatest_of_columns, [](double a, double b) { return std::max(a, b); });
    const double longest = greatest([&](screen::Card<T>& card) { return double(card.lay_out(origin.scale, extents, problem_.whole().n)); });
    each([&](int rank) { work(rank).finish_layout(float(longest)); });
  }

  /// Each enqueues on a card's stream. add_changed: the number of all cards' changed labels, from `changed` to Lloyd's; add_sums: the sums of all.
  void record(std::function<void(int rank)> add_changed, std::function<void(int rank)> add_sums) {
    add_changed_ = std::move(add_changed), add_sums_ = std::move(add_sums);
    reset();
    each([this](int rank) { work(rank).warm_up(card(rank).lloyd.labels(), card(rank).changed.data(), card(rank).lloyd.next()); });
    each([this](int rank) {  // when the others' kernels are loaded: that may wait for one that waits for another card
      add_changed_(rank);
      add_sums_(rank);
      card(rank).lloyd.stream().synchronize();
    });
    if (problem_.tolerance >= 0) return;
    each([this](int rank) {
      card(rank).lloyd.record([this, rank] { begin(rank); }, {"", [this, rank] {
                                                                assign(rank);
                                                                work(rank).sum(card(rank).lloyd.labels());
                                                                add_sums_(rank);
                                                                average(rank);
                                                              }});
    });
  }

  void reset() {
    each([this](int rank) { card(rank).lloyd.reset(); });
  }

  int iterate(Trace& trace) {
    int iters = 0;
    each([&](int rank) {
      Trace untraced;
      const int made = run(rank, rank == 0 ? trace : untraced, trace.active() || problem_.tolerance >= 0);
      if (rank == 0) iters = made;
    });
    return iters;
  }

  Solution<T> download() {
    std::vector<Solution<T>> shares(static_cast<std::size_t>(size()));
    each([&](int rank) { shares[std::size_t(rank)] = card(rank).lloyd.download(); });
    Solution<T> out = std::move(shares[0]);
    out.labels.reserve(std::size_t(problem_.n));
    for (int rank = 1; rank < size(); ++rank)
      out.labels.insert(out.labels.end(), shares[std::size_t(rank)].labels.begin(), shares[std::size_t(rank)].labels.end());
    return out;
  }

 private:
  screen::Card<T>& work(int rank) { return *card(rank).work; }

  void begin(int rank) {
    work(rank).begin();
    cuda::clear(card(rank).lloyd.stream(), card(rank).changed);
  }
  void assign(int rank) {
    Share<T>& own = card(rank);
    own.work->assign(own.lloyd.assigned(), own.lloyd.labels(), own.changed.data());
    if (problem_.tolerance >= 0) add_changed_(rank);
  }
  void average(int rank) {
    Share<T>& own = card(rank);
    own.work->average({own.sums.data(), own.counts.data()}, own.lloyd.assigned(), own.lloyd.next());
  }

  int run(int rank, Trace& trace, bool by_steps) {
    Share<T>& own = card(rank);
    if (!by_steps) return own.lloyd.run(trace);
    begin(rank);
    return own.lloyd.run(trace, {{"assign", [&] { assign(rank); }},
                                 {"update", [&] { own.work->sum(own.lloyd.labels()); }},
                                 {"reduce", [&] { add_sums_(rank); }},
                                 {"update", [&] {
                                    average(rank);
                                    own.work->report(trace);
                                  }}});
  }

  Problem<T> share(int rank) const {
    const std::int64_t first = first_row(problem_.n, rank, size()), end = first_row(problem_.n, rank + 1, size());
    Problem<T> mine = problem_;
    mine.points = problem_.points.subspan(std::size_t(first * problem_.d), std::size_t((end - first) * problem_.d));
    mine.n = end - first;
    return mine;
  }

  /// What all ranks' cards return, joined by column, from zero.
  template <class Join>
  std::vector<double> of_columns(std::vector<double> (screen::Card<T>::*values)() const, Join join) {
    std::vector<double> joined(problem_.d), mine(size() * joined.size());
    each([&](int rank) { std::ranges::copy((work(rank).*values)(), mine.begin() + std::ptrdiff_t(rank) * problem_.d); });
    const std::vector<double> all = gathered(problem_.group, mine);
    for (std::size_t at = 0; at < all.size(); ++at) joined[at % joined.size()] = join(joined[at % joined.size()], all[at]);
    return joined;
  }

  /// The greatest number, none negative, that all ranks' cards return.
  template <class Return>
  double greatest(Return number) {
    std::vector<double> of(static_cast<std::size_t>(size()));
    each([&](int rank) { of[std::size_t(rank)] = number(work(rank)); });
    return std::ranges::max(gathered(problem_.group, std::vector<double>{std::ranges::max(of)}));
  }

  Problem<T> problem_;  // views
  std::function<void(int)> add_changed_, add_sums_;
};

/// Description of either. missing: why there is not what it needs besides cards, or "". shards: whether ranks share the points.
inline Description screened_description(std::string_view summary, std::string (*missing)(const Config&), bool shards) {
  std::vector<Parameter> parameters = screen::parameters();
  parameters.push_back(gpus_parameter());
  return {.summary = summary,
          .device = Device::gpu,
          .parameters = std::move(parameters),
          .unsupported = [missing](const ProblemShape& p, const Config& config, int value_bytes) -> std::string {
            if (cuda::attribute_or(cudaDevAttrComputeCapabilityMajor, 9) < 8) return "needs compute capability 8.0 (fp16 products)";
            if (std::string reason = screen::too_large(p, value_bytes, cards_of(config)); !reason.empty()) return reason;
            if (std::string reason = counts_overflow(p); !reason.empty()) return reason;
            const std::string reason = cards_missing(config);
            return reason.empty() ? missing(config) : reason;
          },
          .fixed_point = true,
          .shards = shards};
}

}  // namespace km::many
