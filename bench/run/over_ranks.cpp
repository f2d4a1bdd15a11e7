#include "bench/run/over_ranks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "bench/data/hash.hpp"
#include "bench/data/values.hpp"
#include "bench/device/device.hpp"
#include "bench/run/ranks.hpp"
#include "bench/run/timing.hpp"
#include "bench/run/workers.hpp"

namespace km {
namespace {

enum class Verb : std::int32_t { start_device, prepare, reset, iterate, download, release, leave };

/// What rank 0 tells the others. `bytes` of text follow prepare: the case as JSON.
struct Order {
  Verb verb;
  std::int32_t solver;
  std::int64_t bytes;
};

bool broken = false;  // a verb of this rank threw: the others may wait inside it

void order(Verb verb, int solver, std::int64_t bytes = 0) {
  Order words{verb, solver, bytes};
  ranks()->broadcast(&words, sizeof words);
}

/// The first row of a rank's share of n; that of rank `size` is n.
std::int64_t first_row(std::int64_t n, int rank) { return std::int64_t(__int128(n) * rank / ranks()->size()); }

template <class T>
std::size_t bytes_of(std::int64_t values) {
  return std::size_t(values) * sizeof(T);
}

/// A hash of what must be equal on all ranks.
template <class T>
std::int64_t centroids_hash(const Solution<T>& s) {
  const std::string text =
      hash_of(s.centroids.data(), s.centroids.size() * sizeof(T)) + hash_of(s.assigned_centroids.data(), s.assigned_centroids.size() * sizeof(T));
  return std::int64_t(std::hash<std::string>{}(text));
}

/// Runs `before`, then f, then `meet`, and waits for all ranks. Adds to meeting_s how much longer all took than the slowest rank's f, both without
/// run delay: more ranks than processors wait for each other.
void own_part(
    const std::function<void()>& before, const std::function<void()>& f, const std::function<void()>& meet = [] {}) {
  std::int64_t slowest_ns = 0;
  const double all_s = undelayed_s([&] {
    before();
    const auto own_ns = std::int64_t(undelayed_s(f) * 1e9);
    meet();
    slowest_ns = std::ranges::max(ranks()->gather(own_ns));
  });
  meeting_s += std::max(0.0, all_s - 1e-9 * double(slowest_ns));
}

/// The problem of one rank; rank 0 reads its rows where all are.
template <class T>
Problem<T> share_of_rank(const ProblemShape& whole, std::span<const T> points, std::span<const T> start) {
  Problem<T> mine{whole, points, start};
  const std::int64_t first = first_row(whole.n, ranks()->rank());
  mine.n = first_row(whole.n, ranks()->rank() + 1) - first;
  mine.group = ranks();
  mine.shard = {first, whole.n};
  return mine;
}

/// Throws the sentence if a rank's number is not rank 0's.
void must_agree(const std::vector<std::int64_t>& all, const std::string& what) {
  const auto other = std::ranges::find_if(all, [&](std::int64_t value) { return value != all[0]; });
  if (other != all.end()) throw std::runtime_error(fmt::format("rank {} ended with {} than rank 0", other - all.begin(), what));
}

// ---- rank 0 -------------------------------------------------------------------------------------------------------------------

template <class T>
class Leader final : public AnySolver<T> {
 public:
  Leader(const Implementation& implementation, const Problem<T>& p, const Config& config, Trace& trace) : p_(p), id_(next_id_++) {
    guarded([&] {
      tell(implementation, config);
      for (int rank = 1; rank < ranks()->size(); ++rank) {
        const std::int64_t first = first_row(p.n, rank), rows = first_row(p.n, rank + 1) - first;
        ranks()->send(p.points.data() + first * p.d, bytes_of<T>(rows * p.d), rank);
      }
      const auto rows = std::size_t(first_row(p.n, 1)) * std::size_t(p.d);
      solver_ = implementation.prepare<T>()(share_of_rank<T>(p, p.points.first(rows), p.initial_centroids), config, trace);
      ranks()->barrier();
    });
  }
  ~Leader() override {
    if (!broken) order(Verb::release, id_);
  }

