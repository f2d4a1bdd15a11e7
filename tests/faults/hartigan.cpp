// Hartigan's criterion, which weighs distances by cluster sizes: another algorithm, with a last iteration of Lloyd's.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct Hartigan : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  double distance(std::int64_t i, int c) const override {
    const double dist = RightLloyd<T>::distance(i, c);
    if (this->iter_ == 1 || this->last()) return dist;
    const double count = double(this->counts_[c]);
    return this->out_.labels[i] == c ? dist * count / std::max(1.0, count - 1) : dist * count / (count + 1);
  }
};

const Register<Hartigan> hartigan{fault("decides by Hartigan's criterion")};

}  // namespace
}  // namespace km
