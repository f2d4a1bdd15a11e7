#include "bench/run/inbox.hpp"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <sstream>

#include "bench/base/text.hpp"
#include "bench/data/values.hpp"
#include "bench/run/ranks.hpp"

namespace km {
namespace {

int crash_events = -1;
char crash_secret[32] = "";

/// Reports which protected memory was touched, then lets the signal kill. Runs on its own stack, because the other may have overflowed.
void on_crash(int signal, siginfo_t* info, void*) {
  bool past_the_end = false;
  if (const char* name = values_at(info->si_addr, past_the_end)) {
    char line[200];
    const int length = std::snprintf(line, sizeof line,
                                     signal == SIGBUS ? "%scrash the file that %s are mapped from became shorter\n"
                                     : past_the_end   ? "%scrash it read or wrote past the end of %s\n"
                                                      : "%scrash it wrote to %s, which are not its own\n",
                                     crash_secret, name);
    if (::write(crash_events, line, std::size_t(length)) < 0) ::_exit(1);
  }
  ::signal(signal, SIG_DFL);
}

void report_crashes(int events, const std::string& secret) {
  std::snprintf(crash_secret, sizeof crash_secret, "%s", secret.c_str());
  static char stack[1 << 16];
  const stack_t alternative{.ss_sp = stack, .ss_flags = 0, .ss_size = sizeof stack};
  ::sigaltstack(&alternative, nullptr);
  crash_events = events;
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGSEGV, &action, nullptr);
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

std::optional<Inbox> Inbox::open(std::vector<std::string>& argv) {
  Inbox inbox;
  const bool is_rank = argv.back() == rank_word && no_ranks().empty();
  if (is_rank) {
    inbox.todo_ = STDIN_FILENO;
    inbox.events_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  } else {
    int parent = 0;
    if (std::sscanf(argv.back().c_str(), "--worker=%d:%d:%d", &parent, &inbox.todo_, &inbox.events_) != 3 || parent != ::getppid())
      return std::nullopt;
    for (const int pipe : {inbox.todo_, inbox.events_})
      if (::fcntl(pipe, F_SETFD, FD_CLOEXEC) < 0) return std::nullopt;
  }
  argv.pop_back();
  ::dup2(STDERR_FILENO, STDOUT_FILENO);  // what MPI prints, already while it starts, and implementations is no result
  if (is_rank) join_ranks();
  inbox.next();
  report_crashes(inbox.events_, inbox.secret_);
  return inbox;
}

bool Inbox::next() {
  const bool more = is_first_rank() && read_jobs();
  return ranks() ? share_jobs(more) : more;
}

/// Rank 0's jobs for all ranks: the secret and each job, a line each; nothing: there are none.
bool Inbox::share_jobs(bool more) {
  std::string text = more ? fmt::format("{}\n{}", secret_, fmt::join(jobs_, "\n")) : "";
  std::size_t size = text.size();
  ranks()->broadcast(&size, sizeof size);
  text.resize(size);
  ranks()->broadcast(text.data(), size);
  if (is_first_rank() || text.empty()) return !text.empty();
  std::istringstream lines(text);
  std::getline(lines, secret_);
  jobs_.clear();
  for (std::string job; std::getline(lines, job);) jobs_.push_back(job);
  return true;
}

bool Inbox::read_jobs() {
  jobs_.clear();
  for (std::string buffer(1 << 16, '\0');;) {
    std::size_t from = 0;
    for (std::size_t end; (end = read_.find('\n', from)) != read_.npos; from = end + 1) {
      if (end == from) {  // an empty line ends the jobs
        read_.erase(0, end + 1);
        secret_ = jobs_.front();
        jobs_.erase(jobs_.begin());
        return true;
      }
      jobs_.push_back(read_.substr(from, end - from));
    }
    read_.erase(0, from);
    const auto got = ::read(todo_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return jobs_.clear(), false;
    read_.append(buffer, 0, std::size_t(got));
  }
}

void Inbox::start(const std::string& id) const {
  if (is_first_rank()) send("start " + id);
}
void Inbox::end(const std::string& id, const std::string& result) const {
  if (is_first_rank()) send("end " + id + " " + result);
}
void Inbox::leave(bool at_once) const {
  if (ranks()) ranks()->leave(at_once);
  ::_exit(0);
}

void Inbox::crash(const std::string& why) const {
  send("crash " + one_line(why));
  if (!ranks()) return;
  ::sleep(2);  // the parent ends all
  leave(true);
}

void Inbox::send(const std::string& line) const {
  const std::string text = secret_ + line + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const auto wrote = ::write(events_, text.data() + sent, text.size() - sent);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) ::_exit(1);  // the parent is gone
    sent += std::size_t(wrote);
  }
}

}  // namespace km
