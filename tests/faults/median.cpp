// k-medians.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct Median : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void update() override {
    RightLloyd<T>::update();
    std::vector<T> values;
    for (int c = 0; c < this->p_.k; ++c)
      for (int j = 0; j<this->p_.d&& this->counts_[c]> 0; ++j) {
        values.clear();
        for (std::int64_t i = 0; i < this->p_.n; ++i)
          if (this->out_.labels[i] == c) values.push_back(T(this->x(i, j)));
        std::ranges::nth_element(values, values.begin() + values.size() / 2);
        this->at(c, j) = values[values.size() / 2];
      }
  }
};

const Register<Median> median{fault("takes the median for the mean")};

}  // namespace
}  // namespace km
