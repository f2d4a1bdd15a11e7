#include "bench/run/worker_process.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>

#include "bench/base/proc.hpp"
#include "bench/run/inbox.hpp"

namespace km {
namespace {

using Clock = std::chrono::steady_clock;

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

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& args, const std::vector<std::string>& launcher)
    : secret_(new_secret()), launched_(!launcher.empty()) {
  int to[2], from[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, to) != 0) throw std::runtime_error(fmt::format("no socket for a worker: {}", std::strerror(errno)));
  orders_ = Descriptor(to[1]);
  Descriptor its_orders(to[0]);
  if (::pipe(from) != 0) throw std::runtime_error(fmt::format("no pipe for a worker: {}", std::strerror(errno)));
  events_ = Descriptor(from[0]);
  Descriptor its_events(from[1]);
  const pid_t parent = ::getpid();
  std::vector<std::string> words = words_of_worker(args, launcher, fmt::format("{}:{}:{}", parent, to[0], from[1]));  // as Inbox::open reads it
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, launched_ ? SIGTERM : SIGKILL);  // the worker dies with its parent
    if (::getppid() != parent) ::_exit(1);
    ::setpgid(0, 0);  // Ctrl-C goes to the parent only
    orders_.close();
    events_.close();
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    if (!launched_) ::execv("/proc/self/exe", argv.data());
    ::dup2(to[0], STDIN_FILENO);
    ::dup2(from[1], STDOUT_FILENO);
    its_orders.close();
    its_events.close();
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  if (pid_ < 0) throw std::runtime_error(fmt::format("no worker process: {}", std::strerror(errno)));
}

WorkerProcess::~WorkerProcess() {
  reap([] { return true; });
}

void WorkerProcess::send(std::string& text) const {
  const auto sent = ::send(orders(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) text.erase(0, std::size_t(sent));
  else if (errno != EINTR && errno != EAGAIN) text.clear();
}

void WorkerProcess::stop(bool at_once) const {
  if (ended_) return;
  const int signal = launched_ && !at_once ? SIGTERM : SIGKILL;
  ::kill(-pid_, signal);
  ::kill(pid_, signal);
}

bool WorkerProcess::has_ended() { return ended_ = ended_ || ::waitpid(pid_, &status_, WNOHANG) != 0; }

bool WorkerProcess::reap(const std::function<bool()>& impatient) {
  if (std::exchange(reaped_, true)) return true;
  orders_.close();  // no more will be sent
  bool stopped = false;
  for (auto start = Clock::now(); !has_ended(); ::usleep(1000)) {
    if (stopped && Clock::now() - start > patience) stop(true);
    if (stopped || !impatient()) continue;
    stop(false);
    stopped = true;
    start = Clock::now();
  }
  ::kill(-pid_, SIGKILL);
  return !stopped;
}

std::string WorkerProcess::cause_of_death() const {
  if (WIFSIGNALED(status_)) {
    const int signal = WTERMSIG(status_);
    return fmt::format("the worker process died of signal {} ({}){}", signal, ::strsignal(signal),
                       signal == SIGKILL  ? ": out of memory?"
                       : signal == SIGBUS ? ": a file it reads became shorter?"
                                          : "");
  }
  const int code = WEXITSTATUS(status_);
  if (!launched_) return fmt::format("the worker process ended with exit code {} in the middle", code);
  if (code == 127) return "the launcher was not found, or did not find this program";
  if (code > 128) return fmt::format("a rank died of signal {} ({})", code - 128, ::strsignal(code - 128));  // so launchers tell it
  return fmt::format("the launcher ended with exit code {} in the middle", code);
}

double WorkerProcess::resident_bytes() const {
  const std::string status = fmt::format("/proc/{}/status", pid_);
  double kilobytes = 0;
  for (const char* key : {"RssAnon:", "RssShmem:"}) kilobytes += std::strtod(rest_of_line(status, key).c_str(), nullptr);
  return kilobytes * 1024;
}

}  // namespace km
