#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "bench/program/command.hpp"

int main(int argc, char** argv) {
  static char buffer[1 << 20];  // so that a reader that stops early stops no command
  if (!::isatty(STDOUT_FILENO)) std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  std::signal(SIGPIPE, SIG_IGN);
  const int code = km::run_command_line(argc, argv);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  if (errno == EPIPE) return code;  // whoever reads has enough
  std::perror("kmbench: standard output");
  return 2;
}
