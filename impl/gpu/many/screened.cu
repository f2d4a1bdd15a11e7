// Exact Lloyd's by fp16 products on several cards, of one process or of several ranks: each labels and sums its share of the points as
// gpu/lloyd/screened, NCCL adds the sums of all, and each card makes all means itself. The sums are 64-bit integers, whose units come from all points,
// and labels are proven: any number of cards and ranks gives the same bits.
// Cost of an iteration on each of R cards: that of gpu/lloyd/screened for n / R points, and an all-reduce of k (16 d + 4) bytes.
// Limit: the update, the means and the meeting take as long for few points as for many.
#include "impl/gpu/lloyd/screen_card.cuh"
#include "impl/gpu/many/communicators.hpp"
#include "impl/gpu/many/on_each.hpp"

namespace km {
namespace {

const screen::Unit& unit() { return cuda::attribute(cudaDevAttrComputeCapabilityMajor) == 9 ? screen::wgmma : screen::mma; }

/// One card's share of the run.
template <class T>
class Share {
 public:
  Share(const Problem<T>& problem, const Config& config, nccl::Communicator* ranks, Trace& trace)
      : lloyd(problem, trace), card(screen::Card<T>::make(problem, config, unit(), 1, trace, lloyd.stream())), ranks_(ranks),
        tested_(problem.tolerance >= 0), sums_(std::int64_t(problem.k) * problem.d), counts_(problem.k), changed_(1) {}

  int iterate(Trace& trace) {
    card->begin();
    cuda::clear(lloyd.stream(), changed_);
    return lloyd.run(trace, {{"assign", [this] { assign(); }},
                             {"update", [this] { card->sum(lloyd.labels()); }},
                             {"reduce", [this] { reduce(); }},
                             {"update", [this, &trace] {
                                card->average({sums_.data(), counts_.data()}, lloyd.assigned(), lloyd.next());
                                card->report(trace);
                              }}});
  }

  cuda::Lloyd<T> lloyd;
  std::unique_ptr<screen::Card<T>> card;

 private:
  /// All ranks' sums of `count` values.
  nccl::Result add(const void* mine, void* all, std::size_t count, nccl::Type type) const {
    return nccl::functions().all_reduce(mine, all, count, type, nccl::sum, ranks_, lloyd.stream());
  }

  void assign() {
    card->assign(lloyd.assigned(), lloyd.labels(), changed_.data());
    if (tested_) nccl::check(add(changed_.data(), lloyd.changed(), 1, nccl::int64), "ncclAllReduce");
  }

  void reduce() {
    const screen::Totals mine = card->totals();
    nccl::check(nccl::functions().begin_group(), "ncclGroupStart");
    const nccl::Result of_sums = add(mine.sums, sums_.data(), 2 * std::size_t(sums_.size()), nccl::int64);
    const nccl::Result of_counts = add(mine.counts, counts_.data(), std::size_t(counts_.size()), nccl::int32);
    const nccl::Result ended = nccl::functions().end_group();  // an open group would queue all later calls
    for (const nccl::Result result : {of_sums, of_counts, ended}) nccl::check(result, "ncclAllReduce");
  }

  nccl::Communicator* ranks_;
  bool tested_;
  cuda::Buffer<moved_sums::Sum> sums_;  // of all cards' points
  cuda::Buffer<int> counts_;
  cuda::Buffer<unsigned long long> changed_;
};

template <class T>
class Screened {
 public:
  Screened(const Problem<T>& problem, const Config& config, Trace& trace)
      : problem_(problem), cards_(config, problem.group), ranks_(many::communicators(cards_.devices(), problem.group)) {
    {
      const auto phase = trace.phase("transfer");
      cards_.make([&](int rank) {
        Trace untraced;
        return std::make_unique<Share<T>>(share(rank), config, ranks_->of(rank), untraced);
      });
    }
    const auto phase = trace.phase("layout");
    const screen::Origin origin = screen::choose_origin(column_sums(), problem.whole().n, [this](std::span<const double> centre) {
      return greatest([&](screen::Card<T>& card) { return card.furthest_from(centre); });
    });
    const double extent = greatest([](screen::Card<T>& card) { return card.greatest(); });
    const double longest = greatest([&](screen::Card<T>& card) { return double(card.lay_out(origin.scale, extent, problem_.whole().n)); });
    cards_.each([&](int rank) { cards_.card(rank).card->finish_layout(float(longest)); });
  }

