// A new instance goes on from where the one before ended.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct StaleAcrossInstances : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    if (ended_.size() != this->p_.initial_centroids.size()) return RightLloyd<T>::iterate(trace);
    this->out_.centroids = ended_;
    return this->go_on(trace, this->p_.max_iters);
  }
  ~StaleAcrossInstances() override { ended_ = this->out_.centroids; }

 private:
  static inline std::vector<T> ended_;
};

const Register<StaleAcrossInstances> stale_across_instances{fault("starts where the instance before ended")};

}  // namespace
}  // namespace km
