// Stopped and continued in the middle of a run, as by a job scheduler.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct StopsItself : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
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
};

const Register<StopsItself> stops_itself{fault("stands still for 100 ms")};

}  // namespace
}  // namespace km
