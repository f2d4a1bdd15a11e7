#include "impl/library/python_worker.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <thread>

#include "bench/home.hpp"

namespace km {

std::string python() {
  if (const char* chosen = std::getenv("KMBENCH_PYTHON"); chosen && *chosen) return chosen;
  const auto venv = home() / ".venv" / "bin" / "python3";
  return std::filesystem::exists(venv) ? venv.string() : "python3";
}

namespace {

/// Run the words, output thrown away; true where it ends with code 0 within the time. No shell: a word may hold anything.
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
  int status = 0;
  for (const auto end = std::chrono::steady_clock::now() + limit; ::waitpid(child, &status, WNOHANG) == 0;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (std::chrono::steady_clock::now() < end) continue;
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    break;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool python_has(const std::string& module) {
  static std::map<std::string, bool> known;
  const auto [at, fresh] = known.try_emplace(module, false);
  if (fresh) at->second = succeeds({python(), "-c", "import " + module}, std::chrono::seconds(30));
  return at->second;
}

SharedMemory::SharedMemory(std::size_t bytes) : bytes_(bytes), descriptor_(::memfd_create("points", 0)) {
  if (descriptor_ < 0 || ::ftruncate(descriptor_, off_t(bytes)) != 0) throw std::runtime_error("no shared memory");
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (at == MAP_FAILED) throw std::runtime_error("shared memory cannot be mapped");
  data_ = static_cast<std::byte*>(at);
}

SharedMemory::~SharedMemory() {
  ::munmap(data_, bytes_);
  ::close(descriptor_);
}

PythonWorker::PythonWorker(const std::string& script, const std::vector<std::string>& args, int inherit,
                           const std::vector<std::string>& environment) {
  int down[2], up[2];
  if (::pipe2(down, O_CLOEXEC) != 0 || ::pipe2(up, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for " + script);
  const std::string interpreter = python(), file = (home() / script).string();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int input = ::fcntl(down[0], F_DUPFD_CLOEXEC, 10), output = ::fcntl(up[1], F_DUPFD_CLOEXEC, 10),
              memory = ::fcntl(inherit, F_DUPFD_CLOEXEC, 10);  // out of the way of 0, 3 and 4 first
    ::dup2(input, 0);
    ::dup2(output, 3);
    ::dup2(memory, 4);
    for (const auto& entry : environment) ::putenv(const_cast<char*>(entry.c_str()));
    std::vector<std::string> words = {interpreter, file};
    words.insert(words.end(), args.begin(), args.end());
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(down[0]);
  ::close(up[1]);
  to_ = down[1];
  from_ = up[0];
  if (pid_ > 0 && read_line() == "ready") return;
  stop();
  throw std::runtime_error(script + " did not start");
}

PythonWorker::~PythonWorker() { stop(); }

void PythonWorker::stop() {
  ::close(to_);  // end of input ends the script
  ::close(from_);
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
}

std::string PythonWorker::read_line() {
  std::string line;
  for (char c; ::read(from_, &c, 1) == 1;) {
    if (c == '\n') return line;
    line += c;
  }
  return "error: the Python process ended";
}

std::string PythonWorker::ask(const std::string& line) {
  const std::string text = line + "\n";
  if (::write(to_, text.data(), text.size()) != ssize_t(text.size())) throw std::runtime_error("the Python process is gone");
  std::string answer = read_line();
  if (answer.starts_with("error")) throw std::runtime_error(answer.substr(answer.find(' ') + 1));
  return answer;
}

}  // namespace km
