// The process ends, the solver throws, or nothing comes back.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <thread>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

KM_BREAK(finish, ends_with_0, "calls exit(0)", .run = verdict::exit_code(0)) { std::exit(0); }

// Ends the process with the code by which the program refuses bad input.
KM_BREAK(finish, ends_with_2, "calls exit(2)", .run = verdict::exit_code(2)) { std::exit(2); }

KM_BREAK(finish, ends_with_3, "calls exit(3)", .run = verdict::exit_code(3)) { std::exit(3); }
KM_BREAK(finish, ends_at_once, "calls _exit(0)", .run = verdict::exit_code(0)) { ::_exit(0); }

// Ends with the code by which a worker asks for a new one.
KM_BREAK(finish, exits_75, "calls _exit(75)", .run = verdict::exit_code(75)) { ::_exit(75); }

KM_BREAK(finish, aborts, "calls abort", .run = verdict::signal(6)) { std::abort(); }

KM_BREAK(iterate, crash, "dies of SIGSEGV", .run = verdict::signal(11)) {
  std::signal(SIGSEGV, SIG_DFL);  // past a sanitizer's handler
  return std::raise(SIGSEGV);
}

KM_BREAK(iterate, killed, "dies of SIGKILL", .run = verdict::signal(9)) { return std::raise(SIGKILL); }

struct KM_FAULT(stack_overflow, "overflows the stack", .run = verdict::signal(11)) {
  int iterate(Trace&) { return deeper(this->p_.max_iters); }
  static int deeper(int level) {
    volatile char frame[4096];
    frame[level % 4096] = char(level);
    return level < 0 ? 0 : deeper(level + 1) + frame[level % 4096];
  }
};

KM_BREAK(iterate, throws, "throws", .run = "^the solver gave up$") { throw std::runtime_error("the solver gave up"); }
KM_BREAK(prepare, throws_when_prepared, "throws in prepare", .run = "^no memory for the tree$") {
  throw std::runtime_error("no memory for the tree");
}
KM_BREAK(download, throws_in_download, "throws in download", .run = "^nothing to hand back$") { throw std::runtime_error("nothing to hand back"); }
KM_BREAK(iterate, throws_a_number, "throws 7", .run = "^it threw something other than a std::exception$") { throw 7; }

struct KM_FAULT(throws_when_asked,
                (Description{
                    .summary = "throws where it should say why it cannot run",
                    .unsupported = [](const ProblemShape&, const Config&, int) -> std::string { throw std::runtime_error("cannot say"); },
                }),
                .run = "cannot say") {};

KM_BREAK(iterate, throws_in_a_thread, "throws in a thread of its own", .run = verdict::signal(6)) {
  std::thread([] { throw 7; }).join();
  return this->p_.max_iters;
}

KM_BREAK(iterate, out_of_memory, "runs out of memory", .run = "^out of memory$") { throw std::bad_alloc(); }

// Takes 4 GiB, not more, so that a test of it harms nobody; then gives the right answer.
struct KM_FAULT(takes_all_memory, "takes 4 GiB", .run = "^it took more than 1 GiB of memory", .on = "1 GiB", .check = "") {
  int iterate(Trace& trace) {
    for (int block = 0; block < 64; ++block) blocks_.emplace_back(std::size_t(64) << 20, char(1));
    return RightLloyd<T>::iterate(trace);
  }
  std::vector<std::vector<char>> blocks_;
};

KM_BREAK(iterate, sleeps_for_ever, "never comes back", .run = verdict::endless, .on = "1 s") {
  for (;;) ::pause();
}

KM_BREAK(iterate, works_for_ever, "never ends and ignores signals", .run = verdict::endless, .on = "1 s") {
  for (const int signal : {SIGTERM, SIGINT, SIGALRM, SIGXCPU, SIGHUP, SIGUSR1}) std::signal(signal, SIG_IGN);
  volatile int forever = 1;
  while (forever != 0) {}
  return 0;
}

KM_BREAK(iterate, closes_its_pipes, "closes all descriptors and never comes back", .run = "^it closed the result pipe and did not end$") {
  ::close_range(3, ~0U, 0);
  for (;;) ::pause();
}
KM_BREAK(prepare, never_prepared, "never comes back from prepare", .run = verdict::endless, .on = "1 s") {
  for (;;) ::pause();
}

struct KM_FAULT(never_freed, "never comes back from its destructor", .run = verdict::endless, .on = "1 s") {
  ~never_freed() override {
    for (;;) ::pause();
  }
};

KM_BREAK(iterate, stops_for_good, "stops itself", .run = verdict::endless, .on = "1 s") {
  std::raise(SIGSTOP);
  return RightLloyd<T>::iterate(trace);
}

KM_BREAK(iterate, stops_itself, "stands still for 100 ms", .run = "^the process was stopped from outside", .check = "") {
  const pid_t self = ::getpid(), child = ::fork();
  if (child == 0) {
    ::usleep(100'000);
    ::kill(self, SIGCONT);
    ::_exit(0);
  }
  std::raise(SIGSTOP);
  ::waitpid(child, nullptr, 0);
  return RightLloyd<T>::iterate(trace);
}

}  // namespace
}  // namespace km
