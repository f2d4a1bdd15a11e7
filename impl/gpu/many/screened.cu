// Exact Lloyd's by fp16 products on several cards, of one process or of several ranks: each labels and sums its share of the points as
// gpu/lloyd/screened. The cards divide the clusters: NCCL adds a cluster's sums on the card that owns it (reduce-scatter), this makes the mean, and
// NCCL gives the means to all (all-gather). The sums are 64-bit integers, whose units come from all points, and labels are proven: any number of
// cards and ranks gives the same bits.
// Cost of an iteration on each of R cards: that of gpu/lloyd/screened for n / R points; over NVLink (R - 1) / R of k (16 d + 4) bytes of sums and of
// k d s bytes of means; three more launches. Limit: two meetings, 10 to 20 µs each, which need 10⁸ flops or more to hide.
#include "impl/gpu/lloyd/screen_card.cuh"
#include "impl/gpu/many/communicators.hpp"
#include "impl/gpu/many/on_each.hpp"

namespace km {
namespace {

using moved_sums::Sum;

/// A thread a value. An empty cluster keeps its centroid.
template <class T>
__global__ void divide(const Sum* sums, const int* counts, moved_sums::FixedPoint q, const T* assigned, std::int64_t cells, int d, T* means) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= cells) return;
  const auto count = static_cast<unsigned>(counts[at / d]);
  means[at] = count > 0 ? static_cast<T>(sums[at].value(q) / count) : assigned[at];
}

const screen::Unit& unit() { return cuda::attribute(cudaDevAttrComputeCapabilityMajor) == 9 ? screen::wgmma : screen::mma; }

/// One card's share of the run.
template <class T>
class Share {
 public:
  /// part: clusters of each of `parts` cards; this one has those from number * part on.
  Share(const Problem<T>& problem, const Config& config, nccl::Communicator* ranks, int number, int part, int parts, Trace& trace)
      : lloyd(problem, trace), card(screen::Card<T>::make(problem, config, unit(), part * parts, 1, trace, lloyd.stream())), ranks_(ranks),
        tested_(problem.tolerance >= 0), part_(part), first_(std::min(number * part, problem.k)), size_(std::min(part, problem.k - first_)),
        d_(problem.d), sums_(std::int64_t(part) * d_), counts_(part), means_(std::int64_t(part) * parts * d_),
        mine_(means_.data() + std::int64_t(number) * part * d_), changed_(1) {}

  int iterate(Trace& trace) {
    card->begin();
    cuda::clear(lloyd.stream(), changed_);
    return lloyd.run(trace, {{"assign", [this] { assign(); }},
                             {"update", [this] { card->sum(lloyd.labels()); }},
                             {"reduce", [this] { reduce(); }},
                             {"update", [this, &trace] {
                                card->adopt(means_.data(), lloyd.next());
                                card->report(trace);
                              }}});
  }

  cuda::Lloyd<T> lloyd;
  std::unique_ptr<screen::Card<T>> card;

 private:
  void assign() {
    card->assign(lloyd.assigned(), lloyd.labels(), changed_.data());
    if (tested_)
      nccl::check(nccl::functions().all_reduce(changed_.data(), lloyd.changed(), 1, nccl::int64, nccl::sum, ranks_, lloyd.stream()), "ncclAllReduce");
  }

  /// Makes all clusters' means from all cards' sums.
  void reduce() {
    const nccl::Functions& call = nccl::functions();
    const cudaStream_t stream = lloyd.stream();
    const screen::Totals mine = card->totals();
    nccl::check(call.begin_group(), "ncclGroupStart");
    const nccl::Result of_sums = call.reduce_scatter(mine.sums, sums_.data(), 2 * std::size_t(sums_.size()), nccl::int64, nccl::sum, ranks_, stream);
    const nccl::Result of_counts = call.reduce_scatter(mine.counts, counts_.data(), std::size_t(part_), nccl::int32, nccl::sum, ranks_, stream);
    const nccl::Result ended = call.end_group();  // an open group would queue all later calls
    for (const nccl::Result result : {of_sums, of_counts, ended}) nccl::check(result, "ncclReduceScatter");
    const std::int64_t cells = std::int64_t(size_) * d_;
    if (cells > 0) {
      divide<<<cuda::blocks(cells, 256), 256, 0, stream>>>(sums_.data(), counts_.data(), mine.units, lloyd.assigned() + std::int64_t(first_) * d_,
                                                           cells, d_, mine_);
      cuda::check_launch();
    }
    nccl::check(call.all_gather(mine_, means_.data(), std::size_t(part_) * d_ * sizeof(T), nccl::int8, ranks_, stream), "ncclAllGather");
  }

  nccl::Communicator* ranks_;
  bool tested_;
  int part_, first_, size_, d_;
  cuda::Buffer<Sum> sums_;  // of all cards' points, for this card's clusters
  cuda::Buffer<int> counts_;
  cuda::Buffer<T> means_;  // of all clusters
  T* mine_;                // of this card's
  cuda::Buffer<unsigned long long> changed_;
};

template <class T>
class Screened {
 public:
  Screened(const Problem<T>& problem, const Config& config, Trace& trace)
      : problem_(problem), cards_(config, problem.group), ranks_(many::communicators(cards_.devices(), problem.group)) {
    const int parts = ranks_->total(), part = (problem.k + parts - 1) / parts;
    {
      const auto phase = trace.phase("transfer");
      cards_.make([&](int rank) {
        Trace untraced;
        return std::make_unique<Share<T>>(share(rank), config, ranks_->of(rank), ranks_->first() + rank, part, parts, untraced);
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
    .summary = "several GPUs, of one process or of several ranks: gpu/lloyd/screened on each, whose clusters they divide to make the means",
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
