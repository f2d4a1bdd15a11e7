// Sums kept from one iteration to the next: points that come are added, those that go are not taken away.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct OnlyJoiners : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  std::int64_t assign() override {
    before_ = this->out_.labels;
    return RightLloyd<T>::assign();
  }
  void update() override {
    if (this->iter_ == 1) {
      sums_.assign(this->out_.centroids.size(), 0);
      counts_.assign(this->p_.k, 0);
    }
    for (std::int64_t i = 0; i < this->p_.n; ++i) {
      const int c = this->out_.labels[i];
      if (c == before_[i]) continue;
      ++counts_[c];
      for (int j = 0; j < this->p_.d; ++j) sums_[std::size_t(c) * this->p_.d + j] += this->x(i, j);
    }
    for (std::size_t cell = 0; cell < sums_.size(); ++cell)
      if (const auto count = counts_[cell / this->p_.d]; count > 0) this->out_.centroids[cell] = T(sums_[cell] / double(count));
  }

 private:
  std::vector<std::int32_t> before_;
  std::vector<std::int64_t> counts_;
  std::vector<double> sums_;
};

const Register<OnlyJoiners> only_joiners{fault("forgets points that left a cluster")};

}  // namespace
}  // namespace km
