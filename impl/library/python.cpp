#include "impl/library/python.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>
#include <thread>
#include <vector>

#include "bench/base/home.hpp"

namespace km {

namespace {

constexpr const char* find = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)";
constexpr const char* import_and_look = "import importlib, sys; getattr(importlib.import_module(sys.argv[1]), sys.argv[2])";

/// Runs the words without a shell and discards the output. Returns true if it exits with code 0 within the limit.
bool succeeds(std::vector<std::string> words, std::chrono::seconds limit) {
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  for (const int output : {1, 2}) ::posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (failed) return false;
  int status = -1;  // stays so where SIGCHLD is ignored
  for (const auto end = std::chrono::steady_clock::now() + limit; ::waitpid(child, &status, WNOHANG) == 0;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (std::chrono::steady_clock::now() < end) continue;
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    break;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Words that start so many processes. Open MPI would bind one or two ranks to a core each.
std::vector<std::string> launcher(const std::string& ranks) {
  const char* own = std::getenv("KMBENCH_MPIRUN");
  std::istringstream words((own ? own : "mpirun --oversubscribe --bind-to none") + (" -n " + ranks));
  return {std::istream_iterator<std::string>(words), {}};
}

}  // namespace

bool python_has(const std::string& module, const std::string& attribute) {
  static std::map<std::pair<std::string, std::string>, bool> known;
  const auto [at, fresh] = known.try_emplace({module, attribute}, false);
  if (fresh) at->second = succeeds({python(), "-c", attribute.empty() ? find : import_and_look, module, attribute}, std::chrono::seconds(30));
  return at->second;
}

std::string not_installed(const std::string& library) { return library + " is not installed for " + python(); }

Command python_command(const std::string& script, std::vector<std::string> args, std::vector<std::string> environment) {
  args.insert(args.begin(), {python(), (home() / "impl/library" / script).string()});
  return {std::move(args), std::move(environment), true};
}

Command ranks_command(const std::string& script, std::int64_t ranks) {
  Command command = python_command(script, {std::to_string(ranks)});
  const auto words = launcher(std::to_string(ranks));
  command.words.insert(command.words.begin(), words.begin(), words.end());
  return command;
}

std::string unlaunched() {
  auto words = launcher("1");
  std::string said;
  for (const auto& word : words) said += word + " ";
  words.push_back("true");
  return runs(words) ? "" : said + "starts nothing; KMBENCH_MPIRUN may have the words that start ranks of MPI";
}

bool runs(const std::vector<std::string>& words) {
  static std::map<std::vector<std::string>, bool> known;
  const auto [at, fresh] = known.try_emplace(words, false);
  if (fresh) at->second = succeeds(words, std::chrono::seconds(30));
  return at->second;
}

}  // namespace km
