// The parent's side: starts workers, hands them jobs, holds them to their limits. The worker's side: jobs from the parent, results and crash reports.
#include "bench/run/workers.hpp"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "bench/base/openblas.hpp"
#include "bench/base/text.hpp"
#include "bench/data/values.hpp"
#include "bench/machine/cpu.hpp"
#include "bench/machine/memory.hpp"
#include "bench/machine/wait_policy.hpp"
#include "bench/run/inbox.hpp"
#include "bench/run/timing.hpp"

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

struct Worker {
  pid_t pid;
  int todo;            // to the worker: a socket, because writing to a dead worker raises no signal there
  int events;          // pipe from the worker
  std::string secret;  // precedes each of its lines; other writers to the pipe do not know it
  bool launched;       // a launcher: its ranks are processes of their own, and end when it does
};

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds launcher_patience(3);  // to end its ranks

std::string new_secret() {
  std::random_device random;
  return fmt::format("{:08x}{:08x} ", random(), random());
}

/// The words that start a worker: this program with --worker, which tells it its parent and pipes, or that it is a rank.
std::vector<std::string> words_of_worker(const std::vector<std::string>& args, const std::vector<std::string>& launcher, const std::string& pipes) {
  std::vector<std::string> words = launcher;
  words.insert(words.end(), args.begin(), args.end());
  if (!launcher.empty()) words[launcher.size()] = std::filesystem::read_symlink("/proc/self/exe");
  words.push_back(launcher.empty() ? "--worker=" + pipes : rank_word);
  return words;
}

Worker start_worker(const std::vector<std::string>& args, const std::vector<std::string>& launcher) {
  int to[2], from[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, to) != 0 || ::pipe(from) != 0) throw std::runtime_error("no pipe for a worker");
  const pid_t parent = ::getpid();
  std::vector<std::string> words = words_of_worker(args, launcher, fmt::format("{}:{}:{}", parent, to[0], from[1]));  // as Inbox::open reads it
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, launcher.empty() ? SIGKILL : SIGTERM);  // the worker dies with its parent
    if (::getppid() != parent) ::_exit(1);
    ::setpgid(0, 0);  // Ctrl-C goes to the parent only
    ::close(to[1]);
    ::close(from[0]);
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    if (launcher.empty()) ::execv("/proc/self/exe", argv.data());
    ::dup2(to[0], STDIN_FILENO);
    ::dup2(from[1], STDOUT_FILENO);
    ::close(to[0]);
    ::close(from[1]);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(to[0]);
  ::close(from[1]);
  if (pid < 0) {
    ::close(to[1]);
    ::close(from[0]);
    throw std::runtime_error(fmt::format("no worker process: {}", std::strerror(errno)));
  }
  return {pid, to[1], from[0], new_secret(), !launcher.empty()};
}

/// Ends a worker: a launcher gets the time to end its ranks.
void end_worker(const Worker& worker, bool at_once) {
  const int signal = worker.launched && !at_once ? SIGTERM : SIGKILL;
  ::kill(-worker.pid, signal);
  ::kill(worker.pid, signal);
}

/// Waits for the worker's end, and for its children's. A launcher that does not end in time is killed, and its ranks die with it.
void reap(const Worker& worker, int& status) {
  const auto start = Clock::now();
  while (worker.launched && ::waitpid(worker.pid, &status, WNOHANG) == 0) {
    if (Clock::now() - start > launcher_patience) end_worker(worker, true);
    ::usleep(1000);
  }
  while (::waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {  // retry if interrupted; it may have been reaped above
  }
  ::kill(-worker.pid, SIGKILL);
}

/// Sends the worker's secret, the data of the jobs with these ids, a line each, and an empty line.
void send_jobs(const Worker& worker, const std::vector<Job>& jobs, const std::vector<std::string>& ids) {
  const std::set<std::string> wanted(ids.begin(), ids.end());
  std::string text = worker.secret + "\n";
  for (const auto& job : jobs)
    if (wanted.contains(job.id)) text += job.data + "\n";
  text += "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const auto wrote = ::send(worker.todo, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (wrote < 0 && errno == EINTR && !interrupted) continue;
    if (wrote <= 0) break;
    sent += std::size_t(wrote);
  }
}

