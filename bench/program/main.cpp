#include <csignal>
#include <cstdio>

#include "bench/program/command.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const int code = km::run_command_line(argc, argv);
  if (std::fflush(stdout) == 0 || code != 0) return code;
  std::perror("kmbench: standard output");
  return 1;
}
