#include <csignal>

#include "bench/program/command.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return km::run_command_line(argc, argv);
}
