// A loop without end, deaf to requests to stop.
#include <csignal>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct WorksForEver : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace&) {
    for (const int signal : {SIGTERM, SIGINT, SIGALRM, SIGXCPU, SIGHUP, SIGUSR1}) std::signal(signal, SIG_IGN);
    volatile int forever = 1;
    while (forever != 0) {}
    return 0;
  }
};

const Register<WorksForEver> works_for_ever{fault("never ends and ignores signals")};

}  // namespace
}  // namespace km
