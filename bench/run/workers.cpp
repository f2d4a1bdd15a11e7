#include "bench/run/workers.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <set>
#include <unordered_map>

#include "bench/base/openblas.hpp"
#include "bench/base/text.hpp"
#include "bench/machine/memory.hpp"
#include "bench/machine/wait_policy.hpp"
#include "bench/run/timing.hpp"
#include "bench/run/worker_process.hpp"

namespace km {
namespace {

constexpr int tries_without_progress = 3;

volatile std::sig_atomic_t interrupted = 0;

/// Records SIGINT and SIGTERM during its lifetime, so that the parent can finish its files.
class Interruptible {
 public:
  Interruptible() {
    struct sigaction action {};
    action.sa_handler = [](int signal) { interrupted = signal; };
    ::sigaction(SIGINT, &action, &before_int_);
    ::sigaction(SIGTERM, &action, &before_term_);
  }
  ~Interruptible() {
    ::sigaction(SIGINT, &before_int_, nullptr);
    ::sigaction(SIGTERM, &before_term_, nullptr);
  }

 private:
  struct sigaction before_int_ {
  }, before_term_{};
};

using Clock = std::chrono::steady_clock;

/// The worker's secret, the data of the jobs with these ids, a line each, and an empty line.
std::string orders_for(const WorkerProcess& worker, const std::vector<Job>& jobs, const std::set<std::string>& ids) {
  std::string text = worker.secret() + "\n";
  for (const auto& job : jobs)
    if (ids.contains(job.id)) text += job.data + "\n";
  return text + "\n";
}

struct WorkerExit {
  std::string in_flight;  // the unfinished job, or ""
  std::string why;        // its own crash report, the limit it exceeded, or how it died
};

/// Hands a worker the jobs in `todo`, reports their events, and holds it to its limits.
class WorkerMonitor {
 public:
  WorkerMonitor(WorkerProcess& worker, const std::vector<Job>& jobs, std::set<std::string>& todo, const WorkerLimits& limits, const JobEvents& events)
      : worker_(worker), todo_(todo), limits_(limits), events_(events), orders_(orders_for(worker, jobs, todo)) {
    for (const auto& job : jobs) {
      timeouts_s_[job.id] = job.timeout_s;
      longest_s_ = std::max(longest_s_, job.timeout_s);
    }
  }

  /// Returns nothing once all jobs have ended; the worker then waits for more.
  std::optional<WorkerExit> run() {
    while (!todo_.empty()) {
      pollfd waits[] = {{worker_.events(), POLLIN, 0}, {worker_.orders(), POLLOUT, 0}};
      const bool had_ended = worker_.has_ended();  // before the poll, which then finds all that it wrote
      const int ready = ::poll(waits, orders_.empty() ? 1 : 2, 100);
      if (interrupted && !stopped_) stop("interrupted");
      if (ready == 0 && had_ended) break;  // its children may keep the pipe open
      if (ready > 0 && waits[1].revents) worker_.send(orders_);
      if (ready > 0 && waits[0].revents && !read_events()) break;
      check_limits();
    }
    if (todo_.empty()) return std::nullopt;
    const bool ended = worker_.reap([start = Clock::now()] { return Clock::now() - start > patience; });
    if (exit_.why.empty()) exit_.why = ended ? worker_.cause_of_death() : "it closed the result pipe and did not end";
    return exit_;
  }

 private:
  /// Returns false at the end of the pipe.
  bool read_events() {
    char part[PIPE_BUF];
    const auto got = ::read(worker_.events(), part, sizeof part);
    if (got <= 0) return got < 0 && errno == EINTR;
    if (distrusted_) return true;
    unread_.append(part, std::size_t(got));
    for (std::size_t end; !distrusted_ && (end = unread_.find('\n')) != unread_.npos; unread_.erase(0, end + 1))
      handle_message(unread_.substr(0, end));
    if (!distrusted_ && !begins_well(unread_)) distrust(unread_);
    return true;
  }

  /// A launcher writes its own words there, too: those without the secret count nothing (MPICH's of a rank that died).
  bool begins_well(std::string_view text) const {
    return worker_.launched() || worker_.secret().starts_with(text.substr(0, worker_.secret().size()));
  }

  /// Stops the worker: the pipe holds text from another writer. Nothing after it counts.
  void distrust(std::string_view text) {
    distrusted_ = true;
    stop(fmt::format("it wrote '{}' to the result pipe", one_line(text.substr(0, 60))));
  }

