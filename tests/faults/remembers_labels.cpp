// The labels of the first run, beside centroids of this one.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct RemembersLabels : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    if (labels_.empty()) labels_ = this->out_.labels;
    this->out_.labels = labels_;
  }

 private:
  std::vector<std::int32_t> labels_;
};

const Register<RemembersLabels> remembers_labels{fault("hands back the labels of its first run")};

}  // namespace
}  // namespace km