  void reset() override {
    guarded([&] {
      const auto send_start = [&] {
        order(Verb::reset, id_);
        std::vector<T> start(p_.initial_centroids.begin(), p_.initial_centroids.end());
        ranks()->broadcast(start.data(), bytes_of<T>(std::ssize(start)));
      };
      own_part(send_start, [&] { solver_->reset(); });
    });
  }

  int iterate(Trace& trace) override {
    return guarded([&] {
      order(Verb::iterate, id_);
      const int iters = solver_->iterate(trace);
      must_agree(ranks()->gather(iters), "another number of iterations");
      return iters;
    });
  }

  Solution<T> download() override {
    return guarded([&] {
      Solution<T> s;
      std::vector<std::int64_t> hashes;
      const auto gather_labels = [&] {
        s.labels.resize(std::size_t(p_.n));
        for (int rank = 1; rank < ranks()->size(); ++rank) {
          const std::int64_t first = first_row(p_.n, rank), rows = first_row(p_.n, rank + 1) - first;
          ranks()->receive(s.labels.data() + first, bytes_of<std::int32_t>(rows), rank);
        }
        hashes = ranks()->gather(centroids_hash(s));
      };
      own_part([&] { order(Verb::download, id_); }, [&] { s = solver_->download(); }, gather_labels);
      must_agree(hashes, "other centroids");
      return s;
    });
  }

 private:
  /// Notes that other ranks may wait if f throws.
  template <class F>
  auto guarded(F f) {
    try {
      return f();
    } catch (...) {
      broken = true;
      throw;
    }
  }

  void tell(const Implementation& implementation, const Config& config) {
    Case c{.implementation_name = implementation.name, .config = config, .n = p_.n, .d = p_.d, .k = p_.k, .precision = precision_of<T>};
    c.max_iters = p_.max_iters, c.tolerance = p_.tolerance;
    std::string text = packed(c).dump();
    order(Verb::prepare, id_, std::ssize(text));
    ranks()->broadcast(text.data(), text.size());
  }

  inline static int next_id_ = 0;
  Problem<T> p_;
  int id_;
  std::unique_ptr<AnySolver<T>> solver_;
};

// ---- other ranks --------------------------------------------------------------------------------------------------------------

struct AnyFollower {
  virtual ~AnyFollower() = default;
  virtual void reset() = 0;
  virtual void iterate() = 0;
  virtual void download() = 0;
};

template <class T>
class Follower final : public AnyFollower {
 public:
  explicit Follower(const Case& c) : start_(std::size_t(c.k) * std::size_t(c.d)) {
    const std::int64_t rows = first_row(c.n, ranks()->rank() + 1) - first_row(c.n, ranks()->rank()), values = rows * c.d;
    points_ = make_values<T>(std::size_t(values));
    ranks()->receive(points_.get(), bytes_of<T>(values), 0);
    protect_values(points_.get(), "the points");
    solver_ = c.implementation->prepare<T>()(share_of_rank<T>(c.shape(), {points_.get(), std::size_t(values)}, start_), c.config, untraced_);
    ranks()->barrier();
  }

  void reset() override {
    own_part([&] { ranks()->broadcast(start_.data(), bytes_of<T>(std::ssize(start_))); }, [&] { solver_->reset(); });
  }
  void iterate() override { ranks()->gather(solver_->iterate(untraced_)); }
  void download() override {
    Solution<T> s;
    const auto hand_over = [&] {
      ranks()->send(s.labels.data(), bytes_of<std::int32_t>(std::ssize(s.labels)), 0);
      ranks()->gather(centroids_hash(s));
    };
    own_part([] {}, [&] { s = solver_->download(); }, hand_over);
  }