/// Returns resident memory without pages of mapped files, which the kernel can reclaim.
double resident_bytes(pid_t pid) {
  const std::string status = fmt::format("/proc/{}/status", pid);
  double kilobytes = 0;
  for (const char* key : {"RssAnon:", "RssShmem:"}) kilobytes += std::strtod(rest_of_line(status, key).c_str(), nullptr);
  return kilobytes * 1024;
}

/// A launcher ends with 128 + the signal of the rank that died.
std::string cause_of_death(int status, bool launched) {
  if (launched && WIFEXITED(status) && WEXITSTATUS(status) == 127) return "the launcher was not found, or did not find this program";
  if (launched && WIFEXITED(status) && WEXITSTATUS(status) > 128)
    return fmt::format("a rank died of signal {} ({})", WEXITSTATUS(status) - 128, ::strsignal(WEXITSTATUS(status) - 128));
  if (launched && WIFEXITED(status)) return fmt::format("the launcher ended with exit code {} in the middle", WEXITSTATUS(status));
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("the worker process died of signal {} ({}){}", signal, ::strsignal(signal),
                       signal == SIGKILL  ? ": out of memory?"
                       : signal == SIGBUS ? ": a file it reads became shorter?"
                                          : "");
  }
  return fmt::format("the worker process ended with exit code {} in the middle", WEXITSTATUS(status));
}

struct WorkerExit {
  std::string in_flight;  // the unfinished job, or ""
  std::string why;        // its own crash report, the limit it exceeded, or ""
  int status = 0;
};

class WorkerMonitor {
 public:
  WorkerMonitor(const Worker& worker, const std::vector<Job>& jobs, std::vector<std::string>& todo, const WorkerLimits& limits,
                const JobEvents& events)
      : worker_(worker), jobs_(jobs), todo_(todo), limits_(limits), events_(events) {}

  /// Runs the jobs in `todo`. Returns nothing once all have ended; the worker then waits for more.
  std::optional<WorkerExit> run() {
    std::string buffer(1 << 16, '\0'), pending;
    send_jobs(worker_, jobs_, todo_);
    job_start_ = Clock::now();
    while (!todo_.empty()) {
      pollfd wait{worker_.events, POLLIN, 0};
      const int ready = ::poll(&wait, 1, 100);
      if (interrupted && exit_.why.empty()) stop("interrupted");
      if (ready <= 0) {
        if (::waitpid(worker_.pid, &exit_.status, WNOHANG) == worker_.pid) break;  // its children may keep the pipe open
        check_limits();
        continue;
      }
      const auto got = ::read(worker_.events, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      if (distrusted_) continue;
      pending.append(buffer, 0, std::size_t(got));
      for (std::size_t end; !distrusted_ && (end = pending.find('\n')) != pending.npos; pending.erase(0, end + 1))
        handle_message(pending.substr(0, end));
      if (!distrusted_ && !begins_well(pending)) distrust(pending);
      check_limits();
    }
    if (todo_.empty()) return std::nullopt;
    ::close(worker_.todo);
    ::close(worker_.events);
    reap(worker_, exit_.status);
    return exit_;
  }

 private:
  bool begins_well(std::string_view text) const { return worker_.secret.starts_with(text.substr(0, worker_.secret.size())); }

  /// Stops the worker: the pipe holds text from another writer. Nothing after it counts.
  void distrust(std::string_view text) {
    distrusted_ = true;
    stop(fmt::format("it wrote '{}' to the result pipe", one_line(text.substr(0, 60))));
  }

  void handle_message(const std::string& text) {
    if (!text.starts_with(worker_.secret)) return distrust(text);
    const std::string line = text.substr(worker_.secret.size());
    const auto space = line.find(' '), next = line.find(' ', space + 1);
    const std::string verb = line.substr(0, space), id = line.substr(space + 1, next - space - 1);
    const bool known = std::ranges::find(todo_, id) != todo_.end();
    if (verb == "start" && known) {
      exit_.in_flight = id;
      job_start_ = Clock::now();
      if (events_.started) events_.started(id);
    } else if (verb == "end" && std::erase(todo_, id) > 0) {
      if (exit_.in_flight == id) exit_.in_flight.clear();
      job_start_ = Clock::now();
      events_.ended(id, next == line.npos ? "" : line.substr(next + 1), "");
    } else if (verb == "crash") {
      exit_.why = line.substr(space + 1);
      if (worker_.launched) stop(exit_.why);
    }
  }

  void check_limits() {
    if (stopped_ && Clock::now() - *stopped_ > launcher_patience) end_worker(worker_, true);
    if (!exit_.why.empty()) return;
    if (limits_.late()) return stop("out of time");
    double allowed_s = 0;
    for (const auto& job : jobs_)
      if (exit_.in_flight.empty() || job.id == exit_.in_flight) allowed_s = std::max(allowed_s, job.timeout_s);
    if (seconds_since(job_start_) > allowed_s) return stop(fmt::format("no end after {:.3g} s; --timeout allows more", allowed_s));
    if (limits_.memory_bytes > 0 && !worker_.launched && resident_bytes(worker_.pid) > limits_.memory_bytes)
      stop(fmt::format("it took more than {:.3g} GiB of memory; --memory allows more", limits_.memory_bytes / (1 << 30)));
  }

  void stop(const std::string& why) {
    exit_.why = why;
    if (!stopped_) stopped_ = Clock::now();
    end_worker(worker_, false);
  }

  const Worker& worker_;
  const std::vector<Job>& jobs_;
  std::vector<std::string>& todo_;
  const WorkerLimits& limits_;
  const JobEvents& events_;
  WorkerExit exit_;
  Clock::time_point job_start_;
  std::optional<Clock::time_point> stopped_;
  bool distrusted_ = false;
};

}  // namespace