  void handle_message(const std::string& text) {
    if (!text.starts_with(worker_.secret())) {
      if (!worker_.launched()) distrust(text);
      return;
    }
    const std::string line = text.substr(worker_.secret().size());
    const auto space = line.find(' '), next = line.find(' ', space + 1);
    const std::string verb = line.substr(0, space), id = line.substr(space + 1, next - space - 1);
    if (verb == "start" && todo_.contains(id)) {
      exit_.in_flight = id;
      job_start_ = Clock::now();
      if (events_.started) events_.started(id);
    } else if (verb == "end" && todo_.erase(id) > 0) {
      if (exit_.in_flight == id) exit_.in_flight.clear();
      job_start_ = Clock::now();
      events_.ended(id, next == line.npos ? "" : line.substr(next + 1), "");
    } else if (verb == "crash") {
      stop(line.substr(space + 1));
    }
  }

  void check_limits() {
    if (stopped_) {
      if (Clock::now() - *stopped_ > patience) worker_.stop(true);
      return;
    }
    if (limits_.late()) return stop("out of time");
    const double allowed_s = exit_.in_flight.empty() ? longest_s_ : timeouts_s_.at(exit_.in_flight);
    if (seconds_since(job_start_) > allowed_s) return stop(fmt::format("no end after {:.3g} s; {} allows more", allowed_s, limits_.longer));
    if (limits_.memory_bytes > 0 && !worker_.launched() && worker_.resident_bytes() > limits_.memory_bytes)
      stop(fmt::format("it took more than {:.3g} GiB of memory; --memory allows more", limits_.memory_bytes / (1 << 30)));
  }

  void stop(const std::string& why) {
    exit_.why = why;
    if (!stopped_) stopped_ = Clock::now();
    worker_.stop(false);
  }

  WorkerProcess& worker_;
  std::set<std::string>& todo_;
  const WorkerLimits& limits_;
  const JobEvents& events_;
  std::unordered_map<std::string, double> timeouts_s_;  // by the job's id
  double longest_s_ = 0;
  std::string orders_, unread_;  // not yet sent; not yet a whole line
  WorkerExit exit_;
  Clock::time_point job_start_ = Clock::now();
  std::optional<Clock::time_point> stopped_;
  bool distrusted_ = false;
};

}  // namespace

WorkerLimits WorkerLimits::of(double asked_bytes) {
  return {.memory_bytes = asked_bytes > 0 ? asked_bytes : 0.95 * double(memory::available_bytes())};
}

struct Workers::State {
  std::vector<std::string> argv, launcher;
  WorkerLimits limits;
  Interruptible interruptible = {};
  std::optional<WorkerProcess> worker = {};
  bool idle = true;      // false also after an exception of an event
  double longest_s = 0;  // time limit of any job so far
};

Workers::Workers(std::vector<std::string> argv, WorkerLimits limits, std::vector<std::string> launcher)
    : state_(new State{std::move(argv), std::move(launcher), limits}) {
  choose_wait_policy();
  openblas::choose_for_workers();
}

Workers::~Workers() {
  if (!state_->worker) return;
  state_->worker->reap([&, start = Clock::now()] { return seconds_since(start) > state_->longest_s || interrupted || !state_->idle; });
}

std::vector<std::string> Workers::run(const std::vector<Job>& jobs, const JobEvents& events) {
  state_->idle = false;
  std::set<std::string> todo;
  for (const auto& job : jobs) {
    todo.insert(job.id);
    state_->longest_s = std::max(state_->longest_s, job.timeout_s);
  }
  for (int idle = 0; !todo.empty() && !interrupted;) {
    const auto before = todo.size();
    if (!state_->worker) state_->worker.emplace(state_->argv, state_->launcher);
    const auto ended = WorkerMonitor(*state_->worker, jobs, todo, state_->limits, events).run();
    if (!ended) break;
    state_->worker.reset();
    if (interrupted || state_->limits.late()) break;
    if (!ended->in_flight.empty()) {
      todo.erase(ended->in_flight);
      events.ended(ended->in_flight, "", ended->why);
    }
    idle = todo.size() == before ? idle + 1 : 0;
    if (idle < tries_without_progress) continue;
    for (const auto& id : std::exchange(todo, {}))
      events.ended(id, "", fmt::format("{} workers did not begin with it; of the last: {}", idle, ended->why));
  }
  state_->idle = true;
  return {todo.begin(), todo.end()};
}

}  // namespace km
