#include "bench/base/ask.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>

namespace km {

std::string answer_of_child(const std::function<std::string()>& ask) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("there is no pipe to ask it");
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      const std::string text = ask() + "\n";  // an empty answer is valid
      ::_exit(::write(ends[1], text.data(), std::min<std::size_t>(text.size(), 4000)) < 0);
    } catch (...) {
      ::_exit(1);
    }
  }
  ::close(ends[1]);
  std::array<char, 4096> text;
  pollfd wait{ends[0], POLLIN, 0};
  const bool in_time = child > 0 && ::poll(&wait, 1, 10'000) > 0;
  const auto size = in_time ? ::read(ends[0], text.data(), text.size()) : 0;
  ::close(ends[0]);
  if (child < 0) throw std::runtime_error("there is no process to ask it");
  ::kill(child, SIGKILL);  // a child that ends already keeps its own status
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (size > 0) return {text.data(), std::size_t(size) - (text[std::size_t(size) - 1] == '\n')};
  if (!in_time) throw std::runtime_error("it did not answer within 10 s");
  if (WIFSIGNALED(status)) throw std::runtime_error(fmt::format("it died of signal {}", WTERMSIG(status)));
  throw std::runtime_error(fmt::format("it ended with exit code {}", WEXITSTATUS(status)));
}

}  // namespace km