 private:
  Trace untraced_;
  std::vector<T> start_;
  Values<T> points_;
  std::unique_ptr<AnySolver<T>> solver_;
};

std::unique_ptr<AnyFollower> prepared(std::int64_t bytes) {
  std::string text(std::size_t(bytes), '\0');
  ranks()->broadcast(text.data(), text.size());
  const Case c = unpacked(Json::parse(text));
  if (!c.implementation) throw std::runtime_error("this rank's program has no " + c.implementation_name);
  if (c.precision == Precision::fp32) return std::make_unique<Follower<float>>(c);
  return std::make_unique<Follower<double>>(c);
}

/// Creates the context on this rank's GPU before any clock starts. Where there is none, prepare will tell.
void start_device() {
  try {
    device::select(ranks()->local_rank());
    device::start();
  } catch (const device::Error&) {
  }
}

void follow_orders() {
  std::map<int, std::unique_ptr<AnyFollower>> solvers;
  for (Order next{};;) {
    const bool iterate_follows = next.verb == Verb::reset;
    ranks()->broadcast(&next, sizeof next, !iterate_follows);
    if (next.verb == Verb::leave) return;
    if (next.verb == Verb::start_device) {
      start_device();
      continue;
    }
    auto& solver = solvers[next.solver];
    switch (next.verb) {
      case Verb::prepare: solver = prepared(next.bytes); break;
      case Verb::reset: solver->reset(); break;
      case Verb::iterate: solver->iterate(); break;
      case Verb::download: solver->download(); break;
      default: solvers.erase(next.solver);
    }
  }
}

/// Why the binding of a rank may cost time, or "". Open MPI binds each of two ranks to one core unless told otherwise.
std::string binding_fault(const Ranks::Place& place, std::int64_t threads) {
  if (threads > place.processors)
    return fmt::format("runs {} threads and has {} of the processors {} to itself", threads, place.processors, place.mask);
  if (place.processors == 1 && place.idle > 0)
    return fmt::format("may use processor {} alone, and no rank uses {} others of its machine: mpirun --bind-to none", place.mask, place.idle);
  return "";
}

template <class T>
Prepare<T> led(const Implementation& implementation) {
  if (!implementation.prepare<T>()) return {};
  return [&implementation](const Problem<T>& p, const Config& config, Trace& trace) {
    return std::make_unique<Leader<T>>(implementation, p, config, trace);
  };
}

}  // namespace

const Implementation* over_ranks(const Implementation* implementation) {
  if (!ranks() || ranks()->size() == 1) return implementation;
  static std::map<std::string, Implementation> all;
  static bool started = false;
  if (implementation->description.device == Device::gpu && !std::exchange(started, true)) order(Verb::start_device, 0);
  const auto [at, added] = all.try_emplace(implementation->name, *implementation);
  if (added) at->second.fp32 = led<float>(*implementation), at->second.fp64 = led<double>(*implementation);
  return &at->second;
}

void follow(const Inbox& inbox) {
  std::string why;
  try {
    follow_orders();
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {
    why = "it threw what is no std::exception";
  }
  if (!why.empty()) inbox.crash(fmt::format("rank {}: {}", ranks()->rank(), why));
  ranks()->leave(!why.empty());
  ::_exit(0);
}

void leave_ranks() {
  if (!broken) order(Verb::leave, 0);
  ranks()->leave(broken);
  ::_exit(0);
}

Json ranks_of(const Case& c) {
  if (c.launch.empty()) return nullptr;
  Json json = {{"launch", c.launch},    {"count", nullptr},   {"nodes", nullptr},  {"threads", nullptr},
               {"processors", nullptr}, {"library", nullptr}, {"warning", nullptr}};
  if (!ranks()) return json;
  const auto asked = c.config.values().find("threads");
  const std::int64_t given = asked == c.config.values().end() ? 0 : std::get<std::int64_t>(asked->second);
  json["count"] = ranks()->size();
  json["threads"] = json["processors"] = Json::array();
  int nodes = 0;
  for (const auto& place : ranks()->places()) {
    const std::int64_t threads = given > 0 ? given : place.processors;
    nodes = std::max(nodes, place.node + 1);
    if (json["warning"].is_null())
      if (const std::string why = binding_fault(place, threads); !why.empty())
        json["warning"] = fmt::format("rank {} {}", json["threads"].size(), why);
    json["threads"].push_back(threads);
    json["processors"].push_back(place.mask);
  }
  json["nodes"] = nodes;
  json["library"] = ranks()->library();
  return json;
}

}  // namespace km
