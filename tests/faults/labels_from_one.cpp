// Clusters counted from 1.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LabelsFromOne : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    for (auto& label : this->out_.labels) ++label;
  }
};

const Register<LabelsFromOne> labels_from_one{fault("numbers clusters from 1")};

}  // namespace
}  // namespace km