WorkerLimits WorkerLimits::of(double asked_bytes) {
  return {.memory_bytes = asked_bytes > 0 ? asked_bytes : 0.95 * double(memory::available_bytes())};
}

struct Workers::State {
  State(std::vector<std::string> argv, WorkerLimits limits, std::vector<std::string> launcher)
      : argv(std::move(argv)), launcher(std::move(launcher)), limits(limits) {}

  std::vector<std::string> argv, launcher;
  WorkerLimits limits;
  Interruptible interruptible;
  std::optional<Worker> worker;
  bool idle = true;      // false also after an exception of an event
  double longest_s = 0;  // time limit of any job so far
};

Workers::Workers(std::vector<std::string> argv, WorkerLimits limits, std::vector<std::string> launcher)
    : state_(std::make_unique<State>(std::move(argv), limits, std::move(launcher))) {
  choose_wait_policy();
  openblas::choose_for_workers();
}

Workers::~Workers() {
  if (!state_->worker) return;
  const Worker worker = *state_->worker;
  ::close(worker.todo);
  const auto start = Clock::now();
  int status = 0;
  while (::waitpid(worker.pid, &status, WNOHANG) == 0) {
    const bool late = seconds_since(start) > state_->longest_s;
    if (late || interrupted || !state_->idle) {
      end_worker(worker, false);
      break;
    }
    ::usleep(1000);
  }
  reap(worker, status);
  ::close(worker.events);
}

std::vector<std::string> Workers::run(const std::vector<Job>& jobs, const JobEvents& events) {
  state_->idle = false;
  std::vector<std::string> todo;
  for (const auto& job : jobs) {
    todo.push_back(job.id);
    state_->longest_s = std::max(state_->longest_s, job.timeout_s);
  }
  for (int idle = 0; !todo.empty() && !interrupted;) {
    const auto before = todo.size();
    if (!state_->worker) state_->worker = start_worker(state_->argv, state_->launcher);
    const auto ended = WorkerMonitor(*state_->worker, jobs, todo, state_->limits, events).run();
    if (!ended) break;
    state_->worker.reset();
    if (interrupted || state_->limits.late()) break;
    const std::string why = ended->why.empty() ? cause_of_death(ended->status, !state_->launcher.empty()) : ended->why;
    if (!ended->in_flight.empty()) {
      std::erase(todo, ended->in_flight);
      events.ended(ended->in_flight, "", why);
    }
    idle = todo.size() == before ? idle + 1 : 0;
    if (idle < tries_without_progress) continue;
    for (const auto& id : std::exchange(todo, {})) events.ended(id, "", fmt::format("{} workers did not begin with it; of the last: {}", idle, why));
  }
  state_->idle = true;
  return todo;
}

}  // namespace km
