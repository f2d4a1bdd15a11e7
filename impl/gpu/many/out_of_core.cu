// gpu/lloyd/out_of_core on several cards of one host. Each has a contiguous share of the rows in the host's memory, and its own streams, ring and
// copying threads. It sends, labels and sums its chunks. Cards meet once an iteration, on the host: it adds their sums in order of cards, makes the
// means and sends these to all.
// Cost of an iteration: n / R points over each card's bus. The meeting moves k (8 d + 8) bytes from each card and k d values back. The buses are idle
// from the last chunk's arrival until then: its kernel and some copies of microseconds, beside an upload of tens of milliseconds.
// Limit: the buses, or the host's memory, which all cards read, and which staged copies read and write once more.
#include <limits>

#include "impl/gpu/lloyd/out_of_core_card.cuh"
#include "impl/gpu/many/on_each.hpp"

namespace km {
namespace {

using out_of_core::Sums;

ProblemShape rows_of(ProblemShape p, int rank, int cards) {
  p.n = first_row(p.n, rank + 1, cards) - first_row(p.n, rank, cards);
  return p;
}

/// One card's share of the run.
template <class T>
struct Share {
  Share(const Problem<T>& p, const Config& config, int rank, int cards, Trace& trace)
      : card(p, first_row(p.n, rank, cards), out_of_core::Chunking(rows_of(p, rank, cards), config, sizeof(T)), config,
             out_of_core::threads_of(config, cards), trace),
        centroids(std::int64_t(p.k) * p.d) {}

  out_of_core::Card<T> card;
  cuda::Buffer<T> centroids;
};

template <class T>
class OutOfCore {
 public:
  OutOfCore(const Problem<T>& problem, const Config& config, Trace& trace)
      : p_(problem), locked_(out_of_core::locked(p_.points, config)), cards_(config, nullptr) {
    cards_.make([&](int rank) {
      Trace untraced;
      return std::make_unique<Share<T>>(p_, config, rank, cards_.size(), rank == 0 ? trace : untraced);
    });
  }

  void reset() {
    assigned_.assign(p_.initial_centroids.size(), std::numeric_limits<T>::quiet_NaN());
    next_ = assigned_;
    cards_.each([this](int rank) {
      cards_.card(rank).card.reset();
      cards_.card(rank).card.finish();
    });
  }

  int iterate(Trace& trace) {
    next_.assign(p_.initial_centroids.begin(), p_.initial_centroids.end());
    Trace untraced;
    std::vector<std::optional<typename out_of_core::Card<T>::Pass>> passes(std::size_t(cards_.size()));
    std::vector<Sums> sums(passes.size());
    for (iters_ = 1;; ++iters_) {
      std::swap(assigned_, next_);
      trace.begin_iteration();
      trace.count("gpus", cards_.size());
      cards_.each([&](int rank) {
        auto& [card, centroids] = cards_.card(rank);
        auto& pass = passes[std::size_t(rank)];
        Trace& own = rank == 0 ? trace : untraced;
        if (iters_ == 1) {
          card.begin();
          pass.emplace(card.uploads(), own);
        }
        cuda::upload(centroids, std::span<const T>(assigned_), card.stream());
        card.process(*pass, own, centroids.data());
        sums[std::size_t(rank)] = card.fetch();
      });
      const auto phase = trace.phase("reduce");
      if (const std::int64_t changed = make_means(sums); iters_ == p_.max_iters || p_.converged(changed)) return iters_;
    }
  }

  Solution<T> download() {
    Solution<T> out;
    out.labels.resize(static_cast<std::size_t>(p_.n));
    cards_.each([&](int rank) { cards_.card(rank).card.download_labels(out.labels.data() + first_row(p_.n, rank, cards_.size())); });
    out.assigned_centroids = assigned_;
    out.centroids = next_;
    out.iters = iters_;
    return out;
  }

 private:
  /// Adds the cards' sums and makes the means; an empty cluster keeps its centroid. Returns the number of labels that changed.
  std::int64_t make_means(const std::vector<Sums>& sums) {
    Sums all = sums[0];
    for (std::size_t rank = 1; rank < sums.size(); ++rank) {
      for (std::size_t cell = 0; cell < all.sums.size(); ++cell) all.sums[cell] += sums[rank].sums[cell];
      for (std::size_t c = 0; c < all.counts.size(); ++c) all.counts[c] += sums[rank].counts[c];
      all.changed += sums[rank].changed;
    }
    for (std::size_t cell = 0; cell < all.sums.size(); ++cell) {
      const std::int64_t count = all.counts[cell / std::size_t(p_.d)];
      next_[cell] = count > 0 ? static_cast<T>(all.sums[cell] / static_cast<double>(count)) : assigned_[cell];
    }
    return all.changed;
  }

  Problem<T> p_;                          // views
  std::optional<cuda::PageLock> locked_;  // all points at once: shares meet within a page, which cannot be locked twice
  many::OnEach<Share<T>> cards_;
  std::vector<T> assigned_, next_;  // k x d
  int iters_ = 0;
};

const Register<OutOfCore> registration{{
    .summary = "several GPUs: each is sent its share of the points in chunks anew every iteration; the host adds their sums",
    .device = Device::gpu,
    .parameters =
        [] {
          auto all = out_of_core::parameters();
          all.insert(all.begin(), many::gpus_parameter());
          return all;
        }(),
    .unsupported =
        [](const ProblemShape& p, const Config& config, int value_bytes) {
          const std::string reason = many::too_few_cards(config);
          return reason.empty() ? out_of_core::refusal(p, config, value_bytes) : reason;
        },
    .summation_depth = [](const ProblemShape& p, const Config& config) -> std::int64_t {
      return out_of_core::summation_depth(p, config) + many::most_cards;
    },
}};

}  // namespace
}  // namespace km
