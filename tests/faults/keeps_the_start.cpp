// Copies the initial centroids in prepare and never looks at them again.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct KeepsTheStart : RightLloyd<T> {
  KeepsTheStart(const Problem<T>& problem, const Config& config, Trace& trace)
      : RightLloyd<T>(problem, config, trace), start_(problem.initial_centroids.begin(), problem.initial_centroids.end()) {
    this->p_.initial_centroids = start_;
  }

 private:
  std::vector<T> start_;
};

const Register<KeepsTheStart> keeps_the_start{fault("keeps the start it was prepared with")};

}  // namespace
}  // namespace km