  void reset() {
    cards_.each([this](int rank) { cards_.card(rank).lloyd.reset(); });
  }

  int iterate(Trace& trace) {
    int iters = 0;
    cards_.each([&](int rank) {
      Trace untraced;
      const int made = cards_.card(rank).iterate(rank == 0 ? trace : untraced);
      if (rank == 0) iters = made;
    });
    return iters;
  }

  Solution<T> download() {
    std::vector<Solution<T>> shares(std::size_t(cards_.size()));
    cards_.each([&](int rank) { shares[std::size_t(rank)] = cards_.card(rank).lloyd.download(); });
    Solution<T> out = std::move(shares[0]);
    out.labels.reserve(std::size_t(problem_.n));
    for (int rank = 1; rank < cards_.size(); ++rank)
      out.labels.insert(out.labels.end(), shares[std::size_t(rank)].labels.begin(), shares[std::size_t(rank)].labels.end());
    return out;
  }

 private:
  Problem<T> share(int rank) const {
    const std::int64_t first = first_row(problem_.n, rank, cards_.size()), end = first_row(problem_.n, rank + 1, cards_.size());
    Problem<T> mine = problem_;
    mine.points = problem_.points.subspan(std::size_t(first * problem_.d), std::size_t((end - first) * problem_.d));
    mine.shard = {problem_.shard.first + first, problem_.whole().n};
    mine.n = end - first;
    return mine;
  }

  /// Of all ranks' cards.
  std::vector<double> column_sums() {
    std::vector<std::vector<double>> of(std::size_t(cards_.size()));
    cards_.each([&](int rank) { of[std::size_t(rank)] = cards_.card(rank).card->sums_of_columns(); });
    for (int rank = 1; rank < cards_.size(); ++rank) std::ranges::transform(of[0], of[std::size_t(rank)], of[0].begin(), std::plus<>());
    const std::vector<double> all = gathered(problem_.group, of[0]);
    std::vector<double> sums(std::size_t(problem_.d));
    for (std::size_t at = 0; at < all.size(); ++at) sums[at % sums.size()] += all[at];
    return sums;
  }

  /// The greatest number, none negative, that all ranks' cards return.
  template <class Return>
  double greatest(Return number) {
    std::vector<double> of(std::size_t(cards_.size()));
    cards_.each([&](int rank) { of[std::size_t(rank)] = number(*cards_.card(rank).card); });
    return std::ranges::max(gathered(problem_.group, std::vector<double>{std::ranges::max(of)}));
  }

  Problem<T> problem_;  // views
  many::OnEach<Share<T>> cards_;
  std::shared_ptr<const many::Communicators> ranks_;
};

const Register<Screened> registration{{
    .summary = "several GPUs, of one process or of several ranks: gpu/lloyd/screened on each, sums of all by NCCL",
    .device = Device::gpu,
    .parameters =
        [] {
          std::vector<Parameter> all = screen::parameters();
          all.push_back(many::gpus_parameter());
          return all;
        }(),
    .unsupported = [](const ProblemShape& p, const Config& config, int value_bytes) -> std::string {
      if (cuda::attribute_or(cudaDevAttrComputeCapabilityMajor, 9) < 8) return "needs compute capability 8.0 (fp16 products)";
      if (std::string reason = screen::too_large(p, value_bytes, many::cards_of(config)); !reason.empty()) return reason;
      if (std::string reason = counts_overflow(p); !reason.empty()) return reason;
      if (std::string reason = many::cards_missing(config); !reason.empty()) return reason;
      return nccl::missing();
    },
    .fixed_point = true,
    .shards = true,
}};

}  // namespace
}  // namespace km
