// Two buffers, and the wrong one handed back.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LabelsOfIterationBefore : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  std::int64_t assign() override {
    before_ = this->out_.labels;
    return RightLloyd<T>::assign();
  }
  void finish() override {
    if (this->iter_ > 1) this->out_.labels = before_;
  }

 private:
  std::vector<std::int32_t> before_;
};

const Register<LabelsOfIterationBefore> labels_of_iteration_before{fault("labels are of the iteration before the last")};

}  // namespace
}  // namespace km
