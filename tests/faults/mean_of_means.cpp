// Means of two halves of the points, averaged as if the halves weighed the same.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct MeanOfMeans : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void update() override {
    RightLloyd<T>::update();
    const auto whole = this->counts_;
    half_ = 1;
    RightLloyd<T>::update();
    const auto first = this->out_.centroids;
    half_ = 2;
    RightLloyd<T>::update();
    for (std::size_t cell = 0; cell < first.size(); ++cell) this->out_.centroids[cell] = (first[cell] + this->out_.centroids[cell]) / 2;
    half_ = 0;
    this->counts_ = whole;
  }
  bool counted(std::int64_t i) override { return half_ == 0 || (half_ == 1) == (i < this->p_.n / 3); }

 private:
  int half_ = 0;
};

const Register<MeanOfMeans> mean_of_means{fault("averages the means of two halves")};

}  // namespace
}  // namespace km
