#include "impl/library/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "bench/base/openblas.hpp"
#include "bench/base/text.hpp"
#include "bench/contract/library.hpp"
#include "bench/contract/reuse_scope.hpp"

namespace km {
namespace {

constexpr std::size_t longest_answer = 1 << 20;
constexpr auto farewell = std::chrono::seconds(5);

std::vector<std::unique_ptr<Worker>>& kept() {
  static std::vector<std::unique_ptr<Worker>> all;
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

/// Returns our environment with these entries added or replaced, and without the settings for this process's OpenBLAS.
std::vector<std::string> environment_with(const std::vector<std::string>& entries) {
  std::vector<std::string> all = entries;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry, name = text.substr(0, text.find('=') + 1);
    const bool replaced = std::ranges::any_of(entries, [&](const std::string& own) { return own.starts_with(name); });
    if (!replaced && !openblas::chosen_for_workers(text)) all.emplace_back(text);
  }
  return all;
}

}  // namespace

Worker::Worker() = default;

Worker::Worker(Command command) : Worker() {
  const auto start = std::chrono::steady_clock::now();
  command_ = std::move(command);
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("no socket for " + command_.words.front());
  auto words = command_.words, entries = environment_with(command_.environment);
  const auto argv = pointers(words), environment = pointers(entries);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(ends[1], 0);
    ::dup2(ends[1], 1);
    ::execvpe(argv[0], argv.data(), environment.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  socket_ = ends[0];
  if (pid_ < 0) fail("cannot be started");
  hello_ = std::make_unique<Json>(ask("hello", {{"protocol", 1}}));
  start_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Worker::~Worker() {
  if (well_) ::send(socket_, "{\"verb\":\"bye\"}\n", 15, MSG_NOSIGNAL);
  ::close(socket_);
  kept_processes.erase(pid_);
  if (pid_ <= 0) return;
  for (const auto end = std::chrono::steady_clock::now() + farewell; well_ && std::chrono::steady_clock::now() < end;) {
    if (::waitpid(pid_, nullptr, WNOHANG) != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

std::unique_ptr<Worker> Worker::get(const Command& command) {
  std::erase_if(kept(), [&](const auto& worker) { return worker->command_ != command; });
  if (kept().empty()) return std::make_unique<Worker>(command);
  auto worker = std::move(kept().back());
  kept().pop_back();
  kept_processes.erase(worker->pid_);
  worker->start_s_ = 0;
  return worker;
}

void Worker::put(std::unique_ptr<Worker> worker) {
  if (!worker || !worker->well_ || !(worker->command_.lasting || ReuseScope::active())) return;
  static const bool ends_with_scope = [] {
    ReuseScope::on_end([] { std::erase_if(kept(), [](const auto& left) { return !left->command_.lasting; }); });
    return true;
  }();
  static_cast<void>(ends_with_scope);
  try {
    worker->ask("forget", Json::object());
    if (worker->command_.lasting) kept_processes.insert(worker->pid_);
    kept().push_back(std::move(worker));
  } catch (const std::exception&) {  // end it instead
  }
}

Worker::Json Worker::ask(const std::string& verb, Json message) {
  message["verb"] = verb;
  const std::string text = message.dump() + "\n";
  if (::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) != ssize_t(text.size())) fail(fmt::format("{} in {}", ending(), verb));
  const std::string line = read_line(verb);
  Json answer = Json::parse(line, nullptr, false);
  if (!answer.is_object()) fail(fmt::format("answered '{}' to {}: no JSON object", one_line(line.substr(0, 200)), verb));
  if (const auto error = answer.find("error"); error != answer.end()) {
    well_ = false;
    throw std::runtime_error(one_line(error->is_string() ? error->get<std::string>() : error->dump()));
  }
  return answer;
}

std::string Worker::read_line(const std::string& verb) {
  for (std::size_t end; (end = unread_.find('\n')) == unread_.npos;) {
    if (unread_.size() > longest_answer) fail(fmt::format("answered more than a MiB to {}, without the end of a line", verb));
    char part[4096];
    const ssize_t got = ::recv(socket_, part, sizeof part, 0);
    if (got > 0) unread_.append(part, std::size_t(got));
    else if (got == 0 || errno != EINTR) fail(fmt::format("{} in {}", ending(), verb));
  }
  const auto end = unread_.find('\n');
  std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

/// Returns how it ended, after it closed its pipe.
std::string Worker::ending() {
  int status = 0;
  for (int tries = 0; tries < 1000; ++tries) {
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      return WIFSIGNALED(status) ? fmt::format("died of signal {}", WTERMSIG(status)) : fmt::format("ended with exit code {}", WEXITSTATUS(status));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return "closed its standard output";
}

void Worker::fail(const std::string& what) {
  well_ = false;
  std::string command;
  for (const auto& word : command_.words) command += (command.empty() ? "" : " ") + word;
  throw std::runtime_error(fmt::format("the program '{}' {}", one_line(command), what));
}

}  // namespace km
