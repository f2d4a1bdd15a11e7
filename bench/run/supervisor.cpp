#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>

#include "bench/error.hpp"
#include "bench/run/run.hpp"

namespace km {
namespace {

struct Worker {
  pid_t pid;
  int events;  // what it tells us
};

/// This program again, with the same arguments and the two ends of our pipes.
Worker start_worker(const RunOptions& options, const std::set<std::string>& todo) {
  int to[2], from[2];
  if (::pipe(to) != 0 || ::pipe(from) != 0) throw std::runtime_error("no pipe for a worker");
  const pid_t parent = ::getpid(), pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a killed parent takes its worker along
    if (::getppid() != parent) ::_exit(1);
    ::close(to[1]);
    ::close(from[0]);
    std::vector<std::string> args = options.argv;
    args.push_back(fmt::format("--worker={},{}", to[0], from[1]));
    std::vector<char*> argv;
    for (auto& arg : args) argv.push_back(arg.data());
    argv.push_back(nullptr);
    ::execv("/proc/self/exe", argv.data());
    ::_exit(127);
  }
  ::close(to[0]);
  ::close(from[1]);
  std::string ids;
  for (const auto& id : todo) ids += id + "\n";
  for (std::size_t sent = 0; pid > 0 && sent < ids.size();) {
    const auto wrote = ::write(to[1], ids.data() + sent, ids.size() - sent);
    if (wrote <= 0) break;
    sent += std::size_t(wrote);
  }
  ::close(to[1]);
  return {pid, from[0]};
}

/// Read a worker's events until it ends; erases finished cases from todo. The skeleton of the case in flight, or null.
Json follow(const Worker& worker, std::set<std::string>& todo) {
  Json in_flight;
  std::string buffer(1 << 16, '\0'), pending;
  for (ssize_t got; (got = ::read(worker.events, buffer.data(), buffer.size())) != 0;) {
    if (got < 0) {
      if (errno == EINTR) continue;
      break;
    }
    pending.append(buffer, 0, std::size_t(got));
    for (std::size_t end; (end = pending.find('\n')) != pending.npos; pending.erase(0, end + 1)) {
      const std::string line = pending.substr(0, end);
      if (line.starts_with("start ")) in_flight = Json::parse(line.substr(6));
      if (line.starts_with("end ")) {
        todo.erase(line.substr(4));
        if (in_flight.is_object() && in_flight["case"] == line.substr(4)) in_flight = nullptr;
      }
    }
  }
  ::close(worker.events);
  return in_flight;
}

std::string cause_of_death(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("the worker process died of signal {} ({}){}", signal, ::strsignal(signal),
                       signal == SIGKILL ? ": out of memory?" : "");
  }
  return fmt::format("the worker process ended with exit code {}", WEXITSTATUS(status));
}

/// Two runs at once would spoil each other's times and lines.
int lock(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const int file = ::open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) throw UserError(fmt::format("cannot write to {}", folder.string()));
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) throw UserError(fmt::format("another kmbench is writing to {}; wait for it, or choose --out", folder.string()));
  return file;
}

}  // namespace

std::filesystem::path result_path(const RunOptions& options, const Case& c) {
  return options.out / (c.exhibit.empty() ? "adhoc.jsonl" : c.exhibit.substr(0, c.exhibit.find('/')) + ".jsonl");
}

int supervise(const std::vector<Case>& cases, const RunOptions& options) {
  const int locked = lock(options.out);
  std::map<std::filesystem::path, std::vector<std::string>> files;
  std::set<std::string> todo;
  for (const auto& c : cases) files[result_path(options, c)].push_back(c.id());
  for (const auto& [path, ids] : files) {
    const ResultFile file(path);
    const auto finished = options.redo ? std::set<std::string>{} : file.finished();
    for (const auto& id : ids)
      if (!finished.contains(id)) todo.insert(id);
  }
  if (const auto done = cases.size() - todo.size(); done > 0) fmt::print(stderr, "{} of {} cases have results already (--redo runs them again)\n", done, cases.size());
  for (const auto& c : cases)
    if (!c.skip.empty() && todo.erase(c.id())) {
      const ResultFile file(result_path(options, c));
      const auto before = file.lines({c.id()});
      if (before.empty() || before.front()["skip"] != c.skip) file.append(skeleton(c, options.argv, options.machine));
    }
  while (!todo.empty()) {
    const auto before = todo.size();
    const Worker worker = start_worker(options, todo);
    const Json in_flight = follow(worker, todo);
    int status = 0;
    ::waitpid(worker.pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;  // done; what is left was filtered out by Google Benchmark's flags
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2) return 2;  // it said why
    if (in_flight.is_object()) {
      Json line = in_flight;
      line["failure"] = cause_of_death(status);
      const auto at = std::ranges::find(cases, line["case"].get<std::string>(), &Case::id);
      ResultFile(result_path(options, *at)).append(line);
      fmt::print(stderr, "{}: failed: {}\n", at->name(), line["failure"].get<std::string>());
      todo.erase(line["case"].get<std::string>());
    } else if (todo.size() == before) {
      throw std::runtime_error(cause_of_death(status) + " before its first case");
    }
  }
  std::vector<Json> lines;
  for (const auto& [path, ids] : files)
    for (auto& line : ResultFile(path).lines(ids)) lines.push_back(std::move(line));
  const bool json = std::ranges::find(options.benchmark_args, "--benchmark_format=json") != options.benchmark_args.end();
  if (json) fmt::print("{}\n", to_google_benchmark(lines).dump(2));
  std::FILE* text = json ? stderr : stdout;
  fmt::print(text, "{}", summary_table(lines));
  for (const auto& [path, ids] : files) fmt::print(text, "{} lines of this plan in {}\n", ids.size(), path.string());
  for (const std::string_view flag = "--benchmark_out="; const auto& arg : options.benchmark_args)
    if (arg.starts_with(flag) && !(std::ofstream(arg.substr(flag.size())) << to_google_benchmark(lines).dump(2) << "\n"))
      throw UserError("cannot write " + arg.substr(flag.size()));
  ::close(locked);
  return std::ranges::any_of(lines, [](const Json& line) { return line["failure"].is_string() || (line["verdict"].is_string() && line["verdict"] != ""); });
}

}  // namespace km
