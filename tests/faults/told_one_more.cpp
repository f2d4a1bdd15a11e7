// Makes one iteration more than asked for, and says so.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ToldOneMore : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  int iterate(Trace& trace) { return this->make(trace, this->p_.max_iters + 1); }
};

const Register<ToldOneMore> told_one_more{fault("goes on for an iteration")};

}  // namespace
}  // namespace km
